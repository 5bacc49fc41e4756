/* h3d-info: what is this file or folder, and what is in it? */
#include "config.h"

#include "info.h"

#include "backend/build.h"
#include "base/agree.h"
#include "base/check.h"
#include "base/opt.h"
#include "io/h5.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct options {
  int build, json, check;
} options;

static const h3d_opt table[] = {
  { "check", 0, H3D_OPT_FLAG, offsetof(options, check), NULL, NULL,
    "read all of it and compare checksums" },
  { "json", 0, H3D_OPT_FLAG, offsetof(options, json), NULL, NULL,
    "for scripts" },
  { "build", 0, H3D_OPT_FLAG, offsetof(options, build), NULL, NULL,
    "what this h3d was built with" },
  { NULL, 0, H3D_OPT_FLAG, 0, NULL, NULL, NULL },
};

static const h3d_opts program
  = { "h3d-info", "[OPTION]... FILE|FOLDER | --build",
      "Say what a file or folder is and what is in it: datasets and their "
      "shards, runs, checkpoints, CosmoFlow and other HDF5 files, .npy "
      "arrays, networks.",
      table };

static int
has(const char *folder, const char *name)
{
  char path[4096];

  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

static h3d_status
about_folder(info_say *s, const char *path, int check)
{
  if (has(path, "run.ini")) {
    return info_run(s, path, check);
  }
  if (has(path, "index.h5") || has(path, "shard-00000.h5")
      || has(path, ".part/shard-00000.h5")
      || has(path, ".part/shard-00000.h5.part")) {
    return info_dataset(s, path); /* which all ranks check */
  }
  return h3d_fail(H3D_ERR_FILE,
                  "%s is neither a dataset (index.h5) nor a run (run.ini); "
                  "name a file in it",
                  path);
}

/* HDF5 files are told apart by what is in them. */
static h3d_status
about_h5(info_say *s, const char *path, int check)
{
  h3d_h5 *f = NULL;
  h3d_status st = h3d_h5_open(path, &f);
  int checkpoint, cosmoflow;

  if (st != H3D_OK) {
    return st;
  }
  checkpoint = h3d_h5_has_attr(f, "/", "h3d_checkpoint");
  cosmoflow = h3d_h5_has(f, "/full");
  h3d_h5_close(&f);
  return checkpoint  ? info_checkpoint(s, path, check)
         : cosmoflow ? info_cosmoflow(s, path, check)
                     : info_h5(s, path, check);
}

static h3d_status
about(info_say *s, const char *path, int check)
{
  unsigned char head[8] = { 0 };
  const char *dot = strrchr(path, '.');
  struct stat is;
  FILE *f;
  size_t n;

  if (stat(path, &is) != 0 || (!S_ISDIR(is.st_mode) && access(path, R_OK))) {
    return h3d_fail(H3D_ERR_FILE, "%s cannot be read: %s", path,
                    strerror(errno));
  }
  if (S_ISDIR(is.st_mode)) {
    return about_folder(s, path, check);
  }
  f = fopen(path, "rb");
  n = f ? fread(head, 1, sizeof head, f) : 0;
  if (f) {
    fclose(f);
  }
  if (n == 8
      && (memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0
          || memcmp(head, "h3d seal", 8) == 0)) { /* a checkpoint's seal */
    return about_h5(s, path, check);
  }
  if (n >= 6 && memcmp(head, "\x93NUMPY", 6) == 0) {
    return info_npy(s, path, check);
  }
  if (dot && strcmp(dot, ".net") == 0) {
    return info_net(s, path, check);
  }
  return h3d_fail(H3D_ERR_FILE,
                  "%s is none of what h3d reads: HDF5, .npy or .net", path);
}

int
main(int argc, char **argv)
{
  const char *path = NULL;
  options o = { 0 };
  int n = 0, done = 0, whole = 0, status;
  info_say s = { 0 };
  h3d_status st;

  h3d_start(&argc, &argv);
  H3D_TRY(h3d_opts_parse(&program, argc, argv, &o, NULL, &path, 1, &n, &done));
  if (done) {
    h3d_build_answer(&program, done);
    goto done;
  }
  if (n == 0 && !o.build) {
    st = h3d_fail(H3D_ERR_USAGE, "name a file or folder, or give --build");
    goto done;
  }
  /* One rank looks; the others wait for its verdict, and help to check. */
  if (h3d_rank() == 0) {
    info_begin(&s, o.json);
    if (o.build) {
      info_build(&s);
    }
    st = n > 0 ? about(&s, path, o.check) : H3D_OK;
    whole = n > 0 && o.check && has(path, "index.h5");
  }
  st = h3d_agree(MPI_COMM_WORLD, st);
  h3d_broadcast(MPI_COMM_WORLD, 0, &whole, sizeof whole);
  if (st == H3D_OK && whole) {
    st = info_check(&s, path);
  }
  if (st == H3D_OK && h3d_rank() == 0) {
    info_end(&s);
  }
  h3d_json_free(&s.json);
done:
  status = h3d_exit_status("h3d-info", st);
  return h3d_finish(status);
}
