/* ref_pool.c: mean and max pooling in plain loops. */
#include "config.h"

#include "backend/ref.h"

#define REAL float
#define NAME(f) f##_f32
#include "backend/ref_pool_loops.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(f) f##_f64
#include "backend/ref_pool_loops.h"

void
h3d_ref_pool_forward(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                     const void *x, void *y, int32_t *tap)
{
  H3D_REF_PICK(dev, forward)(s, n, x, y, tap);
}

void
h3d_ref_pool_backward(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                      const void *dy, const int32_t *tap, void *dx)
{
  H3D_REF_PICK(dev, backward)(s, n, dy, tap, dx);
}
