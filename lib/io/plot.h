/* plot.h: the two figures that a run has, as PNG.
 *
 * Plain arrays in, a file out; nothing is kept.  Numbers that are NaN or
 * infinite are left out.  The file gets its name only when complete, replacing
 * what was there.  Not collective: one rank draws.
 */
#ifndef H3D_IO_PLOT_H
#define H3D_IO_PLOT_H

#include "base/status.h"

#include <stdint.h>

/* Prediction against truth for one parameter: a square with equal axes and
 * the line of equality, below it the residual against truth with the mean
 * and deviation in nine bins, which shows regression to the mean.
 */
typedef struct h3d_scatter {
  const char *name;                /* "Omega_m": title and axes */
  const char *unit;                /* "" when it has none */
  int64_t n;                       /* points */
  const double *truth, *predicted; /* [n], physical */
  const double *sigma;             /* [n], drawn as error bars; NULL: none */
  int notes;                       /* lines of text in the corner */
  const char *const *note;
} h3d_scatter;

/* Panels side by side (1 to 16) under one title.  H3D_ERR_FILE,
 * H3D_ERR_SHAPE for another number of panels.
 */
h3d_status h3d_plot_scatter(const char *path, const char *title, int panels,
                            const h3d_scatter *panel);

typedef struct h3d_series {
  const char *name; /* in the legend */
  int64_t n;
  const double *x, *y; /* [n] */
  int dashed;
} h3d_series;

/* Several series against one axis.  log 1: a logarithmic y axis, on which
 * values <= 0 are left out; taken as 0 where no value is positive.
 */
typedef struct h3d_curves {
  const char *title, *xlabel, *ylabel;
  int log;
  int series; /* at most 8 */
  const h3d_series *curve;
  double mark;           /* a vertical line at this x; NaN: none */
  const char *mark_name; /* in the legend */
} h3d_curves;

/* Panels one below the other (1 to 16).  Refuses as h3d_plot_scatter does. */
h3d_status h3d_plot_curves(const char *path, int panels,
                           const h3d_curves *panel);

#endif /* H3D_IO_PLOT_H */
