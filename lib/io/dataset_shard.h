/* dataset_shard.h: one shard on its way to the disk, from one rank or, where a
 * sample is too large for one, from all together.
 */
#ifndef H3D_IO_DATASET_SHARD_H
#define H3D_IO_DATASET_SHARD_H

#include "io/dataset.h"

typedef struct h3d_shard_writer h3d_shard_writer;

/* Create PATH.part for rows samples as info says; info is borrowed. */
h3d_status h3d_shard_create(const char *path, const h3d_dataset_info *info,
                            int64_t rows, int deflate, h3d_shard_writer **out);

/* Write the next row: arguments as for h3d_dataset_add.  *content: xxh64 over
 * the chunks' checksums and the targets.
 */
h3d_status h3d_shard_add(h3d_shard_writer *w, const char *id,
                         const char *source, const void *volume,
                         const float *target, const double *geometry,
                         uint64_t *content);

/* Give the file its name; its length in *bytes.  *w is NULL afterwards. */
h3d_status h3d_shard_finish(h3d_shard_writer **w, int64_t *bytes);

/* Remove what was written.  NULL is allowed. */
void h3d_shard_abandon(h3d_shard_writer **w);

/* The pieces: an empty /volume; all else of PATH.part, which has one; a row of
 * all else, sums being its chunks' checksums.
 */
struct h3d_h5;
h3d_status h3d_shard_make_volume(struct h3d_h5 *f,
                                 const h3d_dataset_info *info, int64_t rows,
                                 int deflate);
h3d_status h3d_shard_continue(const char *path, const h3d_dataset_info *info,
                              int64_t rows, h3d_shard_writer **out);
h3d_status h3d_shard_add_row(h3d_shard_writer *w, const char *id,
                             const char *source, const uint64_t *sums,
                             const float *target, const double *geometry);

/* By all ranks of comm together; every function is collective over it, and
 * every status the same on all ranks.
 */
typedef struct h3d_shard_together h3d_shard_together;
h3d_status h3d_shard_together_create(MPI_Comm comm, const char *path,
                                     const h3d_dataset_info *info,
                                     int64_t rows, int deflate,
                                     h3d_shard_together **out);
/* Boxes of the next row, one per rank, of whole chunks, as [c][d][h][w];
 * len[0] 0: none from this rank.
 */
h3d_status h3d_shard_together_put(h3d_shard_together *w,
                                  const int64_t start[3], const int64_t len[3],
                                  const void *box);
/* The row is complete: the rest of it, the same on all ranks. */
void h3d_shard_together_end_row(h3d_shard_together *w, const char *id,
                                const char *source, const float *target,
                                const double *geometry, uint64_t *content);
/* *bytes on rank 0. */
h3d_status h3d_shard_together_finish(h3d_shard_together **w, int64_t *bytes);
void h3d_shard_together_abandon(h3d_shard_together **w);

#endif /* H3D_IO_DATASET_SHARD_H */
