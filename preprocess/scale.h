/* scale.h: voxels from a source's type to a dataset's, and their statistics.
 *
 * Pure functions of one rank's memory.
 */
#ifndef H3D_PREPROCESS_SCALE_H
#define H3D_PREPROCESS_SCALE_H

#include "base/status.h"
#include "io/dataset.h"
#include "io/h5.h"

#include <mpi.h>

/* What numbers were met: which dataset types can hold them. */
typedef struct h3d_scale_range {
  double min, max;
  int32_t integer;   /* all are whole numbers */
  int32_t single;    /* float32 holds all without change */
  int32_t nonfinite; /* NaN or Inf is among them */
} h3d_scale_range;

/* No number so far; then widen by n numbers of type at x, or by another range.
 */
h3d_scale_range h3d_scale_none(void);
void h3d_scale_widen(h3d_scale_range *r, h3d_h5_type type, int64_t n,
                     const void *x);
void h3d_scale_join(h3d_scale_range *r, const h3d_scale_range *other);

/* A type's own range where no look at the numbers is needed: those that
 * datasets have, and int8.  1 if so.
 */
int h3d_scale_known(h3d_h5_type type, h3d_scale_range *r);

/* The narrowest dataset type for these numbers: uint8 only if all files are,
 * int16 for whole numbers that fit, else float32.  *rounded: 1 when float64
 * numbers lose digits there.  H3D_ERR_FILE (text names what) for integers that
 * float32 would change, and for NaN or Inf.
 */
h3d_status h3d_scale_choose(const h3d_scale_range *r, int all_u8, int is_real,
                            const char *text, h3d_elem *elem, int *rounded);

/* n numbers of type at in as elem at out; they must fit. */
void h3d_scale_convert(h3d_h5_type type, h3d_elem elem, int64_t n,
                       const void *in, void *out);

/* One channel of one sample, under each recipe: mean and summed squared
 * deviation of the transformed voxels.
 */
typedef struct h3d_scale_sum {
  int64_t count;
  double min, max; /* untransformed; both recipes keep order */
  double mean[2], m2[2];
} h3d_scale_sum;

/* Of n voxels of elem.  log1p's entries are NaN when a voxel is -1 or less.
 * H3D_ERR_FILE if a voxel is NaN or Inf (text names the file).
 */
h3d_status h3d_scale_sum_up(h3d_elem elem, int64_t n, const void *x,
                            const char *text, h3d_scale_sum *sum);

/* The sums of a sample's channels from its pieces, in any order, on any ranks,
 * to the same bits: whole numbers are counted by value, for others the sums of
 * chunks are combined in the chunks' order.
 */
typedef struct h3d_scale_tally h3d_scale_tally;
h3d_scale_tally *h3d_scale_tally_new(h3d_elem elem, int channels,
                                     int64_t chunks);
void h3d_scale_tally_free(h3d_scale_tally **t);
void h3d_scale_tally_clear(h3d_scale_tally *t); /* for the next sample */
/* n voxels of a channel, all those of a chunk (whole numbers: any).  Refuses
 * like h3d_scale_sum_up.
 */
h3d_status h3d_scale_tally_add(h3d_scale_tally *t, int64_t chunk, int channel,
                               int64_t n, const void *x, const char *text);
/* Collective over comm: what all ranks added, to everyone. */
void h3d_scale_tally_join(h3d_scale_tally *t, MPI_Comm comm);
/* sum [channels] */
void h3d_scale_tally_sums(const h3d_scale_tally *t, h3d_scale_sum *sum);

/* Combine n sums in the order given (Chan, Golub, LeVeque 1979): the same bits
 * for the same order, whoever computed the sums.
 */
h3d_channel_stats h3d_scale_combine(const h3d_scale_sum *const *sum, int64_t n,
                                    h3d_recipe recipe);

#endif /* H3D_PREPROCESS_SCALE_H */
