/* plot_canvas.h: a white sheet to draw on.
 *
 * Pixels from the top left corner; lengths may be fractions.  Colours are
 * 0xRRGGBB.  The only header through which cairo is used.
 */
#ifndef H3D_IO_PLOT_CANVAS_H
#define H3D_IO_PLOT_CANVAS_H

#include "base/status.h"

#include <stdint.h>

typedef struct h3d_canvas h3d_canvas;

typedef enum h3d_align { H3D_LEFT, H3D_CENTRE, H3D_RIGHT } h3d_align;

/* H3D_ERR_SHAPE for extents outside 1..32767, H3D_ERR_MEMORY. */
h3d_status h3d_canvas_new(int width, int height, h3d_canvas **out);
void h3d_canvas_free(h3d_canvas **c);

/* As a PNG, see h3d_png_write. */
h3d_status h3d_canvas_write(h3d_canvas *c, const char *path);

/* For everything drawn from now on.  opacity 0 to 1. */
void h3d_canvas_colour(h3d_canvas *c, uint32_t rgb, double opacity);

/* Only inside this box, until h3d_canvas_unclip. */
void h3d_canvas_clip(h3d_canvas *c, double x, double y, double w, double h);
void h3d_canvas_unclip(h3d_canvas *c);

/* dash 0: solid; else the length of dashes and gaps. */
void h3d_canvas_line(h3d_canvas *c, double x0, double y0, double x1, double y1,
                     double width, double dash);
/* Through n points; a NaN or infinite coordinate interrupts. */
void h3d_canvas_path(h3d_canvas *c, int64_t n, const double *x,
                     const double *y, double width, double dash);
/* width 0: filled. */
void h3d_canvas_box(h3d_canvas *c, double x, double y, double w, double h,
                    double width);
void h3d_canvas_dot(h3d_canvas *c, double x, double y, double radius);

/* One line of UTF-8.  (x, y): on the base line, at its left, centre or
 * right.  size: pixels of the font.  up 1: turned to read from below.
 */
void h3d_canvas_text(h3d_canvas *c, double x, double y, double size,
                     h3d_align align, int bold, int up, const char *text);
double h3d_canvas_text_width(h3d_canvas *c, double size, int bold,
                             const char *text);

/* rgb[rows][columns][3] with its corner at pixel (x, y), each value a square
 * of scale x scale pixels, sharp.  x, y >= 0; cut off at the far edges.
 */
void h3d_canvas_image(h3d_canvas *c, int x, int y, int64_t columns,
                      int64_t rows, int scale, const uint8_t *rgb);

#endif /* H3D_IO_PLOT_CANVAS_H */
