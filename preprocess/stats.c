/* The statistics of scale.h. */
#include "config.h"

#include "scale.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { VALUES = 1 << 16, SHIFT = 1 << 15 };

static double
apply(int recipe, double x)
{
  return recipe == H3D_RECIPE_LOG1P ? log1p(x) : x;
}

/* 16-bit voxels have few values: count each, and transform each once. */
static void
sum_counts(const int64_t *count, int64_t n, int recipe, h3d_scale_sum *s)
{
  double sum = 0, m2 = 0;

  for (int v = (int)s->min; v <= (int)s->max; v++) {
    if (count[v + SHIFT] > 0) {
      sum += (double)count[v + SHIFT] * apply(recipe, v);
    }
  }
  s->mean[recipe] = sum / (double)n;
  for (int v = (int)s->min; v <= (int)s->max; v++) {
    if (count[v + SHIFT] > 0) {
      double d = apply(recipe, v) - s->mean[recipe];

      m2 += (double)count[v + SHIFT] * d * d;
    }
  }
  s->m2[recipe] = m2;
}

static void
sum_integers(h3d_elem elem, int64_t n, const void *x, h3d_scale_sum *s)
{
  int64_t *count = h3d_new(VALUES, sizeof *count);
  int lo = 0, hi = VALUES - 1;

  for (int64_t i = 0; i < n; i++) {
    int v = elem == H3D_ELEM_U8 ? ((const uint8_t *)x)[i]
                                : ((const int16_t *)x)[i];

    count[v + SHIFT]++;
  }
  while (count[lo] == 0) {
    lo++;
  }
  while (count[hi] == 0) {
    hi--;
  }
  s->min = lo - SHIFT;
  s->max = hi - SHIFT;
  sum_counts(count, n, H3D_RECIPE_NONE, s);
  if (s->min > -1) {
    sum_counts(count, n, H3D_RECIPE_LOG1P, s);
  }
  h3d_free(count);
}

/* Two passes: the mean first, then deviations from it. */
static void
sum_reals(int64_t n, const float *x, int recipe, h3d_scale_sum *s)
{
  double sum = 0, m2 = 0;

  for (int64_t i = 0; i < n; i++) {
    sum += apply(recipe, (double)x[i]);
  }
  s->mean[recipe] = sum / (double)n;
  for (int64_t i = 0; i < n; i++) {
    double d = apply(recipe, (double)x[i]) - s->mean[recipe];

    m2 += d * d;
  }
  s->m2[recipe] = m2;
}

static h3d_status
ask_reals(int64_t n, const float *x, const char *text, h3d_scale_sum *s)
{
  h3d_scale_range r = h3d_scale_none();

  h3d_scale_widen(&r, H3D_H5_F32, n, x);
  s->min = r.min;
  s->max = r.max;
  return r.nonfinite
           ? h3d_fail(H3D_ERR_FILE,
                      "%s: a voxel is NaN or infinite; mend the file, "
                      "or leave it out",
                      text)
           : H3D_OK;
}

h3d_status
h3d_scale_sum_up(h3d_elem elem, int64_t n, const void *x, const char *text,
                 h3d_scale_sum *sum)
{
  h3d_status st;

  memset(sum, 0, sizeof *sum);
  sum->count = n;
  sum->mean[H3D_RECIPE_LOG1P] = sum->m2[H3D_RECIPE_LOG1P] = (double)NAN;
  if (elem != H3D_ELEM_F32) {
    sum_integers(elem, n, x, sum);
    return H3D_OK;
  }
  st = ask_reals(n, x, text, sum);
  if (st == H3D_OK) {
    sum_reals(n, x, H3D_RECIPE_NONE, sum);
    if (sum->min > -1) {
      sum_reals(n, x, H3D_RECIPE_LOG1P, sum);
    }
  }
  return st;
}

h3d_channel_stats
h3d_scale_combine(const h3d_scale_sum *const *sum, int64_t n,
                  h3d_recipe recipe)
{
  h3d_channel_stats all = { .min = HUGE_VAL, .max = -HUGE_VAL };
  double m2 = 0;

  for (int64_t i = 0; i < n; i++) {
    const h3d_scale_sum *s = sum[i];
    double old = (double)all.count, add = (double)s->count, both = old + add;
    double delta = s->mean[recipe] - all.mean;

    all.count += s->count;
    all.mean += delta * add / both;
    m2 += s->m2[recipe] + delta * delta * old * add / both;
    all.min = s->min < all.min ? s->min : all.min;
    all.max = s->max > all.max ? s->max : all.max;
  }
  all.dev = all.count > 0 ? sqrt(m2 / (double)all.count) : 0;
  all.min = apply(recipe, all.min);
  all.max = apply(recipe, all.max);
  return all;
}
