/* render.h: planes of numbers as one picture.
 *
 * Panels in rows and columns with the same limits, axes in physical units
 * (origin at the lower left), one colour bar, a title.
 */
#ifndef H3D_INFER_RENDER_H
#define H3D_INFER_RENDER_H

#include "base/status.h"
#include "io/colormap.h"

#include <stdint.h>

typedef struct h3d_picture {
  const char *title, *subtitle;
  int rows, columns; /* of panels; rows * columns >= panels */
  int panels;
  char *const *panel_title; /* [panels] */
  int64_t height, width;    /* voxels of a panel */
  const float *value;       /* [panels][height][width] */
  const char *axis[2];      /* "h", "w": names of height and width */
  double spacing[2];        /* of a voxel along them */
  const char *unit;         /* of the spacing; "": axes count voxels */
  int log;                  /* 1: colours follow log(1 + value) */
  double low, high;         /* limits; low >= high: those of the values */
  const h3d_colormap *colormap;
  const char *value_label; /* beside the colour bar */
  int scale;               /* pixels per voxel; 0: chosen */
} h3d_picture;

/* As a PNG, see h3d_png_write.  Values that are not finite, and those below
 * -1 under log, get the map's colour for NaN.  Refuses (H3D_ERR_SHAPE) a
 * picture too large for the format.
 */
h3d_status h3d_render(const h3d_picture *p, const char *path);

#endif /* H3D_INFER_RENDER_H */
