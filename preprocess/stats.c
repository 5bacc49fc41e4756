/* The statistics of scale.h. */
#include "config.h"

#include "scale.h"

#include "base/agree.h"
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
count_values(h3d_elem elem, int64_t n, const void *x, int64_t *count)
{
  for (int64_t i = 0; i < n; i++) {
    int v = elem == H3D_ELEM_U8 ? ((const uint8_t *)x)[i]
                                : ((const int16_t *)x)[i];

    count[v + SHIFT]++;
  }
}

/* Of n numbers that were counted. */
static void
sum_counted(const int64_t *count, int64_t n, h3d_scale_sum *s)
{
  int lo = 0, hi = VALUES - 1;

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
}

static void
sum_integers(h3d_elem elem, int64_t n, const void *x, h3d_scale_sum *s)
{
  int64_t *count = h3d_new(VALUES, sizeof *count);

  count_values(elem, n, x, count);
  sum_counted(count, n, s);
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

struct h3d_scale_tally {
  h3d_elem elem;
  int channels;
  int64_t chunks;
  int64_t *count;      /* [channels][VALUES]; NULL for reals */
  h3d_scale_sum *part; /* [chunks][channels]; NULL for whole numbers */
};

h3d_scale_tally *
h3d_scale_tally_new(h3d_elem elem, int channels, int64_t chunks)
{
  h3d_scale_tally *t = h3d_new(1, sizeof *t);

  t->elem = elem;
  t->channels = channels;
  t->chunks = chunks;
  if (elem == H3D_ELEM_F32) {
    t->part = h3d_new((size_t)(chunks * channels), sizeof *t->part);
  } else {
    t->count = h3d_new((size_t)channels * VALUES, sizeof *t->count);
  }
  return t;
}

void
h3d_scale_tally_free(h3d_scale_tally **t)
{
  if (*t != NULL) {
    h3d_free((*t)->count);
    h3d_free((*t)->part);
    h3d_free(*t);
    *t = NULL;
  }
}

void
h3d_scale_tally_clear(h3d_scale_tally *t)
{
  if (t->count != NULL) {
    memset(t->count, 0, (size_t)t->channels * VALUES * sizeof *t->count);
  } else {
    memset(t->part, 0, (size_t)(t->chunks * t->channels) * sizeof *t->part);
  }
}

h3d_status
h3d_scale_tally_add(h3d_scale_tally *t, int64_t chunk, int channel, int64_t n,
                    const void *x, const char *text)
{
  if (t->count != NULL) {
    count_values(t->elem, n, x, t->count + (size_t)channel * VALUES);
    return H3D_OK;
  }
  return h3d_scale_sum_up(t->elem, n, x, text,
                          &t->part[chunk * t->channels + channel]);
}

void
h3d_scale_tally_join(h3d_scale_tally *t, MPI_Comm comm)
{
  /* A chunk's sum is all zero bytes on all ranks but the one that has it. */
  _Static_assert(sizeof(h3d_scale_sum) % sizeof(uint64_t) == 0, "as words");
  if (t->count != NULL) {
    h3d_sum_all(comm, (uint64_t *)t->count, (size_t)t->channels * VALUES);
  } else {
    h3d_sum_all(comm, (uint64_t *)t->part,
                (size_t)(t->chunks * t->channels) * sizeof *t->part
                  / sizeof(uint64_t));
  }
}

/* Like h3d_scale_combine, but still a sum. */
static void
add_sum(h3d_scale_sum *all, const h3d_scale_sum *s)
{
  double old = (double)all->count, add = (double)s->count, both = old + add;

  for (int r = 0; r < 2; r++) {
    double delta = s->mean[r] - all->mean[r];

    all->mean[r] += delta * add / both;
    all->m2[r] += s->m2[r] + delta * delta * old * add / both;
  }
  all->count += s->count;
  all->min = s->min < all->min ? s->min : all->min;
  all->max = s->max > all->max ? s->max : all->max;
}

void
h3d_scale_tally_sums(const h3d_scale_tally *t, h3d_scale_sum *sum)
{
  for (int k = 0; k < t->channels; k++) {
    h3d_scale_sum *s = &sum[k];

    memset(s, 0, sizeof *s);
    if (t->count != NULL) {
      const int64_t *count = t->count + (size_t)k * VALUES;

      s->mean[H3D_RECIPE_LOG1P] = s->m2[H3D_RECIPE_LOG1P] = (double)NAN;
      for (int v = 0; v < VALUES; v++) {
        s->count += count[v];
      }
      sum_counted(count, s->count, s);
      continue;
    }
    s->min = HUGE_VAL;
    s->max = -HUGE_VAL;
    for (int64_t i = 0; i < t->chunks; i++) {
      add_sum(s, &t->part[i * t->channels + k]);
    }
  }
}
