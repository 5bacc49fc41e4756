#include "config.h"

#include "base/agree.h"
#include "base/mem.h"
#include "io/dataset_impl.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { OPEN_MOST = 64 }; /* shards at a time: file descriptors are few */

struct open_shard {
  int64_t shard; /* -1: free */
  h3d_h5 *file;
};

struct h3d_dataset {
  char *path;
  h3d_index index;
  struct open_shard open[OPEN_MOST];
  int next; /* which to close when all are taken */
  int64_t asked, touched;
};

size_t
h3d_elem_size(h3d_elem e)
{
  return h3d_h5_type_size(h3d_elem_h5(e));
}

const char *
h3d_elem_name(h3d_elem e)
{
  return h3d_h5_type_name(h3d_elem_h5(e));
}

h3d_h5_type
h3d_elem_h5(h3d_elem e)
{
  return e == H3D_ELEM_I16  ? H3D_H5_I16
         : e == H3D_ELEM_U8 ? H3D_H5_U8
                            : H3D_H5_F32;
}

const char *
h3d_subset_name(h3d_subset s)
{
  static const char *const names[] = { "train", "validation", "test" };

  return names[s];
}

const char *
h3d_recipe_name(h3d_recipe r)
{
  return r == H3D_RECIPE_LOG1P ? "log1p" : "none";
}

h3d_status
h3d_dataset_open(MPI_Comm comm, const char *path, h3d_dataset **out)
{
  int root = h3d_comm_rank(comm) == 0;
  h3d_index index = { 0 };
  void *bytes = NULL;
  size_t n = 0;
  h3d_status st = root ? h3d_index_read(path, &index) : H3D_OK;

  *out = NULL;
  st = h3d_agree(comm, st);
  if (st != H3D_OK) {
    h3d_index_release(&index);
    return st;
  }
  if (root) {
    h3d_index_pack(&index, &bytes, &n);
  }
  h3d_broadcast(comm, 0, &n, sizeof n);
  bytes = root ? bytes : h3d_new(n, 1);
  h3d_broadcast(comm, 0, bytes, n);
  if (!root) {
    h3d_index_unpack(&index, bytes, n);
  }
  h3d_free(bytes);
  *out = h3d_new(1, sizeof **out);
  (*out)->path = h3d_strdup(path);
  (*out)->index = index;
  for (int i = 0; i < OPEN_MOST; i++) {
    (*out)->open[i].shard = -1;
  }
  return H3D_OK;
}

void
h3d_dataset_close(h3d_dataset **d)
{
  if (*d == NULL) {
    return;
  }
  for (int i = 0; i < OPEN_MOST; i++) {
    h3d_h5_close(&(*d)->open[i].file);
  }
  h3d_index_release(&(*d)->index);
  h3d_free((*d)->path);
  h3d_free(*d);
  *d = NULL;
}

const h3d_dataset_info *
h3d_dataset_about(const h3d_dataset *d)
{
  return &d->index.info;
}

/* The shard's volumes must be those that the index speaks of. */
static h3d_status
check_shard(const h3d_dataset *d, const h3d_shard *s, const char *path,
            h3d_h5 *f)
{
  const h3d_dataset_info *n = &d->index.info;
  int64_t want[5]
    = { s->rows, n->channels, n->extent[0], n->extent[1], n->extent[2] };
  h3d_h5_about a;
  h3d_status st = h3d_h5_ask(f, "/volume", &a);

  if (st != H3D_OK) {
    return st;
  }
  if (a.ndims != 5 || a.type != h3d_elem_h5(n->elem)
      || memcmp(a.shape, want, sizeof want) != 0) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: its volumes are not the %s [%" PRId64 "][%d][%" PRId64
                    "][%" PRId64 "][%" PRId64 "] of the index; is it a shard "
                    "of another dataset?",
                    path, h3d_elem_name(n->elem), want[0], n->channels,
                    want[2], want[3], want[4]);
  }
  return H3D_OK;
}

static h3d_status
open_shard(const h3d_dataset *d, int64_t shard, h3d_h5 **out)
{
  const h3d_shard *s = &d->index.shard[shard];
  char *path = h3d_sprintf("%s/%s", d->path, s->name);
  struct stat info;
  h3d_status st = H3D_OK;

  *out = NULL;
  if (stat(path, &info) == 0 && info.st_size != s->bytes) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: has %lld bytes, the index says %" PRId64
                  "; the file is %s, copy the dataset again",
                  path, (long long)info.st_size, s->bytes,
                  info.st_size < s->bytes ? "truncated" : "another one");
  }
  if (st == H3D_OK) {
    st = h3d_h5_open(path, out);
  }
  if (st == H3D_OK) {
    st = check_shard(d, s, path, *out);
  }
  if (st != H3D_OK) {
    h3d_h5_close(out);
  }
  h3d_free(path);
  return st;
}

h3d_status
h3d_dataset_shard(h3d_dataset *d, int64_t shard, h3d_h5 **out)
{
  struct open_shard *slot = NULL;
  h3d_status st;

  for (int i = 0; i < OPEN_MOST; i++) {
    if (d->open[i].shard == shard) {
      *out = d->open[i].file;
      return H3D_OK;
    }
  }
  slot = &d->open[d->next];
  d->next = (d->next + 1) % OPEN_MOST;
  h3d_h5_close(&slot->file);
  slot->shard = -1;
  st = open_shard(d, shard, &slot->file);
  slot->shard = st == H3D_OK ? shard : -1;
  *out = slot->file;
  return st;
}

static int
is_inside(const int64_t a_start[3], const int64_t a_len[3],
          const int64_t start[3], const int64_t len[3])
{
  int inside = 1;

  for (int a = 0; a < 3; a++) {
    inside = inside && a_start[a] >= start[a]
             && a_start[a] + a_len[a] <= start[a] + len[a];
  }
  return inside;
}

static h3d_status
verify(h3d_dataset *d, h3d_h5 *f, const h3d_sample *s, const int64_t start[3],
       const int64_t len[3], const void *box)
{
  const h3d_dataset_info *n = &d->index.info;
  int64_t counts[3], chunks = h3d_chunk_counts(n, counts);
  int64_t from[2] = { s->row, 0 }, count[2] = { 1, chunks };
  uint64_t *sums = h3d_new((size_t)chunks, sizeof *sums);
  void *scratch = h3d_new(1, h3d_chunk_bytes(n));
  h3d_status st
    = h3d_h5_read(f, "/checksum", H3D_H5_U64, 2, from, count, sums);

  for (int64_t i = 0; i < chunks && st == H3D_OK; i++) {
    int64_t at[3], extent[3];

    h3d_chunk_box(n, i, at, extent);
    if (is_inside(at, extent, start, len)
        && h3d_chunk_hash(n, i, start, len, box, scratch) != sums[i]) {
      st
        = h3d_fail(H3D_ERR_FILE,
                   "%s: sample %s, chunk %" PRId64 " (from voxel %" PRId64
                   ",%" PRId64 ",%" PRId64 ") does not have its checksum: the "
                   "file is damaged, copy or preprocess it again",
                   h3d_h5_path(f), s->id, i, at[0], at[1], at[2]);
    }
  }
  h3d_free(scratch);
  h3d_free(sums);
  return st;
}

static void
count_traffic(h3d_dataset *d, const int64_t start[3], const int64_t len[3])
{
  const h3d_dataset_info *n = &d->index.info;
  int64_t asked = n->channels * (int64_t)h3d_elem_size(n->elem);
  int64_t touched = asked;

  for (int a = 0; a < 3; a++) {
    int64_t c = n->chunk[a];
    int64_t lo = start[a] / c * c, hi = (start[a] + len[a] + c - 1) / c * c;

    asked *= len[a];
    touched *= (hi < n->extent[a] ? hi : n->extent[a]) - lo;
  }
  d->asked += asked;
  d->touched += touched;
}

h3d_status
h3d_dataset_read(h3d_dataset *d, int64_t sample, const int64_t start[3],
                 const int64_t len[3], void *out)
{
  const h3d_dataset_info *n = &d->index.info;
  const h3d_sample *s = &n->sample[sample];
  int64_t from[5] = { s->row, 0, start[0], start[1], start[2] };
  int64_t count[5] = { 1, n->channels, len[0], len[1], len[2] };
  h3d_h5 *f;
  h3d_status st;

  for (int a = 0; a < 3; a++) {
    if (start[a] < 0 || len[a] < 0 || start[a] > n->extent[a] - len[a]) {
      return h3d_fail(H3D_ERR_SHAPE,
                      "%s: voxels %" PRId64 " to %" PRId64 " of axis %c are "
                      "not in its extent %" PRId64,
                      d->path, start[a], start[a] + len[a], "DHW"[a],
                      n -> extent[a]);
    }
    if (len[a] == 0) {
      return H3D_OK; /* an empty block */
    }
  }
  H3D_TRY(h3d_dataset_shard(d, s->shard, &f));
  H3D_TRY(
    h3d_h5_read(f, "/volume", h3d_elem_h5(n->elem), 5, from, count, out));
  H3D_TRY(verify(d, f, s, start, len, out));
  count_traffic(d, start, len);
done:
  return st;
}

h3d_status
h3d_dataset_read_target(h3d_dataset *d, int64_t sample, float *out)
{
  const h3d_dataset_info *n = &d->index.info;
  int64_t from[2] = { n->sample[sample].row, 0 }, count[2] = { 1, n->targets };
  h3d_h5 *f;
  h3d_status st = H3D_OK;

  if (n->targets > 0) {
    st = h3d_dataset_shard(d, n->sample[sample].shard, &f);
    if (st == H3D_OK) {
      st = h3d_h5_read(f, "/target", H3D_H5_F32, 2, from, count, out);
    }
  }
  return st;
}

void
h3d_dataset_traffic(const h3d_dataset *d, int64_t *asked, int64_t *touched)
{
  *asked = d->asked;
  *touched = d->touched;
}
