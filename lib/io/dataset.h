/* dataset.h: the h3d dataset, a folder with an index and shards.
 *
 * share/doc/format.md says what is in the files.  This header is the reading
 * side; dataset_write.h is the writing side.  Reading uses the POSIX driver,
 * each rank its own hyperslab, and no collective call after opening.
 */
#ifndef H3D_IO_DATASET_H
#define H3D_IO_DATASET_H

#include "base/status.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* How a voxel is stored. */
typedef enum h3d_elem { H3D_ELEM_I16, H3D_ELEM_U8, H3D_ELEM_F32 } h3d_elem;
size_t h3d_elem_size(h3d_elem e);
const char *h3d_elem_name(h3d_elem e); /* "int16", "uint8", "float32" */

typedef enum h3d_subset {
  H3D_SUBSET_TRAIN,
  H3D_SUBSET_VALIDATION,
  H3D_SUBSET_TEST,
  H3D_SUBSETS
} h3d_subset;
const char *h3d_subset_name(h3d_subset s); /* "train", "validation", "test" */

/* How voxels become network input; the dataset stores them as they were. */
typedef enum h3d_recipe {
  H3D_RECIPE_NONE, /* the number itself */
  H3D_RECIPE_LOG1P /* log(1 + x); what MLPerf CosmoFlow does */
} h3d_recipe;
const char *h3d_recipe_name(h3d_recipe r); /* "none", "log1p" */

/* Per channel, over the transformed voxels of the training subset. */
typedef struct h3d_channel_stats {
  double mean, dev; /* dev: population standard deviation */
  double min, max;
  int64_t count, nans;
} h3d_channel_stats;

typedef struct h3d_sample {
  char *id, *source; /* unique name; the file that it came from */
  int32_t shard;
  int64_t row;    /* in the shard */
  int64_t family; /* samples never split between subsets */
  h3d_subset subset;
  uint64_t content; /* hash of its voxels (by chunk) and targets */
} h3d_sample;

/* All that the index says.  Pointers belong to the dataset. */
typedef struct h3d_dataset_info {
  int64_t samples;
  h3d_sample *sample; /* [samples], in index order */
  int channels;
  char **channel_name; /* [channels], "z=0.5" */
  int64_t extent[3];   /* D H W of every sample, in voxels */
  int64_t chunk[3];    /* spatial extents of a chunk */
  h3d_elem elem;
  double spacing[3];  /* of a voxel, D H W */
  char *spacing_unit; /* "Mpc/h", "mm", "" when unknown */
  int targets;        /* 0: none */
  char **target_name; /* [targets] */
  char **target_unit; /* [targets], "" when it has none */
  double *target_offset,
    *target_scale; /* physical = offset + scale * target */
  h3d_recipe recipe;
  int standardize;          /* 1: (value - mean) / dev after the recipe */
  h3d_channel_stats *stats; /* [channels] */
  char *command, *version;  /* that wrote it */
  uint64_t identity; /* hash of the index's contents; checkpoints keep it */
} h3d_dataset_info;

typedef struct h3d_dataset h3d_dataset;

/* Collective over comm: rank 0 reads the index, everyone gets it.  Refuses
 * (naming the file) a missing or unfinished dataset, an unknown h3d_format, a
 * damaged index.  Shards are opened when first read.
 */
h3d_status h3d_dataset_open(MPI_Comm comm, const char *path,
                            h3d_dataset **out);
void h3d_dataset_close(h3d_dataset **d);
const h3d_dataset_info *h3d_dataset_about(const h3d_dataset *d);

/* The box [start, start+len) (D H W) of all channels of a sample, as
 * [c][d][h][w] of elem into out.  Chunks that lie in the box with all their
 * voxels are checked against their checksums.  Not collective; one thread at a
 * time.  Refuses by name a missing or truncated shard, one that the index does
 * not mean, a chunk with another checksum; H3D_ERR_SHAPE for a box that is not
 * in the volume.
 */
h3d_status h3d_dataset_read(h3d_dataset *d, int64_t sample,
                            const int64_t start[3], const int64_t len[3],
                            void *out);
/* The targets of a sample, [targets].  Not collective. */
h3d_status h3d_dataset_read_target(h3d_dataset *d, int64_t sample, float *out);

/* Read amplification of an axis of n voxels in chunks of chunk, cut evenly
 * into parts that each read their own voxels once: voxels of the chunks that
 * they touch, cut off at the axis's end, over n.  1: every part reads whole
 * chunks. That of a grid is the product over its axes.
 */
double h3d_dataset_amplification(int64_t n, int64_t chunk, int parts);
/* "1.00 1.25 ...", for 2 to 8 parts. */
enum { H3D_AMPLIFICATION_TEXT = 64 };
void h3d_dataset_amplification_text(int64_t n, int64_t chunk,
                                    char text[H3D_AMPLIFICATION_TEXT]);

/* All of a sample against the index and itself: its shard, its row's name, the
 * hash of targets and checksums, every chunk's checksum; targets and voxels
 * that are no finite numbers.  volume: room for one sample, [c][d][h][w].  Not
 * collective.  H3D_ERR_FILE names file, sample, chunk or voxel. */
h3d_status h3d_dataset_check(h3d_dataset *d, int64_t sample, void *volume);

/* Bytes of voxels asked for so far, and bytes of the chunks that they touched
 * (read amplification = second / first). */
void h3d_dataset_traffic(const h3d_dataset *d, int64_t *asked,
                         int64_t *touched);

#endif /* H3D_IO_DATASET_H */
