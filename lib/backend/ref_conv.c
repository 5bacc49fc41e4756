/* ref_conv.c: convolution in plain loops (V. Dumoulin, F. Visin, arXiv
 * 1603.07285, for what a window reads). */
#include "config.h"

#include "backend/ref.h"

#include "base/mem.h"

#include <string.h>

typedef struct ref_conv {
  h3d_conv_shape s;
  int64_t taps;
  size_t bytes;
  double *w; /* [tap][cin][cout], or [tap][cout][cin] backward */
} ref_conv;

/* Output channels summed together: their sums stay in registers or L1. */
enum { BLOCK = 64 };

static int64_t
volume(const h3d_local w[3], int64_t (*extent)(const h3d_local *))
{
  return extent(&w[0]) * extent(&w[1]) * extent(&w[2]);
}

static int64_t
extent_out(const h3d_local *w)
{
  return w->out;
}

static int64_t
extent_in(const h3d_local *w)
{
  return w->in;
}

/* The input cell that tap t of output j reads, -1 for padding. */
static int64_t
reads(const h3d_local *w, int64_t j, int64_t t)
{
  int64_t i = w->stride * j - w->pad + t * w->dilation;

  return i >= 0 && i < w->in ? i : -1;
}

/* The output that reads input i through tap t, -1 if there is none. */
static int64_t
reader(const h3d_local *w, int64_t i, int64_t t)
{
  int64_t j = i + w->pad - t * w->dilation;

  return j >= 0 && j % w->stride == 0 && j / w->stride < w->out ? j / w->stride
                                                                : -1;
}

/* Tap number to its three places. */
static void
split(const h3d_local w[3], int64_t tap, int64_t t[3])
{
  t[2] = tap % w[2].kernel;
  t[1] = tap / w[2].kernel % w[1].kernel;
  t[0] = tap / w[2].kernel / w[1].kernel;
}

#define REAL float
#define NAME(f) f##_f32
#include "backend/ref_conv_loops.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(f) f##_f64
#include "backend/ref_conv_loops.h"

h3d_status
h3d_ref_conv_plan(h3d_device *dev, const h3d_conv_shape *s, h3d_conv **plan)
{
  ref_conv *p = h3d_new(1, sizeof *p);
  h3d_status st;
  void *w = NULL;

  *plan = NULL;
  p->s = *s;
  p->taps = (int64_t)s->fwd[0].kernel * s->fwd[1].kernel * s->fwd[2].kernel;
  p->bytes = (size_t)(p->taps * s->cin * s->cout) * sizeof(double);
  st = h3d_ref_alloc(dev, p->bytes, &w);
  if (st != H3D_OK) {
    h3d_free(p);
    return st;
  }
  p->w = w;
  *plan = (h3d_conv *)p;
  return H3D_OK;
}

void
h3d_ref_conv_release(h3d_device *dev, h3d_conv *plan)
{
  ref_conv *p = (ref_conv *)plan;

  if (p) {
    h3d_ref_release(dev, p->w);
    h3d_free(p);
  }
}

const char *
h3d_ref_conv_about(const h3d_conv *plan, size_t *bytes)
{
  *bytes = ((const ref_conv *)plan)->bytes;
  return "plain loops";
}

void
h3d_ref_conv_forward(h3d_device *dev, h3d_conv *plan, int64_t n, const void *x,
                     const void *w, const void *b, void *y)
{
  H3D_REF_PICK(dev, forward)((ref_conv *)plan, n, x, w, b, y);
}

void
h3d_ref_conv_backward_data(h3d_device *dev, h3d_conv *plan, int64_t n,
                           const void *dy, const void *w, void *dx)
{
  H3D_REF_PICK(dev, backward_data)((ref_conv *)plan, n, dy, w, dx);
}

void
h3d_ref_conv_backward_weights(h3d_device *dev, h3d_conv *plan, int64_t n,
                              const void *x, const void *dy, void *dw,
                              void *db)
{
  H3D_REF_PICK(dev, backward_weights)((ref_conv *)plan, n, x, dy, dw);
  if (db) {
    h3d_ref_bias_gradient(dev,
                          n * volume(((ref_conv *)plan)->s.fwd, extent_out),
                          ((ref_conv *)plan)->s.cout, dy, db);
  }
}
