/* devices.h: what the tests of devices share.
 *
 * Values are kept in double on the host; every device of the build is opened
 * in every type that it has.
 */
#ifndef TESTS_BACKEND_DEVICES_H
#define TESTS_BACKEND_DEVICES_H

#include "backend/backend.h"
#include "base/mem.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { DEVICES_MAX = 8 };

/* Fills dev with every pair of backend and type that opens. */
static inline int
open_devices(h3d_device dev[DEVICES_MAX])
{
  int n = 0, i, t;

  for (i = 0; h3d_backends[i]; i++) {
    for (t = H3D_F32; t <= H3D_F64; t++) {
      n += h3d_device_open(h3d_backends[i]->name, (h3d_type)t, &dev[n])
           == H3D_OK;
    }
  }
  return n;
}

static inline void
close_devices(h3d_device dev[DEVICES_MAX], int n)
{
  while (n-- > 0) {
    h3d_device_close(&dev[n]);
  }
}

/* "cpu fp32" */
static inline const char *
device_name(const h3d_device *dev, char out[32])
{
  out[0] = '\0';
  strncat(out, dev->be->name, 20);
  strncat(out, dev->type == H3D_F64 ? " fp64" : " fp32", 6);
  return out;
}

/* Rounding of one operation: tolerances are multiples of it. */
static inline double
device_epsilon(const h3d_device *dev)
{
  return dev->type == H3D_F64 ? 0x1p-53 : 0x1p-24;
}

/* Device memory with these values, rounded to the device's type first in the
 * host's copy, so that both sides compute with the same numbers. */
static inline void *
to_device(h3d_device *dev, int64_t n, double *x)
{
  size_t size = h3d_type_size(dev->type);
  void *mem = NULL, *host = h3d_new((size_t)n, size);
  int64_t i;

  for (i = 0; i < n; i++) {
    if (dev->type == H3D_F64) {
      ((double *)host)[i] = x[i];
    } else {
      ((float *)host)[i] = (float)x[i];
      x[i] = ((float *)host)[i];
    }
  }
  if (dev->be->alloc(dev, (size_t)n * size, &mem) == H3D_OK) {
    dev->be->put(dev, mem, host, (size_t)n * size);
  }
  h3d_free(host);
  return mem;
}

/* n reals from the device, which are freed there. */
static inline double *
from_device(h3d_device *dev, int64_t n, void *mem)
{
  size_t size = h3d_type_size(dev->type);
  void *host = h3d_new((size_t)n, size);
  double *x = h3d_new((size_t)n, sizeof *x);
  int64_t i;

  dev->be->sync(dev);
  dev->be->get(dev, host, mem, (size_t)n * size);
  dev->be->release(dev, mem);
  for (i = 0; i < n; i++) {
    x[i] = dev->type == H3D_F64 ? ((double *)host)[i] : ((float *)host)[i];
  }
  h3d_free(host);
  return x;
}

/* n numbers in [-1, 1) that depend on what. */
static inline double *
random_reals(int64_t n, uint64_t what)
{
  h3d_rng rng = h3d_rng_init(7, H3D_RNG_TEST, what, 0);
  double *x = h3d_new((size_t)n, sizeof *x);
  int64_t i;

  for (i = 0; i < n; i++) {
    x[i] = 2 * h3d_rng_uniform(&rng, (uint64_t)i) - 1;
  }
  return x;
}

/* A number in lo..hi from a stream, which moves on. */
static inline int
draw(h3d_rng *rng, int lo, int hi)
{
  double u = h3d_rng_uniform(rng, rng->hi[1]++);

  return lo + (int)(u * (hi - lo + 1));
}

/* Whether |got - want| <= tolerance * size, cell by cell; size NULL: 1. */
static inline int
is_near(int64_t n, const double *got, const double *want, const double *size,
        double tolerance)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    if (!(fabs(got[i] - want[i]) <= tolerance * (size ? size[i] : 1))) {
      return 0;
    }
  }
  return 1;
}

/* A random window as a rank may see it: any padding, in and out. */
static inline h3d_local
random_local(h3d_rng *rng, int kernel_max, int pad_min)
{
  h3d_local l;

  l.kernel = draw(rng, 1, kernel_max);
  l.stride = draw(rng, 1, 3);
  l.dilation = draw(rng, 1, 2);
  l.in = draw(rng, 1, 9);
  l.pad = draw(rng, pad_min, (l.kernel - 1) * l.dilation);
  /* Often the outputs that fit, else any number of them. */
  l.out = (l.in + l.pad - 1) / l.stride + 1;
  if (l.out < 1 || draw(rng, 0, 3) == 0) {
    l.out = draw(rng, 1, 6);
  }
  return l;
}

#endif /* TESTS_BACKEND_DEVICES_H */
