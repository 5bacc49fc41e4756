#include "config.h"

#include "record.h"

#include "base/agree.h"
#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
add(char **record, const char *line)
{
  char *old = *record;

  *record = h3d_sprintf("%s%s\n", old != NULL ? old : "", line);
  h3d_free(old);
}

static void
add_option(char **record, const char *key, const char *value)
{
  char *line
    = h3d_sprintf("--%s %s", key, value != NULL ? value : "not given");

  add(record, line);
  h3d_free(line);
}

/* Length and time of its last change: a file that changes is another. */
static size_t
describe(const char *path, char *out, size_t room)
{
  struct stat s;
  int n;

  if (stat(path, &s) != 0) {
    memset(&s, 0, sizeof s);
  }
  n = snprintf(out, room, "%s, %lld bytes, changed at %lld.%09ld\n", path,
               (long long)s.st_size, (long long)s.st_mtim.tv_sec,
               s.st_mtim.tv_nsec);
  return (size_t)n;
}

static void
add_files(char **record, const char *const *path, int64_t n)
{
  size_t at = *record != NULL ? strlen(*record) : 0, room = at + 1;

  for (int64_t i = 0; i < n; i++) {
    room += strlen(path[i]) + 96;
  }
  *record = h3d_grow(*record, room, 1);
  (*record)[at] = '\0';
  for (int64_t i = 0; i < n; i++) {
    at += describe(path[i], *record + at, room - at);
  }
}

char *
h3d_record_of(const options *o, const h3d_convert *c)
{
  const char *const lists[2] = { o->targets, o->subsets };
  const char *const named[][2] = {
    { "from", o->from },         { "array", o->array },
    { "axes", o->axes },         { "dtype", o->dtype },
    { "shape", o->shape },       { "byte-order", o->byte_order },
    { "targets", o->targets },   { "normalize", o->normalize },
    { "subsets", o->subsets },   { "chunk", o->chunk },
    { "compress", o->compress },
  };
  char *record = NULL, *line;

  add(&record, "h3d " PACKAGE_VERSION);
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
    add_option(&record, named[i][0], named[i][1]);
  }
  line = h3d_sprintf("--subvolume %" PRId64 "\n--seed %" PRId64
                     "\n--offset %" PRId64 "\n%d ranks, %s",
                     o->subvolume, o->seed, o->offset,
                     c->pieces.n > 0 ? 0 : h3d_comm_size(MPI_COMM_WORLD),
                     c->pieces.n > 0 ? "all together on each sample"
                                     : "each with samples of its own");
  add(&record, line);
  h3d_free(line);
  for (int i = 0; i < 2; i++) {
    if (lists[i] != NULL && access(lists[i], F_OK) == 0) {
      add_files(&record, &lists[i], 1);
    }
  }
  add_files(&record, (const char *const *)c->in->path, c->in->n);
  return record;
}

h3d_status
h3d_record_look(const options *o, h3d_convert *c, h3d_resume *what)
{
  h3d_status st = H3D_OK;

  *what = H3D_RESUME_NOTHING;
  if (h3d_rank() == 0 && o->resume) {
    st = h3d_dataset_may_resume(o->out, c->options.record, c->command, what);
  }
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, st));
  h3d_broadcast(MPI_COMM_WORLD, 0, what, sizeof *what);
  if (h3d_rank() == 0 && *what == H3D_RESUME_NOTHING) {
    st = h3d_dataset_may_create(o->out, o->force);
  }
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, st));
  c->options.resume = *what == H3D_RESUME_PART;
  if (o->resume) {
    h3d_log("%s: %s", o->out,
            *what == H3D_RESUME_WHOLE ? "is complete, nothing is left to do"
            : *what == H3D_RESUME_PART
              ? "goes on; complete shards are checked "
                "and kept"
              : "nothing to go on with, begins");
  }
done:
  return st;
}
