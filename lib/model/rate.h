/* rate.h: the learning rate of each step, a pure function.
 *
 * Time x is counted in epochs: step / steps per epoch, so the first step of a
 * run has x = 0.  E is the number of epochs planned, base the rate given.
 *
 *     constant         base
 *     linear[:END]     base + (END - base) x / E      (polynomial, power 1)
 *     cosine[:END]     END + (base - END) (1 + cos(pi x / E)) / 2
 *                      (I. Loshchilov, F. Hutter, arXiv 1608.03983, no
 *                      restarts)
 *     step:E1=F1,...   base * F of the last boundary Ei <= x, else base;
 *                      factors are relative to base, not to each other
 *
 * END is a rate, 0 if left out.  Warm-up multiplies by
 * from + (1 - from) x / W while x < W.
 */
#ifndef H3D_MODEL_RATE_H
#define H3D_MODEL_RATE_H

#include "base/status.h"

#include <stdint.h>

typedef enum h3d_rate_kind {
  H3D_RATE_CONSTANT,
  H3D_RATE_LINEAR,
  H3D_RATE_COSINE,
  H3D_RATE_STEP
} h3d_rate_kind;

enum { H3D_RATE_STEPS_MAX = 16 };

typedef struct h3d_rate {
  h3d_rate_kind kind;
  double base, end;
  int steps; /* boundaries of H3D_RATE_STEP, rising */
  double at[H3D_RATE_STEPS_MAX], factor[H3D_RATE_STEPS_MAX];
  double epochs;       /* planned */
  double warmup, from; /* epochs, factor at the start */
  int64_t steps_per_epoch;
} h3d_rate;

/* Read the schedule's text into kind, end, steps, at and factor; the other
 * members are the caller's.  H3D_ERR_USAGE. */
h3d_status h3d_rate_parse(const char *text, h3d_rate *out);

/* The rate of step 0, 1, ... */
double h3d_rate_at(const h3d_rate *r, int64_t step);

#endif /* H3D_MODEL_RATE_H */
