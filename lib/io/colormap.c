#include "config.h"

#include "io/colormap.h"

#include <math.h>
#include <string.h>

enum { POINTS = 10 };

struct h3d_colormap {
  const char *name;
  uint32_t nan;
  int points;
  uint32_t at[POINTS]; /* 0xRRGGBB, evenly spaced */
};

static const h3d_colormap maps[] = {
  { "gray", 0xff00ff, 2, { 0x000000, 0xffffff } },
  { "viridis",
    0x808080,
    POINTS,
    { 0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779,
      0x6ece58, 0xb5de2b, 0xfde725 } },
  { "magma",
    0x808080,
    POINTS,
    { 0x000004, 0x180f3d, 0x440f76, 0x721f81, 0x9e2f7f, 0xcd4071, 0xf1605d,
      0xfd9668, 0xfeca8d, 0xfcfdbf } },
  { "inferno",
    0x808080,
    POINTS,
    { 0x000004, 0x1b0c41, 0x4a0c6b, 0x781c6d, 0xa52c60, 0xcf4446, 0xed6925,
      0xfb9b06, 0xf7d13d, 0xfcffa4 } },
  { "bluered",
    0x808080,
    5,
    { 0x1f3a93, 0x6fa8dc, 0xf7f7f7, 0xe08060, 0x8e1b1b } },
};

h3d_status
h3d_colormap_find(const char *name, const h3d_colormap **out)
{
  for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
    if (strcmp(maps[i].name, name) == 0) {
      *out = &maps[i];
      return H3D_OK;
    }
  }
  return h3d_fail(H3D_ERR_USAGE,
                  "colormap \"%s\" is not known: choose gray, viridis, magma, "
                  "inferno or bluered",
                  name);
}

static uint8_t
byte_of(uint32_t colour, int c)
{
  return (uint8_t)(colour >> (16 - 8 * c) & 255);
}

void
h3d_colormap_at(const h3d_colormap *m, double x, uint8_t rgb[3])
{
  const double place = (x < 0   ? 0
                        : x > 1 ? 1
                                : x)
                       * (m->points - 1); /* NaN stays */
  const int i = isnan(place) ? 0 : (int)fmin(place, m->points - 2);

  for (int c = 0; c < 3; c++) {
    const double low = byte_of(m->at[i], c), high = byte_of(m->at[i + 1], c);

    rgb[c] = isnan(place) ? byte_of(m->nan, c)
                          : (uint8_t)lround(low + (high - low) * (place - i));
  }
}
