/* Ends, steps and lightness of the maps. */
#include "config.h"

#include "io/colormap.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TAP_RANKS("1")

static double
lightness(const uint8_t rgb[3])
{
  static const double weight[3] = { 0.2126, 0.7152, 0.0722 };
  double sum = 0;

  for (int c = 0; c < 3; c++) {
    sum += weight[c] * pow(rgb[c] / 255., 2.2);
  }
  return sum;
}

static void
test_map(const char *name, const uint8_t first[3], const uint8_t last[3],
         int rises)
{
  const h3d_colormap *m;
  uint8_t rgb[3], before[3];
  int jumps = 0, falls = 0;

  ok(h3d_colormap_find(name, &m) == H3D_OK, "there is %s", name);
  h3d_colormap_at(m, -3, before);
  ok(memcmp(before, first, 3) == 0, "%s: its first colour, also below 0",
     name);
  for (int i = 1; i <= 1000; i++) {
    h3d_colormap_at(m, i / 1000., rgb);
    for (int c = 0; c < 3; c++) {
      jumps += abs(rgb[c] - before[c]) > 2;
    }
    falls += lightness(rgb) < lightness(before) - 2e-3;
    memcpy(before, rgb, 3);
  }
  h3d_colormap_at(m, 7, rgb);
  ok(memcmp(rgb, last, 3) == 0, "%s: its last colour, also above 1", name);
  ok(jumps == 0, "%s: no jumps", name);
  ok(!rises || falls == 0, "%s: never darker on the way up", name);
}

void
tap_main(void)
{
  static const uint8_t ends[5][2][3] = {
    { { 0, 0, 0 }, { 255, 255, 255 } },
    { { 0x44, 0x01, 0x54 }, { 0xfd, 0xe7, 0x25 } },
    { { 0, 0, 4 }, { 0xfc, 0xfd, 0xbf } },
    { { 0, 0, 4 }, { 0xfc, 0xff, 0xa4 } },
    { { 0x1f, 0x3a, 0x93 }, { 0x8e, 0x1b, 0x1b } },
  };
  static const char *const name[5]
    = { "gray", "viridis", "magma", "inferno", "bluered" };
  const h3d_colormap *m;
  uint8_t rgb[3];

  for (int i = 0; i < 5; i++) {
    test_map(name[i], ends[i][0], ends[i][1], i < 4);
  }
  h3d_colormap_find("gray", &m);
  h3d_colormap_at(m, 0.5, rgb);
  ok(rgb[0] == 128 && rgb[1] == 128 && rgb[2] == 128, "gray: half is half");
  h3d_colormap_at(m, (double)NAN, rgb);
  ok(rgb[0] != rgb[1], "NaN is no gray");
  ok(h3d_colormap_find("jet", &m) == H3D_ERR_USAGE && strstr(h3d_why(), "jet")
       && strstr(h3d_why(), "viridis"),
     "jet is refused, with what there is");
}
