#include "config.h"

#include "tap.h"

#include "backend/devices.h"

TAP_RANKS("1")

static int64_t
cells(const h3d_local l[3], int out)
{
  return out ? l[0].out * l[1].out * l[2].out : l[0].in * l[1].in * l[2].in;
}

/* Input cell of output j (a number) through tap t (a number), or -1. */
static int64_t
reads(const h3d_local l[3], int64_t j, int64_t t)
{
  int64_t jj[3]
    = { j / l[2].out / l[1].out, j / l[2].out % l[1].out, j % l[2].out };
  int64_t tt[3] = { t / l[2].kernel / l[1].kernel,
                    t / l[2].kernel % l[1].kernel, t % l[2].kernel };
  int64_t i, at = 0;
  int a;

  for (a = 0; a < 3; a++) {
    i = l[a].stride * jj[a] - l[a].pad + tt[a] * l[a].dilation;
    if (i < 0 || i >= l[a].in) {
      return -1;
    }
    at = at * l[a].in + i;
  }
  return at;
}

static void
forward(const h3d_pool_shape *s, int64_t n, const double *x, double *y,
        int32_t *tap)
{
  const h3d_local *l = s->fwd;
  int64_t taps = (int64_t)l[0].kernel * l[1].kernel * l[2].kernel, k, j, t, c;

  for (k = 0; k < n; k++) {
    for (j = 0; j < cells(l, 1); j++) {
      for (c = 0; c < s->c; c++) {
        int64_t to = (k * cells(l, 1) + j) * s->c + c;
        double sum = 0, best = -HUGE_VAL;

        tap[to] = -1;
        for (t = 0; t < taps; t++) {
          int64_t i = reads(l, j, t);
          double v = i < 0 ? 0 : x[(k * cells(l, 0) + i) * s->c + c];

          sum += v;
          if (i >= 0 && v > best) {
            best = v;
            tap[to] = (int32_t)t;
          }
        }
        y[to] = s->op == H3D_POOL_MEAN ? sum / (double)taps
                : tap[to] < 0          ? 0
                                       : best;
      }
    }
  }
}

static void
scatter(const h3d_pool_shape *s, int64_t n, const double *dy,
        const int32_t *tap, double *dx)
{
  const h3d_local *l = s->bwd;
  int64_t taps = (int64_t)l[0].kernel * l[1].kernel * l[2].kernel, k, j, t, c;

  for (k = 0; k < n; k++) {
    for (j = 0; j < cells(l, 1); j++) {
      for (t = 0; t < taps; t++) {
        for (c = 0; c < s->c && reads(l, j, t) >= 0; c++) {
          int64_t from = (k * cells(l, 1) + j) * s->c + c;
          double *to = &dx[(k * cells(l, 0) + reads(l, j, t)) * s->c + c];

          *to += s->op == H3D_POOL_MEAN ? dy[from] / (double)taps
                 : tap[from] == t       ? dy[from]
                                        : 0;
        }
      }
    }
  }
}

/* Few different values, so that maxima tie. */
static double *
coarse_reals(int64_t n, uint64_t what)
{
  double *x = random_reals(n, what);
  int64_t i;

  for (i = 0; i < n; i++) {
    x[i] = floor(4 * x[i]);
  }
  return x;
}

static int
is_forward_right(h3d_device *dev, const h3d_pool_shape *s, int64_t n)
{
  int64_t nx = n * cells(s->fwd, 0) * s->c, ny = n * cells(s->fwd, 1) * s->c;
  double *x
    = s->op == H3D_POOL_MAX ? coarse_reals(nx, 1) : random_reals(nx, 1);
  double *want = random_reals(ny, 2), *got;
  int32_t *tap = h3d_new((size_t)ny, sizeof *tap);
  int32_t *got_tap = h3d_new((size_t)ny, sizeof *tap);
  void *mx = to_device(dev, nx, x), *my = to_device(dev, ny, want), *mt;
  int is_max = s->op == H3D_POOL_MAX, good;

  dev->be->alloc(dev, (size_t)ny * sizeof *tap, &mt);
  forward(s, n, x, want, tap);
  dev->be->pool_forward(dev, s, n, mx, my, is_max ? mt : NULL);
  dev->be->sync(dev);
  dev->be->get(dev, got_tap, mt, (size_t)ny * sizeof *tap);
  got = from_device(dev, ny, my);
  good = is_near(ny, got, want, NULL, is_max ? 0 : 8 * device_epsilon(dev))
         && (!is_max || memcmp(tap, got_tap, (size_t)ny * sizeof *tap) == 0);
  dev->be->release(dev, mx);
  dev->be->release(dev, mt);
  h3d_free(x);
  h3d_free(want);
  h3d_free(got);
  h3d_free(tap);
  h3d_free(got_tap);
  return good;
}

static int
is_backward_right(h3d_device *dev, const h3d_pool_shape *s, int64_t n)
{
  const h3d_local *l = s->bwd;
  int64_t nx = n * cells(l, 0) * s->c, ny = n * cells(l, 1) * s->c, i;
  int taps = l[0].kernel * l[1].kernel * l[2].kernel;
  double *dy = random_reals(ny, 3), *junk = random_reals(nx, 4), *got;
  double *want = h3d_new((size_t)nx, sizeof *want);
  int32_t *tap = h3d_new((size_t)ny, sizeof *tap);
  h3d_rng rng = h3d_rng_init(5, H3D_RNG_TEST, 6, 0);
  void *my, *mx = to_device(dev, nx, junk), *mt;
  int is_max = s->op == H3D_POOL_MAX, good;

  for (i = 0; i < ny; i++) {
    tap[i] = draw(&rng, 0, taps - 1);
  }
  my = to_device(dev, ny, dy);
  dev->be->alloc(dev, (size_t)ny * sizeof *tap, &mt);
  dev->be->put(dev, mt, tap, (size_t)ny * sizeof *tap);
  scatter(s, n, dy, tap, want);
  dev->be->pool_backward(dev, s, n, my, is_max ? mt : NULL, mx);
  got = from_device(dev, nx, mx);
  good = is_near(nx, got, want, NULL, 64 * device_epsilon(dev));
  dev->be->release(dev, my);
  dev->be->release(dev, mt);
  h3d_free(dy);
  h3d_free(junk);
  h3d_free(want);
  h3d_free(got);
  h3d_free(tap);
  return good;
}

static void
test_random(h3d_device *dev, h3d_pool_op op, int cases)
{
  static const int channels[] = { 1, 3, 4, 16, 33, 70 };
  h3d_rng rng = h3d_rng_init(12, H3D_RNG_TEST, op, 0);
  int bad = 0, i, a;
  char name[32];

  for (i = 0; i < cases; i++) {
    h3d_pool_shape s = { .op = op, .c = channels[draw(&rng, 0, 5)] };
    int64_t n = draw(&rng, 0, 2);

    for (a = 0; a < 3; a++) {
      s.fwd[a] = random_local(&rng, a == 2 ? 7 : 3, -2);
      s.bwd[a] = random_local(&rng, 1, -2);
      s.bwd[a].kernel = s.fwd[a].kernel;
      s.bwd[a].stride = s.fwd[a].stride;
      s.bwd[a].dilation = s.fwd[a].dilation;
      s.bwd[a].pad = draw(&rng, -1, s.fwd[a].kernel * s.fwd[a].dilation);
    }
    if (i % 13 == 3) {
      s.fwd[i % 3].in = s.bwd[i % 3].out = 0;
    }
    if (i % 13 == 5) {
      s.fwd[i % 3].out = s.bwd[i % 3].in = 0;
    }
    bad += !is_forward_right(dev, &s, n) || !is_backward_right(dev, &s, n);
  }
  ok(bad == 0, "%s: %d random %s pools agree with brute force",
     device_name(dev, name), cases, op == H3D_POOL_MAX ? "max" : "mean");
}

/* Rows longer than the tiles of any backend, and windows wider than them. */
static void
test_long(h3d_device *dev)
{
  static const h3d_local width[] = {
    { 3, 2, 1, 301, 151, 1 }, { 3, 1, 1, 300, 300, 1 },
    { 2, 2, 1, 300, 150, 0 }, { 7, 1, 2, 200, 200, 6 },
    { 70, 2, 1, 150, 41, 0 }, { 5, 3, 16, 130, 23, 1 },
  };
  h3d_local one = { 1, 1, 1, 1, 1, 0 }, three = { 3, 1, 1, 2, 2, 1 };
  int bad = 0, i, c;
  char name[32];

  for (i = 0; i < 6; i++) {
    for (c = 1; c <= 80; c += 79) {
      h3d_pool_shape s = {
        H3D_POOL_MEAN, c, { one, three, width[i] }, { one, three, width[i] }
      };

      bad += !is_forward_right(dev, &s, 1) || !is_backward_right(dev, &s, 1);
    }
  }
  ok(bad == 0, "%s: long rows and wide windows agree with brute force",
     device_name(dev, name));
}

/* <pool x, y> = <x, pool' y> for the mean. */
static void
test_adjoint(h3d_device *dev)
{
  h3d_local l = { 3, 2, 1, 9, 5, 1 };
  h3d_pool_shape s = { H3D_POOL_MEAN, 5, { l, l, l }, { l, l, l } };
  int64_t nx = 729 * 5, ny = 125 * 5, i;
  double *x = random_reals(nx, 7), *y = random_reals(ny, 8), *py, *px;
  void *mx = to_device(dev, nx, x), *my = to_device(dev, ny, y);
  void *mpy = to_device(dev, ny, y), *mpx = to_device(dev, nx, x);
  double a = 0, b = 0;
  char name[32];

  dev->be->pool_forward(dev, &s, 1, mx, mpy, NULL);
  dev->be->pool_backward(dev, &s, 1, my, NULL, mpx);
  py = from_device(dev, ny, mpy);
  px = from_device(dev, nx, mpx);
  for (i = 0; i < ny; i++) {
    a += py[i] * y[i];
  }
  for (i = 0; i < nx; i++) {
    b += px[i] * x[i];
  }
  ok(fabs(a - b) < 1e3 * device_epsilon(dev), "%s: backward is the adjoint",
     device_name(dev, name));
  dev->be->release(dev, mx);
  dev->be->release(dev, my);
  h3d_free(x);
  h3d_free(y);
  h3d_free(px);
  h3d_free(py);
}

/* A NaN must not be lost among larger numbers. */
static void
test_nan(h3d_device *dev)
{
  h3d_local one = { 1, 1, 1, 1, 1, 0 }, l = { 3, 1, 1, 3, 1, 0 };
  h3d_pool_shape s = { H3D_POOL_MAX, 1, { one, one, l }, { one, one, l } };
  double x[3] = { 1, NAN, 2 }, zero[1] = { 0 }, *got;
  void *mx = to_device(dev, 3, x), *my = to_device(dev, 1, zero), *mt;
  char name[32];

  dev->be->alloc(dev, sizeof(int32_t), &mt);
  dev->be->pool_forward(dev, &s, 1, mx, my, mt);
  got = from_device(dev, 1, my);
  ok(isnan(got[0]), "%s: the maximum with a NaN is NaN",
     device_name(dev, name));
  dev->be->release(dev, mx);
  dev->be->release(dev, mt);
  h3d_free(got);
}

void
tap_main(void)
{
  h3d_device dev[DEVICES_MAX];
  int n = open_devices(dev), i;

  for (i = 0; i < n; i++) {
    test_random(&dev[i], H3D_POOL_MEAN, 120);
    test_random(&dev[i], H3D_POOL_MAX, 120);
    test_long(&dev[i]);
    test_adjoint(&dev[i]);
    test_nan(&dev[i]);
  }
  close_devices(dev, n);
}
