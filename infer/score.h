/* score.h: how good predictions of one parameter are.
 *
 * With truth t and prediction p of n samples, in physical units:
 *
 *     rmse      sqrt(mean (p - t)^2)
 *     mae       mean |p - t|
 *     relative  mean |p - t| / |t|, over samples whose t is not 0
 *     bias      mean (p - t)
 *     r2        1 - sum (p - t)^2 / sum (t - mean t)^2
 *     r         Pearson's correlation of p and t
 *
 * The trivial predictor answers m, the mean of the training targets, to every
 * sample: trivial_rmse and trivial_mae are its scores on the same samples.
 * What cannot be computed (no sample, no spread) is NaN.
 */
#ifndef H3D_INFER_SCORE_H
#define H3D_INFER_SCORE_H

#include <stdint.h>

typedef struct h3d_score {
  int64_t n;
  double rmse, mae, relative, bias, r2, r;
  double trivial_rmse, trivial_mae;
} h3d_score;

h3d_score h3d_score_of(int64_t n, const double *truth, const double *predicted,
                       double m);

/* Means over the samples of each family, in the order in which families are
 * met: truth and predicted [n] into mean_truth and mean_predicted (room for
 * n), returns how many families. */
int64_t h3d_score_families(int64_t n, const int64_t *family,
                           const double *truth, const double *predicted,
                           double *mean_truth, double *mean_predicted);

#endif /* H3D_INFER_SCORE_H */
