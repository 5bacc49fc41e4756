#include "config.h"

#include "ckpt/ckpt_impl.h"

#include "base/agree.h"
#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void
h3d_ckpt_name(const char *folder, int64_t epoch, char out[H3D_CKPT_PATH_MAX])
{
  snprintf(out, H3D_CKPT_PATH_MAX, "%s/checkpoint-%06" PRId64 ".h5", folder,
           epoch);
}

/* Epochs of the checkpoints in a folder, newest first; *out is the caller's.
 * Less than 0: no such folder. */
static int
list(const char *folder, int64_t **out)
{
  DIR *dir = opendir(folder);
  struct dirent *e;
  int n = 0;

  *out = NULL;
  if (!dir) {
    return -1;
  }
  *out = h3d_new(1, sizeof **out);
  while ((e = readdir(dir))) {
    long long epoch;
    int end = 0, at;

    /* The end keeps half-written "checkpoint-000001.h5.part" out. */
    if (sscanf(e->d_name, "checkpoint-%lld.h5%n", &epoch, &end) != 1
        || end == 0 || e->d_name[end] != '\0') {
      continue;
    }
    *out = h3d_grow(*out, (size_t)n + 1, sizeof **out);
    for (at = n; at > 0 && (*out)[at - 1] < epoch; at--) {
      (*out)[at] = (*out)[at - 1];
    }
    (*out)[at] = epoch;
    n++;
  }
  closedir(dir);
  return n;
}

static h3d_status
check_array(const h3d_h5 *f, const char *name)
{
  h3d_h5_about about;
  void *mem = NULL;
  size_t n = 1;
  h3d_status st;

  H3D_TRY(h3d_h5_ask(f, name, &about));
  for (int a = 0; a < about.ndims; a++) {
    n *= (size_t)about.shape[a];
  }
  H3D_TRY(h3d_alloc(n, h3d_h5_type_size(about.type), &mem));
  H3D_TRY(h3d_h5_read_all(f, name, about.type, about.ndims, about.shape, mem));
done:
  h3d_free(mem);
  return st;
}

/* Everything below a group: depth levels of groups, then arrays. */
static h3d_status
check_group(const h3d_h5 *f, const char *group, int depth)
{
  char **names = NULL;
  int64_t n = 0;
  h3d_status st = h3d_h5_list(f, group, &n, &names);

  for (int64_t i = 0; st == H3D_OK && i < n; i++) {
    char *path = h3d_sprintf("%s/%s", group, names[i]);

    st = depth > 1 ? check_group(f, path, depth - 1) : check_array(f, path);
    h3d_free(path);
  }
  h3d_free(names);
  return st;
}

h3d_status
h3d_ckpt_check(const char *path)
{
  h3d_ckpt *c = NULL;
  h3d_h5 *f = NULL;
  h3d_status st;

  H3D_TRY(h3d_ckpt_read_alone(path, &c));
  H3D_TRY(h3d_h5_open(path, &f));
  H3D_TRY(check_group(f, "/model", 2));
  if (h3d_h5_has(f, "/optim")) {
    H3D_TRY(check_group(f, "/optim", 3));
  }
done:
  h3d_ckpt_free(&c);
  h3d_h5_close(&f);
  return st;
}

static h3d_status
pick_alone(const char *folder, char out[H3D_CKPT_PATH_MAX])
{
  int64_t *epoch;
  int n = list(folder, &epoch), i = 0;
  h3d_status st = H3D_OK;

  for (; i < n; i++) {
    h3d_ckpt_name(folder, epoch[i], out);
    st = h3d_ckpt_check(out);
    if (st == H3D_OK) {
      break;
    }
    h3d_warn("%s; trying the checkpoint before it", h3d_why());
  }
  h3d_free(epoch);
  if (i < n) {
    return H3D_OK;
  }
  if (n > 0) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: none of its %d checkpoints is whole (the last one: "
                    "%.300s); train again with --force",
                    folder, n, h3d_why());
  }
  return h3d_fail(H3D_ERR_FILE,
                  "%s has no checkpoint (checkpoint-NNNNNN.h5)%s%s; name a "
                  "folder that h3d-train wrote",
                  folder, n < 0 ? ": " : "", n < 0 ? strerror(errno) : "");
}

h3d_status
h3d_ckpt_pick(const h3d_grid *g, const char *folder,
              char out[H3D_CKPT_PATH_MAX])
{
  h3d_status st = H3D_OK;

  out[0] = '\0';
  if (g->rank == 0) {
    st = pick_alone(folder, out);
  }
  st = h3d_grid_agree(g, st);
  h3d_broadcast(g->world, 0, out, H3D_CKPT_PATH_MAX);
  return st;
}

void
h3d_ckpt_prune(const char *folder, int64_t keep)
{
  char path[H3D_CKPT_PATH_MAX];
  int64_t *epoch;
  int n;

  if (h3d_rank() != 0) {
    return;
  }
  n = list(folder, &epoch);
  for (int i = 0; i < n; i++) {
    if (i >= keep) {
      h3d_ckpt_name(folder, epoch[i], path);
      if (unlink(path) != 0) {
        h3d_warn("%s stays: %s", path, strerror(errno));
      }
    }
  }
  h3d_free(epoch);
}
