/* Chunks are chosen as the header says. */
#include "config.h"

#include "io/dataset_write.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1")

static void
test_chunks(void)
{
  static const struct {
    int64_t extent[3], chunk[3];
    int channels;
    h3d_elem elem;
  } cases[] = {
    { { 64, 64, 64 }, { 8, 16, 16 }, 4, H3D_ELEM_I16 },
    { { 128, 128, 128 }, { 16, 16, 16 }, 4, H3D_ELEM_I16 },
    { { 512, 512, 512 }, { 64, 64, 64 }, 4, H3D_ELEM_I16 },
    { { 512, 512, 512 }, { 32, 64, 64 }, 4, H3D_ELEM_F32 },
    { { 100, 12, 181 }, { 50, 12, 46 }, 1, H3D_ELEM_U8 },
    { { 3, 3, 3 }, { 3, 3, 3 }, 1, H3D_ELEM_U8 },
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int64_t chunk[3];

    h3d_dataset_choose_chunk(cases[i].extent, cases[i].channels, cases[i].elem,
                             chunk);
    ok(memcmp(chunk, cases[i].chunk, sizeof chunk) == 0,
       "chunks of %dx%dx%d: %dx%dx%d", (int)cases[i].extent[0],
       (int)cases[i].extent[1], (int)cases[i].extent[2], (int)chunk[0],
       (int)chunk[1], (int)chunk[2]);
  }
}

/* Of a cube of n voxels, for a few n: parts that read whole chunks. */
static void
test_parts(void)
{
  static const int64_t sides[] = { 32, 64, 128, 256, 512 };

  for (int i = 0; i < 5; i++) {
    const int64_t n = sides[i], extent[3] = { n, n, n };
    int64_t chunk[3];
    int whole = 1;

    h3d_dataset_choose_chunk(extent, 4, H3D_ELEM_I16, chunk);
    for (int a = 0; a < 3; a++) {
      /* 32 voxels are too few for four parts of a useful chunk. */
      whole
        = whole && n / 2 % chunk[a] == 0 && (n < 64 || n / 4 % chunk[a] == 0);
    }
    whole = whole && (n < 64 || n / 8 % chunk[0] == 0);
    ok(whole, "2, 4 and, along D, 8 parts of %d read whole chunks", (int)n);
  }
}

void
tap_main(void)
{
  test_chunks();
  test_parts();
}
