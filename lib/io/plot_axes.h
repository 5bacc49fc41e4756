/* plot_axes.h: a frame with numbers, and where a value lies in it. */
#ifndef H3D_IO_PLOT_AXES_H
#define H3D_IO_PLOT_AXES_H

#include "io/plot_canvas.h"

#include <stdint.h>

enum { H3D_AXES_FONT = 14 };

typedef struct h3d_axes {
  double left, top, width, height; /* of the frame, pixels */
  double low[2], high[2];          /* values at its edges: x, y */
  int log;                         /* 1: y is logarithmic */
  const char *label[2];            /* NULL: neither label nor numbers */
} h3d_axes;

/* A range from nothing: h3d_axes_grow widens it to hold finite values (only
 * positive ones when positive is 1), h3d_axes_round gives it a margin on both
 * sides, a twentieth (a factor when log), and makes it one if it is none.
 */
void h3d_axes_none(double *low, double *high);
void h3d_axes_grow(double *low, double *high, int64_t n, const double *v,
                   int positive);
void h3d_axes_round(double *low, double *high, int log);

/* Pixel of a value; NaN stays NaN. */
double h3d_axes_x(const h3d_axes *a, double v);
double h3d_axes_y(const h3d_axes *a, double v);

/* Grid lines, frame, numbers, labels. */
void h3d_axes_draw(const h3d_axes *a, h3d_canvas *c);

/* Lines of text in a box with its top left corner at (x, y). */
void h3d_axes_note(h3d_canvas *c, double x, double y, int lines,
                   const char *const *line);

#endif /* H3D_IO_PLOT_AXES_H */
