/* convert.h: raw files into a dataset. */
#ifndef H3D_PREPROCESS_CONVERT_H
#define H3D_PREPROCESS_CONVERT_H

#include "io/dataset_write.h"
#include "survey.h"
#include "targets.h"

typedef enum h3d_normalize {
  H3D_NORMALIZE_AUTO, /* log1p for counts, none for others */
  H3D_NORMALIZE_NONE,
  H3D_NORMALIZE_LOG1P, /* log(1 + x), then mean 0 and deviation 1 */
  H3D_NORMALIZE_ZSCORE /* mean 0 and deviation 1 */
} h3d_normalize;
/* H3D_ERR_USAGE for another word. */
h3d_status h3d_normalize_parse(const char *word, h3d_normalize *n);

/* How a sample is converted by all ranks together: boxes of whole chunks, in
 * turn to each rank.
 */
typedef struct h3d_convert_pieces {
  int64_t box[3];    /* voxels, D H W */
  int64_t counts[3]; /* boxes along each axis */
  int64_t n;         /* all of them; 0: each sample is one rank's */
} h3d_convert_pieces;

typedef struct h3d_convert {
  const h3d_inputs *in; /* all borrowed */
  const h3d_survey *survey;
  const h3d_targets *targets;
  const h3d_subset *subset; /* [in->n] */
  int64_t cube;             /* side of the sub-volumes; 0: whole volumes */
  int64_t chunk[3];         /* voxels */
  h3d_convert_pieces pieces;
  h3d_normalize normalize;
  const char *out, *command;
  h3d_dataset_options options;
} h3d_convert;

/* Sub-volumes in a volume, and all samples. */
int64_t h3d_convert_cubes(const h3d_convert *c);
int64_t h3d_convert_samples(const h3d_convert *c);
/* Numbers in a sample, all channels; bytes of one in the widest of the files.
 */
int64_t h3d_convert_numbers(const h3d_convert *c);
int64_t h3d_convert_raw_size(const h3d_convert *c);
/* Extents of a sample; bytes of all volumes; bytes of memory per rank. */
void h3d_convert_extent(const h3d_convert *c, int64_t extent[3]);
int64_t h3d_convert_disk(const h3d_convert *c);
int64_t h3d_convert_memory(const h3d_convert *c);
/* Choose the chunk unless it is there: c->chunk[0] 0. */
void h3d_convert_choose_chunk(h3d_convert *c);
/* Fill in c->pieces for ranks that may take memory bytes each: none, where a
 * whole sample fits, unless always.  H3D_ERR_MEMORY where not even a chunk
 * fits, with the memory that it takes.
 */
h3d_status h3d_convert_choose_pieces(h3d_convert *c, int ranks, double memory,
                                     int always);

/* H3D_ERR_SHAPE if cubes do not fill the volumes, with sides that do, or if
 * chunks are larger than samples.
 */
h3d_status h3d_convert_check(const h3d_convert *c);

/* Collective over comm: write the dataset.  Each rank converts a range of the
 * samples, or all ranks pieces of each; order, ids, statistics and identity do
 * not depend on the number of ranks.  Refuses by name NaN or Inf, a voxel of
 * -1 or less under log1p, a channel that never varies where it must be divided
 * by its deviation.  On failure nothing of it is left.
 */
h3d_status h3d_convert_run(MPI_Comm comm, const h3d_convert *c);

#endif /* H3D_PREPROCESS_CONVERT_H */
