/* A shard that all ranks write together. */
#include "config.h"

#include "base/agree.h"
#include "base/mem.h"
#include "io/dataset_impl.h"
#include "io/dataset_shard.h"

#include <string.h>
#include <xxhash.h>

/* What rank 0 writes by itself at the end. */
struct row {
  char *id, *source;
  uint64_t *sums;
  float *target;
  double geometry[16];
};

struct h3d_shard_together {
  MPI_Comm comm;
  const h3d_dataset_info *info;
  char *path;
  h3d_h5 *file;
  int64_t rows, row, chunks;
  struct row *kept; /* [rows] */
  void *scratch;
};

h3d_status
h3d_shard_together_create(MPI_Comm comm, const char *path,
                          const h3d_dataset_info *n, int64_t rows, int deflate,
                          h3d_shard_together **out)
{
  h3d_shard_together *w = h3d_new(1, sizeof *w);
  int64_t counts[3];
  h3d_status st;

  *out = w;
  w->comm = comm;
  w->info = n;
  w->path = h3d_strdup(path);
  w->rows = rows;
  w->chunks = h3d_chunk_counts(n, counts);
  w->kept = h3d_new((size_t)rows, sizeof *w->kept);
  w->scratch = h3d_new(1, h3d_chunk_bytes(n));
  /* Chunks at the end of an axis are stored whole. */
  H3D_TRY(h3d_h5_create_together(
    comm, path, rows * w->chunks * (int64_t)h3d_chunk_bytes(n), &w->file));
  H3D_TRY(h3d_agree(comm, h3d_shard_make_volume(w->file, n, rows, deflate)));
done:
  if (st != H3D_OK) {
    h3d_shard_together_abandon(out);
  }
  return st;
}

h3d_status
h3d_shard_together_put(h3d_shard_together *w, const int64_t start[3],
                       const int64_t len[3], const void *box)
{
  const h3d_dataset_info *n = w->info;
  const int64_t c = len[0] > 0 ? n->channels : 0;
  const int64_t from[5] = { w->row, 0, start[0], start[1], start[2] };
  const int64_t count[5] = { c > 0, c, len[0], len[1], len[2] };
  struct row *kept = &w->kept[w->row];

  if (kept->sums == NULL) {
    kept->sums = h3d_new((size_t)w->chunks, sizeof *kept->sums);
  }
  for (int64_t i = 0; c > 0 && i < w->chunks; i++) {
    int64_t at[3], m[3];
    int inside = 1;

    h3d_chunk_box(n, i, at, m);
    for (int a = 0; a < 3; a++) {
      inside
        = inside && at[a] >= start[a] && at[a] + m[a] <= start[a] + len[a];
    }
    if (inside) {
      kept->sums[i] = h3d_chunk_hash(n, i, start, len, box, w->scratch);
    }
  }
  return h3d_h5_write_together(w->file, "/volume", h3d_elem_h5(n->elem), 5,
                               from, count, box);
}

void
h3d_shard_together_end_row(h3d_shard_together *w, const char *id,
                           const char *source, const float *target,
                           const double *geometry, uint64_t *content)
{
  struct row *kept = &w->kept[w->row++];
  size_t bytes = (size_t)w->info->targets * sizeof *target;

  h3d_sum_all(w->comm, kept->sums, (size_t)w->chunks);
  *content
    = XXH64(target, bytes,
            XXH64(kept->sums, (size_t)w->chunks * sizeof *kept->sums, 0));
  kept->id = h3d_strdup(id);
  kept->source = h3d_strdup(source);
  kept->target = h3d_new((size_t)w->info->targets, sizeof *target);
  if (bytes > 0) {
    memcpy(kept->target, target, bytes);
  }
  memcpy(kept->geometry, geometry, sizeof kept->geometry);
}

/* Rank 0: all but the volumes. */
static h3d_status
complete(h3d_shard_together *w, int64_t *bytes)
{
  h3d_shard_writer *one = NULL;
  h3d_status st;

  H3D_TRY(h3d_shard_continue(w->path, w->info, w->rows, &one));
  for (int64_t i = 0; i < w->rows; i++) {
    struct row *k = &w->kept[i];

    H3D_TRY(h3d_shard_add_row(one, k->id, k->source, k->sums, k->target,
                              k->geometry));
  }
  st = h3d_shard_finish(&one, bytes);
done:
  h3d_shard_abandon(&one);
  return st;
}

h3d_status
h3d_shard_together_finish(h3d_shard_together **w, int64_t *bytes)
{
  MPI_Comm comm = (*w)->comm;
  h3d_status st;

  *bytes = 0;
  H3D_TRY(h3d_h5_end_together(&(*w)->file));
  st = h3d_comm_rank(comm) == 0 ? complete(*w, bytes) : H3D_OK;
  st = h3d_agree(comm, st);
done:
  h3d_shard_together_abandon(w);
  return st;
}

void
h3d_shard_together_abandon(h3d_shard_together **w)
{
  if (*w == NULL) {
    return;
  }
  h3d_h5_close(&(*w)->file);
  for (int64_t i = 0; i < (*w)->rows; i++) {
    h3d_free((*w)->kept[i].id);
    h3d_free((*w)->kept[i].source);
    h3d_free((*w)->kept[i].sums);
    h3d_free((*w)->kept[i].target);
  }
  h3d_free((*w)->kept);
  h3d_free((*w)->scratch);
  h3d_free((*w)->path);
  h3d_free(*w);
  *w = NULL;
}
