/* cosmoflow.h: the HDF5 files of the public CosmoFlow dataset.
 *
 * One universe per file: `full` (d,h,w,c), a channel per redshift, channel
 * last; `unitPar` [p] in [-1,1]; `physPar` [p], `namePar` [p] and `redshifts`
 * [c] where the writer gave them; attribute `boxsize` (and `boxsize_unit`).
 * A file whose first axis is the short one, or with the attribute
 * `axes` = "c d h w", is (c,d,h,w), as other tools rewrite it.
 * Mathuriya et al., SC18 (arXiv 1808.04728).  Not collective.
 */
#ifndef H3D_IO_COSMOFLOW_H
#define H3D_IO_COSMOFLOW_H

#include "base/status.h"
#include "io/h5.h"

typedef struct h3d_cosmoflow {
  int64_t extent[3]; /* D H W */
  int channels, channel_first;
  h3d_h5_type type; /* of `full` */
  int params;       /* 0: no unitPar */
  double *unit;     /* [params] */
  double *phys;     /* [params], or NULL */
  char **name;      /* [params], or NULL */
  double *redshift; /* [channels], or NULL */
  double box;       /* side in box_unit, 0 when unknown */
  char *box_unit;   /* "" when unknown */
  h3d_h5 *file;
} h3d_cosmoflow;

/* H3D_ERR_FILE names the file and what is missing or does not fit: no `full`,
 * not four axes, no telling which is the channel's, lengths that differ.
 */
h3d_status h3d_cosmoflow_open(const char *path, h3d_cosmoflow **out);
void h3d_cosmoflow_close(h3d_cosmoflow **f);

/* The box [start, start+len) (D H W) of all channels as [c][d][h][w] of type
 * into out.
 */
h3d_status h3d_cosmoflow_read(const h3d_cosmoflow *f, const int64_t start[3],
                              const int64_t len[3], void *out);

/* Which of four axes is the channel's?  1: the first, 0: the last, -1: cannot
 * be told.  The channel's axis is the one that is at most 16 and shorter than
 * all others.
 */
int h3d_channel_is_first(const int64_t shape[4]);

/* The affine map phys = offset + scale * unit through n pairs, taken from the
 * two whose units differ most.  *error: the largest misfit of all pairs, in
 * units of |scale|.  Returns 0 if all units are one (offset 0, scale 1 then).
 */
int h3d_affine_fit(int64_t n, const double *unit, const double *phys,
                   double *offset, double *scale, double *error);

#endif /* H3D_IO_COSMOFLOW_H */
