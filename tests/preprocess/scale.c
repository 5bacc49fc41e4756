/* Voxels keep their values, statistics their bits. */
#include "config.h"

#include "base/mem.h"
#include "base/rng.h"
#include "preprocess/scale.h"
#include "tap.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

TAP_RANKS("1")

enum { N = 4000, CUT = 1234 };

/* The type that the numbers of x are given, or -1 when refused. */
static int
chosen(h3d_h5_type type, int64_t n, const void *x, int *rounded)
{
  h3d_scale_range r = h3d_scale_none();
  h3d_elem elem;

  h3d_scale_widen(&r, type, n, x);
  return h3d_scale_choose(&r, type == H3D_H5_U8, type == H3D_H5_F64, "test",
                          &elem, rounded)
             == H3D_OK
           ? (int)elem
           : -1;
}

static void
test_choice(void)
{
  const int32_t fit[2] = { -32768, 32767 }, wide[2] = { 0, 32768 };
  const int32_t odd[2] = { 0, (1 << 24) + 1 };
  const int64_t edge[2] = { INT64_MIN, 1 }, past[1] = { INT64_MAX };
  const uint64_t huge[1] = { UINT64_MAX }, even[1] = { UINT64_C(1) << 63 };
  const double whole[2] = { 3, 40 }, half[2] = { 0.5, 3 };
  const double third[1] = { 1.0 / 3 }, vast[1] = { 1e300 };
  const double holes[2] = { 1, (double)NAN };
  const uint8_t bytes[2] = { 0, 255 };
  int rounded;

  ok(chosen(H3D_H5_I32, 2, fit, &rounded) == H3D_ELEM_I16, "int32 that fits");
  ok(chosen(H3D_H5_I32, 2, wide, &rounded) == H3D_ELEM_F32 && !rounded,
     "int32 that does not, but float32 has it");
  ok(chosen(H3D_H5_I32, 2, odd, &rounded) == -1, "%s", h3d_why());
  ok(chosen(H3D_H5_I64, 2, edge, &rounded) == H3D_ELEM_F32, "-2^63");
  ok(chosen(H3D_H5_I64, 1, past, &rounded) == -1, "%s", h3d_why());
  ok(chosen(H3D_H5_U64, 1, huge, &rounded) == -1, "%s", h3d_why());
  ok(chosen(H3D_H5_U64, 1, even, &rounded) == H3D_ELEM_F32, "2^63");
  ok(chosen(H3D_H5_F64, 2, whole, &rounded) == H3D_ELEM_I16,
     "counts written as float64");
  ok(chosen(H3D_H5_F64, 2, half, &rounded) == H3D_ELEM_F32 && !rounded,
     "halves are exact");
  ok(chosen(H3D_H5_F64, 1, third, &rounded) == H3D_ELEM_F32 && rounded,
     "a third is rounded, and said to be");
  ok(chosen(H3D_H5_F64, 1, vast, &rounded) == -1, "%s", h3d_why());
  ok(chosen(H3D_H5_F64, 2, holes, &rounded) == -1
       && strstr(h3d_why(), "NaN") != NULL,
     "%s", h3d_why());
  ok(chosen(H3D_H5_U8, 2, bytes, &rounded) == H3D_ELEM_U8, "bytes stay");
}

static void
test_convert(void)
{
  const int64_t in[4] = { -32768, -1, 0, 32767 };
  const double real[3] = { 0.5, -2, 7 };
  int16_t out[4];
  float single[3];
  uint8_t byte[2];

  h3d_scale_convert(H3D_H5_I64, H3D_ELEM_I16, 4, in, out);
  ok(out[0] == -32768 && out[1] == -1 && out[2] == 0 && out[3] == 32767,
     "int64 to int16");
  h3d_scale_convert(H3D_H5_F64, H3D_ELEM_F32, 3, real, single);
  ok(single[0] == 0.5F && single[1] == -2 && single[2] == 7,
     "float64 to float32");
  h3d_scale_convert(H3D_H5_I64, H3D_ELEM_U8, 1, in + 2, byte);
  ok(byte[0] == 0, "int64 to uint8");
}

/* In long double, straight from the definition. */
static void
by_hand(const double *x, int recipe, long double *mean, long double *dev)
{
  long double sum = 0, m2 = 0;

  for (int i = 0; i < N; i++) {
    sum += recipe ? log1pl(x[i]) : (long double)x[i];
  }
  *mean = sum / N;
  for (int i = 0; i < N; i++) {
    long double d = (recipe ? log1pl(x[i]) : (long double)x[i]) - *mean;

    m2 += d * d;
  }
  *dev = sqrtl(m2 / N);
}

static void
test_statistics(h3d_elem elem)
{
  const h3d_rng rng = h3d_rng_init(5, H3D_RNG_TEST, elem, 0);
  double x[N];
  float single[N];
  int16_t whole[N];
  const void *data = elem == H3D_ELEM_F32 ? (void *)single : (void *)whole;
  const size_t size = h3d_elem_size(elem);
  h3d_scale_sum part[2];
  const h3d_scale_sum *parts[2] = { &part[0], &part[1] };

  for (int i = 0; i < N; i++) {
    double u = h3d_rng_uniform(&rng, (uint64_t)i);

    whole[i] = (int16_t)(30 * u * u);
    single[i] = (float)(u - 0.9);
    x[i] = elem == H3D_ELEM_F32 ? (double)single[i] : whole[i];
  }
  h3d_scale_sum_up(elem, CUT, data, "test", &part[0]);
  h3d_scale_sum_up(elem, N - CUT, (const char *)data + CUT * size, "test",
                   &part[1]);
  for (int r = 0; r < 2; r++) {
    const h3d_channel_stats s = h3d_scale_combine(parts, 2, (h3d_recipe)r);
    long double mean, dev;
    double low = HUGE_VAL;

    by_hand(x, r, &mean, &dev);
    for (int i = 0; i < N; i++) {
      low = fmin(low, r ? log1p(x[i]) : x[i]);
    }
    ok(s.count == N && fabsl(s.mean - mean) < 1e-14L
         && fabsl(s.dev - dev) < 1e-14L && s.min == low && s.nans == 0,
       "%s, %s: mean %.15g, deviation %.15g", h3d_elem_name(elem),
       h3d_recipe_name((h3d_recipe)r), s.mean, s.dev);
  }
}

static void
test_steep(void)
{
  enum { MANY = 1000 };
  float x[MANY];
  h3d_scale_sum sum;
  const h3d_scale_sum *one = &sum;

  /* Sums of squares would lose all digits here. */
  for (int i = 0; i < MANY; i++) {
    x[i] = 1e6F + (float)(i % 2);
  }
  h3d_scale_sum_up(H3D_ELEM_F32, MANY, x, "test", &sum);
  ok(h3d_scale_combine(&one, 1, H3D_RECIPE_NONE).dev == 0.5,
     "a small deviation on a large mean");
  x[7] = (float)INFINITY;
  ok(h3d_scale_sum_up(H3D_ELEM_F32, MANY, x, "a file", &sum) == H3D_ERR_FILE
       && strstr(h3d_why(), "a file") != NULL,
     "%s", h3d_why());
  x[7] = -1;
  h3d_scale_sum_up(H3D_ELEM_F32, MANY, x, "test", &sum);
  ok(sum.min == -1 && isnan(sum.mean[1]), "no logarithm of nothing");
}

void
tap_main(void)
{
  const size_t blocks = h3d_mem_count();

  test_choice();
  test_convert();
  test_statistics(H3D_ELEM_I16);
  test_statistics(H3D_ELEM_F32);
  test_steep();
  ok(h3d_mem_count() == blocks, "no memory is left");
}
