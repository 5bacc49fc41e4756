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

/* Voxels read by parts, counted one by one: each chunk once per part. */
static int64_t
count(int64_t n, int64_t chunk, int parts)
{
  int64_t sum = 0;

  for (int r = 0; r < parts; r++) {
    int64_t last = -1;

    for (int64_t i = n * r / parts; i < n * (r + 1) / parts; i++) {
      int64_t at = i / chunk, left = n - at * chunk;

      sum += at == last ? 0 : left < chunk ? left : chunk;
      last = at;
    }
  }
  return sum;
}

static void
test_amplification(void)
{
  char text[H3D_AMPLIFICATION_TEXT];
  int cases = 0, right = 1;

  for (int64_t n = 1; n <= 40; n++) {
    for (int64_t chunk = 1; chunk <= n; chunk++) {
      for (int parts = 1; parts <= 8; parts++, cases++) {
        double got = h3d_dataset_amplification(n, chunk, parts);
        int64_t want = count(n, chunk, parts);

        right = right && got == (double)want / (double)n;
      }
    }
  }
  ok(right, "read amplification, counted in %d cases", cases);
  h3d_dataset_amplification_text(64, 16, text);
  ok(strcmp(text, "1.00 1.50 1.00 2.00 2.00 2.50 2.00") == 0, "64 by 16: %s",
     text);
}

void
tap_main(void)
{
  test_chunks();
  test_parts();
  test_amplification();
}
