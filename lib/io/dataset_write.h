/* dataset_write.h: writing an h3d dataset.
 *
 * Every rank writes shards of its own, or all ranks write each shard together,
 * where samples are too large for one rank.  All ranks together finish: the
 * samples of rank 0 come first in the index, then those of rank 1, each in the
 * order in which they were added.  All is written to the folder .part in the
 * dataset's and moved out of it at the end, index.h5 last: a folder with an
 * index is whole, and an old dataset stays until the new one is.
 */
#ifndef H3D_IO_DATASET_WRITE_H
#define H3D_IO_DATASET_WRITE_H

#include "io/dataset.h"

typedef struct h3d_dataset_writer h3d_dataset_writer;

typedef struct h3d_dataset_options {
  int force;          /* 1: replace a dataset that is there */
  int deflate;        /* 1..9; 0: no compression */
  int together;       /* 1: all ranks write each sample together */
  const char *record; /* lines that say what it is made of; NULL: none */
  int resume;         /* 1: go on; h3d_dataset_may_resume said that it goes */
} h3d_dataset_options;

/* Spatial chunk extents for volumes [channels][d][h][w] of elem.
 *
 * Per axis of extent n: n/8, else n/4, else n/2, the first that is whole and
 * at least 8, so that as many parts read whole chunks; else the larger of 8
 * and n/8 rounded up; n itself below 16.  Then the last axes are doubled while
 * a chunk of all channels has less than 16 KiB, and the first are halved while
 * it has more than 2 MiB.
 */
void h3d_dataset_choose_chunk(const int64_t extent[3], int channels,
                              h3d_elem elem, int64_t chunk[3]);

/* May path become a dataset?  Yes when nothing is there or an empty folder,
 * or, with force, an h3d dataset, finished or not.  One rank.  H3D_ERR_FILE
 * names what is in the way and the way out.
 */
h3d_status h3d_dataset_may_create(const char *path, int force);

/* What is at path for one who wants to go on?  One rank.  An unfinished
 * dataset must have been begun with the same record; H3D_ERR_USAGE names the
 * first line that differs.  One that is whole must have the same command.
 */
typedef enum h3d_resume {
  H3D_RESUME_NOTHING, /* or nothing to go on with */
  H3D_RESUME_PART,
  H3D_RESUME_WHOLE
} h3d_resume;
h3d_status h3d_dataset_may_resume(const char *path, const char *record,
                                  const char *command, h3d_resume *what);

/* Collective over comm.  plan is borrowed until the writer is gone and says
 * samples (of all ranks), channels, names, extent, chunk (all 0: chosen; the
 * choice is in h3d_dataset_writer_chunk), elem, spacing, targets and command;
 * its samples, statistics and recipe are not looked at.  mine: how many
 * samples this rank will add; over all ranks they sum to plan->samples;
 * written together, all of them on every rank. Makes the folder, which an old
 * dataset keeps for the time being.
 */
h3d_status h3d_dataset_create(MPI_Comm comm, const char *path,
                              const h3d_dataset_info *plan, int64_t mine,
                              const h3d_dataset_options *options,
                              h3d_dataset_writer **out);
const int64_t *h3d_dataset_writer_chunk(const h3d_dataset_writer *w);

/* Write one sample: volume [c][d][h][w] of elem, target [targets] (normalised;
 * NULL without targets), geometry [4][4] voxel to world, rows first (NULL: the
 * spacing on the diagonal).  Of s, id, source, family and subset are copied.
 * Not collective: on failure, agree and abandon.
 */
h3d_status h3d_dataset_add(h3d_dataset_writer *w, const h3d_sample *s,
                           const void *volume, const float *target,
                           const double *geometry);

/* Going on: 1 if the next sample lies in a shard that is complete.  Then, in
 * place of writing it, a box of whole chunks is read back, [c][d][h][w] of
 * elem, and the sample kept.  Not collective.  H3D_ERR_FILE names the shard
 * where it is damaged or another sample's, and the way out.
 */
int h3d_dataset_is_kept(h3d_dataset_writer *w);
h3d_status h3d_dataset_read_kept(h3d_dataset_writer *w, const int64_t start[3],
                                 const int64_t len[3], void *out);
h3d_status h3d_dataset_keep(h3d_dataset_writer *w, const h3d_sample *s,
                            const float *target);

/* The same where all ranks write each sample together.  Collective over comm,
 * and the status is that of all ranks.  First boxes of the next sample, one
 * per rank and call, of whole chunks that no other box has, as [c][d][h][w],
 * below 1 GiB; len[0] 0: none from this rank.  Then what h3d_dataset_add gets
 * beside the volume, the same on all ranks.
 */
h3d_status h3d_dataset_put(h3d_dataset_writer *w, const int64_t start[3],
                           const int64_t len[3], const void *box);
h3d_status h3d_dataset_end_sample(h3d_dataset_writer *w, const h3d_sample *s,
                                  const float *target, const double *geometry);

/* Collective.  stats [channels] and the recipe go into the index, rank 0's
 * count; an old dataset goes.  *w is NULL afterwards; on failure what was
 * written is removed and the old one stays.
 * H3D_ERR_USAGE if two samples have one id.
 */
h3d_status h3d_dataset_finish(h3d_dataset_writer **w, h3d_recipe recipe,
                              int standardize, const h3d_channel_stats *stats);

/* Collective.  Remove all that was written; of one who went on, complete
 * shards and the record stay.  NULL is allowed.
 */
void h3d_dataset_abandon(h3d_dataset_writer **w);

#endif /* H3D_IO_DATASET_WRITE_H */
