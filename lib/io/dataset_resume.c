/* Going on with a dataset that was not finished. */
#include "config.h"

#include "base/mem.h"
#include "io/dataset_write_impl.h"
#include "io/folder.h"
#include "io/publish.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static char *
record_path(const char *path)
{
  return h3d_sprintf("%s/" H3D_FOLDER_PART "/" H3D_DATASET_RECORD, path);
}

h3d_status
h3d_record_write(const char *path, const char *text)
{
  char *name = record_path(path);
  FILE *f;
  h3d_status st = h3d_text_create(name, &f);

  if (st == H3D_OK) {
    fputs(text, f); /* failures stay in the stream */
    st = h3d_text_publish(name, &f, 0);
  }
  h3d_free(name);
  return st;
}

void
h3d_record_remove(const char *path)
{
  char *name = record_path(path);

  unlink(name);
  h3d_free(name);
}

static h3d_status
read_text(const char *name, char **out)
{
  FILE *f = fopen(name, "rb");
  size_t n = 0, room = 1 << 16;
  char *text = h3d_new(room + 1, 1);

  while (f != NULL && (n += fread(text + n, 1, room - n, f)) == room) {
    room *= 2;
    text = h3d_grow(text, room + 1, 1);
  }
  text[n] = '\0';
  *out = text;
  if (f == NULL || ferror(f)) {
    if (f != NULL) {
      fclose(f);
    }
    return h3d_fail(H3D_ERR_FILE, "%s: cannot be read (%s)", name,
                    strerror(errno));
  }
  fclose(f);
  return H3D_OK;
}

/* The first line that differs. */
static h3d_status
compare(const char *path, const char *was, const char *is)
{
  size_t n, m;

  for (;;) {
    n = strcspn(was, "\n");
    m = strcspn(is, "\n");
    if (n != m || memcmp(was, is, n) != 0) {
      return h3d_fail(H3D_ERR_USAGE,
                      "%s: was begun with \"%.*s\", now it is \"%.*s\"; go on "
                      "as it was begun, or begin anew by --force",
                      path, n > 0 ? (int)n : 7, n > 0 ? was : "nothing",
                      m > 0 ? (int)m : 7, m > 0 ? is : "nothing");
    }
    if (was[n] == '\0' && is[m] == '\0') {
      return H3D_OK;
    }
    was += n + (was[n] != '\0');
    is += m + (is[m] != '\0');
  }
}

static h3d_status
compare_whole(const char *path, const char *command)
{
  h3d_index x;
  h3d_status st = h3d_index_read(path, &x);

  if (st == H3D_OK && strcmp(x.info.command, command) != 0) {
    st
      = h3d_fail(H3D_ERR_USAGE,
                 "%s: is complete, and made by \"%s\"; replace it by --force, "
                 "or name another folder with -o",
                 path, x.info.command);
  }
  h3d_index_release(&x);
  return st;
}

h3d_status
h3d_dataset_may_resume(const char *path, const char *record,
                       const char *command, h3d_resume *what)
{
  char *name = record_path(path), *index = h3d_sprintf("%s/index.h5", path);
  char *moving = h3d_sprintf("%s/" H3D_FOLDER_PART "/index.h5", path);
  char *text = NULL;
  h3d_status st = H3D_OK;

  *what = H3D_RESUME_NOTHING;
  if (access(name, F_OK) == 0) {
    *what = H3D_RESUME_PART;
    st = read_text(name, &text);
    st = st == H3D_OK ? compare(path, text, record) : st;
  } else if (access(moving, F_OK) == 0) {
    st
      = h3d_fail(H3D_ERR_FILE,
                 "%s/" H3D_FOLDER_PART " is whole and was being put in place: "
                 "move its files to %s, index.h5 last",
                 path, path);
  } else if (access(index, F_OK) == 0) {
    *what = H3D_RESUME_WHOLE;
    st = compare_whole(path, command);
  }
  h3d_free(text);
  h3d_free(moving);
  h3d_free(index);
  h3d_free(name);
  return st;
}

int
h3d_dataset_is_kept(h3d_dataset_writer *w)
{
  if (w->resume && w->kept == NULL && w->open == NULL && w->shared == NULL) {
    char *path = h3d_dataset_next_shard(w);

    /* What cannot be opened is made again. */
    if (access(path, F_OK) == 0 && h3d_h5_open(path, &w->kept) != H3D_OK) {
      w->kept = NULL;
    }
    h3d_free(path);
  }
  return w->kept != NULL;
}

static h3d_status
damaged(const h3d_dataset_writer *w, const char *what)
{
  return h3d_fail(H3D_ERR_FILE,
                  "%s: %s; remove this file and go on by --resume again",
                  h3d_h5_path(w->kept), what);
}

static h3d_status
read_sums(const h3d_dataset_writer *w, uint64_t **sums, int64_t *chunks)
{
  int64_t counts[3];

  *chunks = h3d_chunk_counts(&w->plan, counts);
  *sums = h3d_new((size_t)*chunks, sizeof **sums);
  {
    const int64_t from[2] = { w->added % w->rows, 0 }, n[2] = { 1, *chunks };

    return h3d_h5_read(w->kept, "/checksum", H3D_H5_U64, 2, from, n, *sums);
  }
}

h3d_status
h3d_dataset_read_kept(h3d_dataset_writer *w, const int64_t start[3],
                      const int64_t len[3], void *out)
{
  const h3d_dataset_info *n = &w->plan;
  const int64_t from[5]
    = { w->added % w->rows, 0, start[0], start[1], start[2] };
  const int64_t count[5] = { 1, n->channels, len[0], len[1], len[2] };
  void *scratch = h3d_new(1, h3d_chunk_bytes(n));
  uint64_t *sums;
  int64_t chunks;
  h3d_status st = read_sums(w, &sums, &chunks);

  H3D_TRY(st);
  H3D_TRY(h3d_h5_read(w->kept, "/volume", h3d_elem_h5(n->elem), 5, from, count,
                      out));
  for (int64_t i = 0; i < chunks; i++) {
    int64_t at[3], m[3];
    int inside = 1;

    h3d_chunk_box(n, i, at, m);
    for (int a = 0; a < 3; a++) {
      inside
        = inside && at[a] >= start[a] && at[a] + m[a] <= start[a] + len[a];
    }
    if (inside && h3d_chunk_hash(n, i, start, len, out, scratch) != sums[i]) {
      st = damaged(w, "a chunk has another checksum");
      goto done;
    }
  }
done:
  h3d_free(sums);
  h3d_free(scratch);
  return st;
}

h3d_status
h3d_dataset_keep(h3d_dataset_writer *w, const h3d_sample *s,
                 const float *target)
{
  const int64_t row = w->added % w->rows, from[2] = { row, 0 };
  const int64_t count[2] = { 1, w->plan.targets };
  size_t bytes = (size_t)w->plan.targets * sizeof *target;
  float *got = h3d_new((size_t)w->plan.targets, sizeof *got);
  uint64_t *sums = NULL;
  char **ids = NULL;
  int64_t n = 0, chunks;
  h3d_status st;

  H3D_TRY(h3d_h5_read_texts(w->kept, "/id", &n, &ids));
  if (n != w->index.shard[w->index.shards].rows
      || strcmp(ids[row], s->id) != 0) {
    st = damaged(w, "it holds other samples");
    goto done;
  }
  if (bytes > 0) {
    H3D_TRY(h3d_h5_read(w->kept, "/target", H3D_H5_F32, 2, from, count, got));
    if (memcmp(got, target, bytes) != 0) {
      st = damaged(w, "it holds other targets");
      goto done;
    }
  }
  H3D_TRY(read_sums(w, &sums, &chunks));
  st = h3d_dataset_note(
    w, s, XXH64(target, bytes, XXH64(sums, (size_t)chunks * sizeof *sums, 0)));
done:
  h3d_free(sums);
  h3d_free(ids);
  h3d_free(got);
  return st;
}

h3d_status
h3d_dataset_end_kept(h3d_dataset_writer *w, int64_t *bytes)
{
  struct stat about;
  h3d_status st = H3D_OK;

  if (stat(h3d_h5_path(w->kept), &about) != 0) {
    st = damaged(w, strerror(errno));
  } else {
    *bytes = (int64_t)about.st_size;
  }
  h3d_h5_close(&w->kept);
  return st;
}
