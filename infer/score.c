#include "config.h"

#include "score.h"

#include "base/mem.h"

#include <math.h>

h3d_score
h3d_score_of(int64_t n, const double *truth, const double *predicted, double m)
{
  h3d_score s = { .n = n };
  double mt = 0, mp = 0, tt = 0, pp = 0, tp = 0, ee = 0, mm = 0;
  int64_t relative = 0;

  for (int64_t i = 0; i < n; i++) {
    mt += truth[i] / (double)n;
    mp += predicted[i] / (double)n;
  }
  for (int64_t i = 0; i < n; i++) {
    double e = predicted[i] - truth[i], t = truth[i] - mt,
           p = predicted[i] - mp, z = m - truth[i];

    ee += e * e;
    tt += t * t;
    pp += p * p;
    tp += t * p;
    mm += z * z;
    s.mae += fabs(e);
    s.bias += e;
    s.trivial_mae += fabs(z);
    if (truth[i] != 0) {
      s.relative += fabs(e / truth[i]);
      relative++;
    }
  }
  /* 0/0 is NaN: that is what is known of nothing. */
  s.rmse = sqrt(ee / (double)n);
  s.mae /= (double)n;
  s.bias /= (double)n;
  s.relative /= (double)relative;
  s.r2 = tt > 0 ? 1 - ee / tt : NAN;
  s.r = tt > 0 && pp > 0 ? tp / sqrt(tt * pp) : NAN;
  s.trivial_rmse = sqrt(mm / (double)n);
  s.trivial_mae /= (double)n;
  return s;
}

int64_t
h3d_score_families(int64_t n, const int64_t *family, const double *truth,
                   const double *predicted, double *mean_truth,
                   double *mean_predicted)
{
  int64_t *seen = h3d_new((size_t)n, sizeof *seen);
  int64_t *count = h3d_new((size_t)n, sizeof *count);
  int64_t families = 0, last = 0;

  for (int64_t i = 0; i < n; i++) {
    /* Sub-volumes of a family stand side by side: look there first. */
    int64_t f = last;

    if (families == 0 || seen[f] != family[i]) {
      f = 0;
      while (f < families && seen[f] != family[i]) {
        f++;
      }
    }
    if (f == families) {
      seen[f] = family[i];
      mean_truth[f] = mean_predicted[f] = 0;
      families++;
    }
    mean_truth[f] += truth[i];
    mean_predicted[f] += predicted[i];
    count[f]++;
    last = f;
  }
  for (int64_t f = 0; f < families; f++) {
    mean_truth[f] /= (double)count[f];
    mean_predicted[f] /= (double)count[f];
  }
  h3d_free(count);
  h3d_free(seen);
  return families;
}
