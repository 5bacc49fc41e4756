/* Scores of predictions whose scores are known. */
#include "config.h"

#include "infer/score.h"
#include "tap.h"

#include <math.h>

TAP_RANKS("1")

static int
near(double a, double b)
{
  return fabs(a - b) <= 1e-12;
}

static void
test_known(void)
{
  const double t[] = { 1, 2, 3, 4 }, p[] = { 1.5, 2, 2.5, 5 };
  /* Errors 0.5, 0, -0.5, 1. */
  h3d_score s = h3d_score_of(4, t, p, 2);

  ok(s.n == 4 && near(s.rmse, sqrt(1.5 / 4)), "rmse");
  ok(near(s.mae, 0.5), "mae");
  ok(near(s.bias, 0.25), "bias");
  ok(near(s.relative, (0.5 + 0 + 0.5 / 3 + 0.25) / 4), "relative error");
  ok(near(s.r2, 1 - 1.5 / 5), "r2");
  /* Means 2.5 and 2.75: sum of products 5.5, squares 5 and 7.25. */
  ok(near(s.r, 5.5 / sqrt(5 * 7.25)), "Pearson's r");
  ok(near(s.trivial_rmse, sqrt((1 + 0 + 1 + 4) / 4.0))
       && near(s.trivial_mae, 1),
     "the trivial predictor");
}

static void
test_ends(void)
{
  const double t[] = { 0, 1, 2 }, line[] = { 5, 3, 1 }, flat[] = { 1, 1, 1 };
  h3d_score s = h3d_score_of(3, t, t, 1);

  ok(s.rmse == 0 && s.mae == 0 && s.bias == 0 && s.r2 == 1 && near(s.r, 1),
     "the truth itself");
  ok(s.relative == 0, "a truth of 0 is left out of the relative error");
  s = h3d_score_of(3, t, line, 1);
  ok(near(s.r, -1), "a line the wrong way");
  s = h3d_score_of(3, t, flat, 1);
  ok(s.r2 == 0 && isnan(s.r), "the mean as the answer: r2 0, no correlation");
  ok(s.rmse == s.trivial_rmse && s.mae == s.trivial_mae,
     "and the trivial predictor's scores");
  s = h3d_score_of(3, flat, t, 1);
  ok(isnan(s.r2) && isnan(s.r), "no spread in the truth: no r2");
  s = h3d_score_of(0, t, t, 1);
  ok(s.n == 0 && isnan(s.rmse) && isnan(s.mae), "no sample: nothing known");
}

static void
test_families(void)
{
  const int64_t family[] = { 7, 7, 3, 7, 3, 9 };
  const double t[] = { 1, 1, 2, 1, 2, 3 }, p[] = { 0, 3, 1, 0, 2, 4 };
  double mt[6], mp[6];
  int64_t n = h3d_score_families(6, family, t, p, mt, mp);

  ok(n == 3 && mt[0] == 1 && mt[1] == 2 && mt[2] == 3, "three families");
  ok(mp[0] == 1 && mp[1] == 1.5 && mp[2] == 4, "mean predictions");
}

void
tap_main(void)
{
  test_known();
  test_ends();
  test_families();
}
