#include "config.h"

#include "tap.h"

#include "backend/devices.h"

TAP_RANKS("1")

/* Several steps against the same formulas by hand in double, beyond the
 * chunk of any backend. */
enum { N = 17001, STEPS = 5 };

static void
test_sgd(h3d_device *dev, h3d_sgd_shape s, const char *what)
{
  double *w = random_reals(N, 1), *m = h3d_new(N, sizeof *m), *got;
  void *mw = to_device(dev, N, w), *mm = to_device(dev, N, m), *mg;
  char name[32];
  int t, i, good;

  for (t = 0; t < STEPS; t++) {
    double *g = random_reals(N, 10 + (uint64_t)t);

    mg = to_device(dev, N, g);
    for (i = 0; i < N; i++) {
      double d = g[i] + s.decay * w[i];

      m[i] = s.momentum * m[i] + d;
      w[i] -= s.lr * (s.nesterov ? d + s.momentum * m[i] : m[i]);
    }
    dev->be->sgd(dev, &s, N, mg, s.momentum > 0 ? mm : NULL, mw);
    dev->be->release(dev, mg);
    h3d_free(g);
  }
  got = from_device(dev, N, mw);
  /* Weights near 1, a few roundings a step. */
  good = is_near(N, got, w, NULL, 8 * STEPS * device_epsilon(dev));
  ok(good, "%s: %s", device_name(dev, name), what);
  dev->be->release(dev, mm);
  h3d_free(w);
  h3d_free(m);
  h3d_free(got);
}

static void
test_adam(h3d_device *dev, h3d_adam_shape s, const char *what)
{
  double *w = random_reals(N, 2), *m = h3d_new(N, sizeof *m), *got;
  double *v = h3d_new(N, sizeof *v);
  void *mw = to_device(dev, N, w), *mm = to_device(dev, N, m), *mg;
  void *mv = to_device(dev, N, v);
  char name[32];
  int t, i, good;

  for (t = 1; t <= STEPS; t++) {
    double *g = random_reals(N, 20 + (uint64_t)t);

    g[3] = 0; /* eps alone in the denominator, at first */
    mg = to_device(dev, N, g);
    for (i = 0; i < N; i++) {
      double d = g[i] + (s.decoupled ? 0 : s.decay * w[i]);

      m[i] = s.beta1 * m[i] + (1 - s.beta1) * d;
      v[i] = s.beta2 * v[i] + (1 - s.beta2) * d * d;
      w[i] -= s.decoupled ? s.lr * s.decay * w[i] : 0;
      w[i] -= s.lr * m[i] / (1 - pow(s.beta1, t))
              / (sqrt(v[i] / (1 - pow(s.beta2, t))) + s.eps);
    }
    s.step = t;
    dev->be->adam(dev, &s, N, mg, mm, mv, mw);
    dev->be->release(dev, mg);
    h3d_free(g);
  }
  got = from_device(dev, N, mw);
  good = is_near(N, got, w, NULL, 8 * STEPS * device_epsilon(dev));
  ok(good, "%s: %s", device_name(dev, name), what);
  dev->be->release(dev, mm);
  dev->be->release(dev, mv);
  h3d_free(w);
  h3d_free(m);
  h3d_free(v);
  h3d_free(got);
}

static void
test_vectors(h3d_device *dev)
{
  double *x = random_reals(N, 3), *y = random_reals(N, 4), *got, sum = 0, s;
  void *mx = to_device(dev, N, x), *my = to_device(dev, N, y);
  double bad[3] = { NAN, INFINITY, -INFINITY };
  size_t one = h3d_type_size(dev->type);
  int i, good;
  char name[32];

  for (i = 0; i < N; i++) {
    sum += x[i] * x[i];
  }
  s = dev->be->sum_squares(dev, N, mx);
  ok(fabs(s - sum) < 1e-11 * sum, "%s: sum of squares, in double",
     device_name(dev, name));
  dev->be->add(dev, N, mx, my);
  dev->be->scale(dev, N, 0.25, my);
  got = from_device(dev, N, my);
  for (i = 0; i < N; i++) {
    y[i] = (x[i] + y[i]) * 0.25;
  }
  good = is_near(N, got, y, NULL, 2 * device_epsilon(dev));
  ok(good, "%s: add and scale", device_name(dev, name));
  good = dev->be->is_finite(dev, N, mx) && dev->be->is_finite(dev, 0, mx);
  for (i = 0; i < 3; i++) {
    float f = (float)bad[i];
    void *at = (char *)mx + (size_t)(N - 1) * one;

    dev->be->put(dev, at, one == sizeof f ? (void *)&f : (void *)&bad[i], one);
    good
      &= !dev->be->is_finite(dev, N, mx) && dev->be->is_finite(dev, N - 1, mx);
  }
  ok(good, "%s: NaN and infinities are seen", device_name(dev, name));
  dev->be->release(dev, mx);
  h3d_free(x);
  h3d_free(y);
  h3d_free(got);
}

void
tap_main(void)
{
  h3d_device dev[DEVICES_MAX];
  int n = open_devices(dev), i;

  for (i = 0; i < n; i++) {
    test_sgd(&dev[i], (h3d_sgd_shape){ .lr = 0.1 }, "plain sgd");
    test_sgd(&dev[i],
             (h3d_sgd_shape){ .lr = 0.1, .momentum = 0.9, .decay = 0.01 },
             "sgd with momentum and decay");
    test_sgd(&dev[i],
             (h3d_sgd_shape){ .lr = 0.1, .momentum = 0.9, .nesterov = 1 },
             "sgd after Nesterov");
    test_adam(
      &dev[i],
      (h3d_adam_shape){
        .lr = 0.01, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .decay = 0.01 },
      "adam with decay");
    test_adam(&dev[i],
              (h3d_adam_shape){ .lr = 0.01,
                                .beta1 = 0.8,
                                .beta2 = 0.99,
                                .eps = 1e-3,
                                .decay = 0.1,
                                .decoupled = 1 },
              "adamw");
    test_vectors(&dev[i]);
  }
  close_devices(dev, n);
}
