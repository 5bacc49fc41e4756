/* ref_point.c: activations, norm and dropout in plain loops. */
#include "config.h"

#include "backend/ref.h"

#include <math.h>
#include <string.h>

#define REAL float
#define NAME(f) f##_f32
#include "backend/ref_point_loops.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(f) f##_f64
#include "backend/ref_point_loops.h"

void
h3d_ref_act_forward(h3d_device *dev, const h3d_act_shape *s, int64_t size,
                    const void *x, void *y)
{
  H3D_REF_PICK(dev, act_forward)(s, size, x, y);
}

void
h3d_ref_act_backward(h3d_device *dev, const h3d_act_shape *s, int64_t size,
                     const void *y, const void *dy, void *dx)
{
  H3D_REF_PICK(dev, act_backward)(s, size, y, dy, dx);
}

void
h3d_ref_norm_moments(h3d_device *dev, int64_t m, int64_t c, const void *x,
                     double *mean, double *m2)
{
  H3D_REF_PICK(dev, norm_moments)(m, c, x, mean, m2);
}

void
h3d_ref_norm_apply(h3d_device *dev, int64_t m, int64_t c, const double *a,
                   const double *b, const void *x, void *y)
{
  H3D_REF_PICK(dev, norm_apply)(m, c, a, b, x, y);
}

void
h3d_ref_norm_sums(h3d_device *dev, int64_t m, int64_t c, const double *mean,
                  const double *inv, const void *x, const void *dy,
                  double *sum_dy, double *sum_dyx)
{
  H3D_REF_PICK(dev, norm_sums)(m, c, mean, inv, x, dy, sum_dy, sum_dyx);
}

void
h3d_ref_norm_backward(h3d_device *dev, int64_t m, int64_t c, const double *a,
                      const double *b, const double *k, const void *x,
                      const void *dy, void *dx)
{
  H3D_REF_PICK(dev, norm_backward)(m, c, a, b, k, x, dy, dx);
}

void
h3d_ref_dropout(h3d_device *dev, const h3d_place *p, const h3d_rng *rng,
                double drop, const void *x, void *y)
{
  H3D_REF_PICK(dev, dropout)(p, rng, drop, x, y);
}
