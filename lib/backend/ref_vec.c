/* ref_vec.c: dense layers, vectors and optimizers in plain loops. */
#include "config.h"

#include "backend/ref.h"

#include <math.h>

#define REAL float
#define NAME(f) f##_f32
#include "backend/ref_vec_loops.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(f) f##_f64
#include "backend/ref_vec_loops.h"

void
h3d_ref_dense_forward(h3d_device *dev, int64_t n, int64_t in, int64_t out,
                      const void *x, const void *w, void *y)
{
  H3D_REF_PICK(dev, dense_forward)(n, in, out, x, w, y);
}

void
h3d_ref_dense_backward_data(h3d_device *dev, int64_t n, int64_t in,
                            int64_t out, const void *dy, const void *w,
                            void *dx)
{
  H3D_REF_PICK(dev, dense_backward_data)(n, in, out, dy, w, dx);
}

void
h3d_ref_dense_backward_weights(h3d_device *dev, int64_t n, int64_t in,
                               int64_t out, const void *x, const void *dy,
                               void *dw)
{
  H3D_REF_PICK(dev, dense_backward_weights)(n, in, out, x, dy, dw);
}

void
h3d_ref_bias_add(h3d_device *dev, int64_t m, int64_t c, const void *b, void *y)
{
  H3D_REF_PICK(dev, bias_add)(m, c, b, y);
}

void
h3d_ref_bias_gradient(h3d_device *dev, int64_t m, int64_t c, const void *dy,
                      void *db)
{
  H3D_REF_PICK(dev, bias_gradient)(m, c, dy, db);
}

void
h3d_ref_scale(h3d_device *dev, int64_t size, double a, void *x)
{
  H3D_REF_PICK(dev, scale)(size, a, x);
}

void
h3d_ref_add(h3d_device *dev, int64_t size, const void *x, void *y)
{
  H3D_REF_PICK(dev, add)(size, x, y);
}

double
h3d_ref_sum_squares(h3d_device *dev, int64_t size, const void *x)
{
  return H3D_REF_PICK(dev, sum_squares)(size, x);
}

int
h3d_ref_is_finite(h3d_device *dev, int64_t size, const void *x)
{
  return H3D_REF_PICK(dev, is_finite)(size, x);
}

void
h3d_ref_sgd(h3d_device *dev, const h3d_sgd_shape *s, int64_t size,
            const void *g, void *m, void *w)
{
  H3D_REF_PICK(dev, sgd)(s, size, g, m, w);
}

void
h3d_ref_adam(h3d_device *dev, const h3d_adam_shape *s, int64_t size,
             const void *g, void *m, void *v, void *w)
{
  H3D_REF_PICK(dev, adam)(s, size, g, m, v, w);
}
