/* A dataset against itself: what a sample's shard has, and its index says. */
#include "config.h"

#include "base/mem.h"
#include "io/dataset_impl.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

/* The row of a sample must bear its name. */
static h3d_status
check_id(h3d_h5 *f, const h3d_sample *s)
{
  char **id = NULL;
  int64_t rows = 0;
  h3d_status st = h3d_h5_read_texts(f, "/id", &rows, &id);

  if (st == H3D_OK && (s->row >= rows || strcmp(id[s->row], s->id) != 0)) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: row %" PRId64 " is sample %s, the index says %s: the "
                  "shard is of another dataset; copy or preprocess it again",
                  h3d_h5_path(f), s->row, s->row < rows ? id[s->row] : "none",
                  s->id);
  }
  h3d_free(id);
  return st;
}

static h3d_status
check_content(h3d_h5 *f, const h3d_dataset_info *n, const h3d_sample *s,
              const float *target)
{
  int64_t counts[3], chunks = h3d_chunk_counts(n, counts);
  int64_t from[2] = { s->row, 0 }, count[2] = { 1, chunks };
  uint64_t *sums = h3d_new((size_t)chunks, sizeof *sums), hash;
  h3d_status st
    = h3d_h5_read(f, "/checksum", H3D_H5_U64, 2, from, count, sums);

  hash = XXH64(target, (size_t)n->targets * sizeof *target,
               XXH64(sums, (size_t)chunks * sizeof *sums, 0));
  if (st == H3D_OK && hash != s->content) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: sample %s (row %" PRId64 "): its targets or checksums "
                  "are not those of the index: the file is damaged or of "
                  "another dataset, copy or preprocess it again",
                  h3d_h5_path(f), s->id, s->row);
  }
  h3d_free(sums);
  return st;
}

/* The first voxel that is no number, by channel and place. */
static h3d_status
check_voxels(const h3d_h5 *f, const h3d_dataset_info *n, const h3d_sample *s,
             const float *x)
{
  const int64_t *e = n->extent, size = n->channels * e[0] * e[1] * e[2];

  for (int64_t i = 0; i < size; i++) {
    if (!isfinite(x[i])) {
      return h3d_fail(
        H3D_ERR_FILE,
        "%s: sample %s has %g at channel %" PRId64 ", voxel %" PRId64
        ",%" PRId64 ",%" PRId64 ": repair %s and preprocess again",
        h3d_h5_path(f), s->id, (double)x[i], i / (e[0] * e[1] * e[2]),
        i / (e[1] * e[2]) % e[0], i / e[2] % e[1], i % e[2], s->source);
    }
  }
  return H3D_OK;
}

h3d_status
h3d_dataset_check(h3d_dataset *d, int64_t sample, void *volume)
{
  static const int64_t zero[3] = { 0, 0, 0 };
  const h3d_dataset_info *n = h3d_dataset_about(d);
  const h3d_sample *s = &n->sample[sample];
  float *target = h3d_new((size_t)n->targets + 1, sizeof *target);
  h3d_h5 *f = NULL;
  h3d_status st;

  H3D_TRY(h3d_dataset_shard(d, s->shard, &f));
  H3D_TRY(check_id(f, s));
  H3D_TRY(h3d_dataset_read_target(d, sample, target));
  for (int t = 0; t < n->targets; t++) {
    if (!isfinite(target[t])) {
      st = h3d_fail(H3D_ERR_FILE,
                    "%s: sample %s has target %s = %g: preprocess again "
                    "without it",
                    h3d_h5_path(f), s->id, n->target_name[t],
                    (double)target[t]);
      goto done;
    }
  }
  H3D_TRY(check_content(f, n, s, target));
  H3D_TRY(h3d_dataset_read(d, sample, zero, n->extent, volume));
  if (n->elem == H3D_ELEM_F32) {
    H3D_TRY(check_voxels(f, n, s, volume));
  }
done:
  h3d_free(target);
  return st;
}
