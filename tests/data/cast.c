/* A table gives the bits of the formula; nothing else gets through. */
#include "config.h"

#include "data/cast.h"
#include "tap.h"

#include <math.h>

TAP_RANKS("1")

/* Floats by formula, integers by table: the same bits. */
static void
test_log1p(void)
{
  h3d_channel_stats stats = { .mean = 0.3, .dev = 1.7 };
  h3d_cast_spec s = { H3D_ELEM_U8, H3D_F32, 1, H3D_RECIPE_LOG1P, 1, &stats };
  const int64_t len[3] = { 1, 1, 256 };
  h3d_piece piece = { { 0 }, { 1, 1, 256 }, { 0 } };
  h3d_move m = h3d_move_none();
  uint8_t whole[256];
  float real[256], a[256], b[256];
  h3d_cast_from src = { whole, 0, { 256, 256, 1 }, 256 };
  h3d_cast *c = NULL;
  int same = 1;

  for (int i = 0; i < 256; i++) {
    whole[i] = (uint8_t)i;
    real[i] = (float)i;
  }
  ok(h3d_cast_new(&s, &c) == H3D_OK, "a cast of bytes");
  ok(h3d_cast_piece(c, &src, &m, &piece, len, a), "finite");
  h3d_cast_free(&c);
  s.elem = H3D_ELEM_F32;
  src.mem = real;
  ok(h3d_cast_new(&s, &c) == H3D_OK, "a cast of floats");
  ok(h3d_cast_piece(c, &src, &m, &piece, len, b), "finite");
  for (int i = 0; i < 256; i++) {
    same = same && a[i] == b[i] && a[i] == (float)((log1p(i) - 0.3) / 1.7);
  }
  ok(same, "a table gives the bits of the formula");
  real[77] = -1;
  ok(!h3d_cast_piece(c, &src, &m, &piece, len, b), "log(0) is found");
  h3d_cast_free(&c);
}

/* All 16-bit integers, without recipe, in fp64: exact. */
static void
test_integers(void)
{
  h3d_channel_stats stats[2] = { { .mean = 2, .dev = 4 }, { .dev = 0 } };
  h3d_cast_spec s = { H3D_ELEM_I16, H3D_F64, 2, H3D_RECIPE_NONE, 1, stats };
  h3d_cast *c = NULL;
  int right = 1;

  ok(h3d_cast_new(&s, &c) == H3D_OK, "two channels");
  for (int v = -32768; v < 32768; v += 32767) {
    const int16_t pair[2] = { (int16_t)v, (int16_t)v };
    const int64_t len[3] = { 1, 1, 1 };
    const h3d_piece piece = { { 0 }, { 1, 1, 1 }, { 0 } };
    const h3d_cast_from src = { pair, 0, { 1, 1, 1 }, 1 };
    h3d_move m = h3d_move_none();
    double out[2];

    right = right && h3d_cast_piece(c, &src, &m, &piece, len, out)
            && out[0] == (v - 2) / 4.0 && out[1] == v;
  }
  ok(right, "ends of the range; a channel without spread is not divided");
  h3d_cast_free(&c);
}

void
tap_main(void)
{
  test_log1p();
  test_integers();
}
