/* png.h: 8-bit pictures, gray or RGB. */
#ifndef H3D_IO_PNG_H
#define H3D_IO_PNG_H

#include "base/status.h"

#include <stdint.h>

/* Write pixels[height][width][colours], colours 1 (gray) or 3 (RGB, sRGB),
 * top row first.  The file gets its name only when complete: PATH.part is
 * written, synced and renamed, replacing what was there.  H3D_ERR_FILE when
 * the disk will not have it; H3D_ERR_SHAPE for a width or height below 1 or
 * above 32767.
 */
h3d_status h3d_png_write(const char *path, int width, int height, int colours,
                         const uint8_t *pixels);

/* Read one as it was written (alpha dropped on white, palettes and 16 bits
 * turned into RGB or gray of 8).  The caller frees *pixels with h3d_free.
 * H3D_ERR_FILE: missing or no PNG.
 */
h3d_status h3d_png_read(const char *path, int *width, int *height,
                        int *colours, uint8_t **pixels);

#endif /* H3D_IO_PNG_H */
