/* dataset_impl.h: what the reading and the writing of datasets share. */
#ifndef H3D_IO_DATASET_IMPL_H
#define H3D_IO_DATASET_IMPL_H

#include "io/dataset.h"
#include "io/h5.h"

enum { H3D_DATASET_FORMAT = 1 };

typedef struct h3d_shard {
  char *name; /* in the folder: "shard-00003.h5" */
  int64_t rows, bytes;
} h3d_shard;

/* What index.h5 holds.  Owns all that it points to. */
typedef struct h3d_index {
  h3d_dataset_info info;
  int64_t shards;
  h3d_shard *shard;
} h3d_index;

/* Read NAME/index.h5; h3d_index_release it, also after a failure.  Write one
 * (info.identity is filled in first), under its name at once.  One rank.
 */
h3d_status h3d_index_read(const char *folder, h3d_index *x);
h3d_status h3d_index_write(const char *folder, h3d_index *x);
void h3d_index_release(h3d_index *x);

/* The index as bytes for other ranks (h3d_free), and back. */
void h3d_index_pack(const h3d_index *x, void **bytes, size_t *n);
void h3d_index_unpack(h3d_index *x, const void *bytes, size_t n);
/* Hash of what a training can see: all but the command, the version, paths
 * and how samples are spread over shards.
 */
uint64_t h3d_index_identity(const h3d_index *x);

/* A shard, opened and compared with the index; borrowed until 64 others were
 * asked for. */
h3d_status h3d_dataset_shard(h3d_dataset *d, int64_t shard, h3d_h5 **out);

h3d_h5_type h3d_elem_h5(h3d_elem e);

/* Chunks of a volume along each axis (the last may be cut short), and of all
 * three: numbered w fastest.
 */
int64_t h3d_chunk_counts(const h3d_dataset_info *info, int64_t counts[3]);
/* Box of chunk i, clipped to the volume. */
void h3d_chunk_box(const h3d_dataset_info *info, int64_t i, int64_t start[3],
                   int64_t len[3]);
size_t h3d_chunk_bytes(const h3d_dataset_info *info);
/* xxh64 (seed 0) of the voxels [c][d][h][w] of chunk i, taken from a box
 * [c][...] that starts at start and has extents len and holds the chunk.
 * scratch: h3d_chunk_bytes.
 */
uint64_t h3d_chunk_hash(const h3d_dataset_info *info, int64_t i,
                        const int64_t start[3], const int64_t len[3],
                        const void *box, void *scratch);

#endif /* H3D_IO_DATASET_IMPL_H */
