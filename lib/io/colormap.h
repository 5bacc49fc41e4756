/* colormap.h: numbers from 0 to 1 as colours.
 *
 * viridis, magma and inferno are S. van der Walt's and N. Smith's maps (in
 * the public domain, CC0): ten of their colours, straight lines in sRGB
 * between.  Their lightness rises evenly, so that they also read in gray.
 * "bluered" runs from blue over white to red, for differences about 0.
 */
#ifndef H3D_IO_COLORMAP_H
#define H3D_IO_COLORMAP_H

#include "base/status.h"

#include <stdint.h>

typedef struct h3d_colormap h3d_colormap;

/* By name: gray, viridis, magma, inferno, bluered.  H3D_ERR_USAGE with the
 * names for any other.  Borrowed for ever.
 */
h3d_status h3d_colormap_find(const char *name, const h3d_colormap **out);

/* The colour of x; below 0 is 0, above 1 is 1.  NaN is no colour of a map:
 * a middle gray, or magenta in the gray map.
 */
void h3d_colormap_at(const h3d_colormap *m, double x, uint8_t rgb[3]);

#endif /* H3D_IO_COLORMAP_H */
