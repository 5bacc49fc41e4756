/* dataset_shard.h: one shard on its way to the disk.  One rank. */
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

#endif /* H3D_IO_DATASET_SHARD_H */
