#include "config.h"

#include "tap.h"

#include "backend/devices.h"

TAP_RANKS("1")

static double
f(const h3d_act_shape *s, double x)
{
  switch (s->fn) {
  case H3D_ACT_RELU:
    return x > 0 ? x : 0;
  case H3D_ACT_LEAKY:
    return x > 0 ? x : s->slope * x;
  default:
    return s->scale * tanh(x);
  }
}

static void
test_act(h3d_device *dev, h3d_act_shape s, const char *what)
{
  enum { N = 40001 };
  double *x = random_reals(N, 1), *dy = random_reals(N, 2), *y, *dx;
  double *want = h3d_new(N, sizeof *want), *slope = h3d_new(N, sizeof *slope);
  void *mx, *mdy;
  char name[32];
  int i, good;

  for (i = 0; i < N; i++) {
    x[i] *= 3;
  }
  x[7] = x[N - 1] = 0;
  mx = to_device(dev, N, x);
  mdy = to_device(dev, N, dy);
  for (i = 0; i < N; i++) {
    double h = 1e-6;

    want[i] = f(&s, x[i]);
    /* A kink takes its slope from the left. */
    slope[i] = x[i] == 0 && s.fn != H3D_ACT_TANH
                 ? (f(&s, 0) - f(&s, -h)) / h * dy[i]
                 : (f(&s, x[i] + h) - f(&s, x[i] - h)) / (2 * h) * dy[i];
  }
  dev->be->act_forward(dev, &s, N, mx, mx); /* in place */
  dev->be->act_backward(dev, &s, N, mx, mdy, mdy);
  dev->be->act_forward(dev, &s, 0, mx, mx);
  y = from_device(dev, N, mx);
  dx = from_device(dev, N, mdy);
  good = is_near(N, y, want, NULL, 16 * device_epsilon(dev));
  ok(good, "%s: %s", device_name(dev, name), what);
  /* Differences are good to about 1e-9; in fp32 the output's rounding is
   * felt where tanh is flat. */
  good = is_near(N, dx, slope, NULL, 1e-8 + 32 * device_epsilon(dev));
  ok(good, "%s: %s, derivative", device_name(dev, name), what);
  h3d_free(x);
  h3d_free(dy);
  h3d_free(y);
  h3d_free(dx);
  h3d_free(want);
  h3d_free(slope);
}

void
tap_main(void)
{
  h3d_device dev[DEVICES_MAX];
  int n = open_devices(dev), i;

  for (i = 0; i < n; i++) {
    test_act(&dev[i], (h3d_act_shape){ .fn = H3D_ACT_RELU, .slope = 9 },
             "relu");
    test_act(&dev[i], (h3d_act_shape){ .fn = H3D_ACT_LEAKY, .slope = 0.01 },
             "leaky relu");
    test_act(&dev[i], (h3d_act_shape){ .fn = H3D_ACT_TANH, .scale = 1.2 },
             "scaled tanh");
  }
  close_devices(dev, n);
}
