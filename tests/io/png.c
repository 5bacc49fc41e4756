/* Pictures come back as they went; nothing half-made has a name. */
#include "config.h"

#include "base/mem.h"
#include "io/png.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

TAP_RANKS("1")

static const char path[] = "test-io-png.png";
static const char part[] = "test-io-png.png.part";

static void
test_round_trip(int width, int height, int colours)
{
  const size_t bytes = (size_t)(width * height * colours);
  uint8_t *pixels = h3d_new(bytes, 1), *back;
  int w, h, c;

  for (size_t i = 0; i < bytes; i++) {
    pixels[i] = (uint8_t)(i * 37 + i / 7);
  }
  ok(h3d_png_write(path, width, height, colours, pixels) == H3D_OK,
     "%d x %d x %d is written", width, height, colours);
  ok(access(part, F_OK) != 0, "no unfinished file stays");
  const h3d_status st = h3d_png_read(path, &w, &h, &c, &back);
  ok(st == H3D_OK && w == width && h == height && c == colours
       && memcmp(pixels, back, bytes) == 0,
     "and comes back the same");
  h3d_free(back);
  h3d_free(pixels);
}

static void
test_refusals(void)
{
  uint8_t pixel[3] = { 0 }, *back;
  int w, h, c;
  FILE *f;

  ok(h3d_png_write("no/such/folder.png", 1, 1, 3, pixel) == H3D_ERR_FILE
       && strstr(h3d_why(), "no/such/folder.png") != NULL,
     "no folder: refused by name");
  ok(h3d_png_write(path, 40000, 1, 3, pixel) == H3D_ERR_SHAPE,
     "40000 pixels wide: refused");
  ok(h3d_png_read("nothing.png", &w, &h, &c, &back) == H3D_ERR_FILE
       && back == NULL,
     "a missing file is refused");
  f = fopen(path, "wb");
  fputs("no picture", f);
  fclose(f);
  ok(h3d_png_read(path, &w, &h, &c, &back) == H3D_ERR_FILE && back == NULL,
     "so is one that is no PNG");
  remove(path);
}

void
tap_main(void)
{
  test_round_trip(1, 1, 1);
  test_round_trip(31, 17, 1);
  test_round_trip(17, 31, 3);
  test_refusals();
}
