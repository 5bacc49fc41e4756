#include "config.h"

#include "tap.h"

#include "backend/devices.h"

TAP_RANKS("1")

/* c[m][n] = sum over k of a(i, l) b(l, j), with strides, and the sum of the
 * magnitudes, of which an error of rounding is a small multiple. */
typedef struct operand {
  const double *at;
  int64_t row, column;
} operand;

static void
product(int64_t m, int64_t n, int64_t k, operand a, operand b, double *c,
        double *size)
{
  int64_t i, j, l;

  for (i = 0; i < m; i++) {
    for (j = 0; j < n; j++) {
      double sum = 0, sizes = 0;

      for (l = 0; l < k; l++) {
        double p
          = a.at[i * a.row + l * a.column] * b.at[l * b.row + j * b.column];

        sum += p;
        sizes += fabs(p);
      }
      c[i * n + j] = sum;
      size[i * n + j] = sizes;
    }
  }
}

static void
test_dense(h3d_device *dev, int64_t n, int64_t in, int64_t out)
{
  double *x = random_reals(n * in, 1), *w = random_reals(out * in, 2);
  double *dy = random_reals(n * out, 3), *got[3], *want[3], *size[3];
  int64_t count[3] = { n * out, n * in, out * in };
  void *mx = to_device(dev, n * in, x), *mw = to_device(dev, out * in, w);
  void *mdy = to_device(dev, n * out, dy), *to[3];
  char name[32];
  int good = 1, i;

  for (i = 0; i < 3; i++) {
    double *junk = random_reals(count[i], 4);

    to[i] = to_device(dev, count[i], junk);
    want[i] = junk;
    size[i] = h3d_new((size_t)count[i], sizeof **size);
  }
  product(n, out, in, (operand){ x, in, 1 }, (operand){ w, 1, in }, want[0],
          size[0]);
  product(n, in, out, (operand){ dy, out, 1 }, (operand){ w, in, 1 }, want[1],
          size[1]);
  product(out, in, n, (operand){ dy, 1, out }, (operand){ x, in, 1 }, want[2],
          size[2]);
  dev->be->dense_forward(dev, n, in, out, mx, mw, to[0]);
  dev->be->dense_backward_data(dev, n, in, out, mdy, mw, to[1]);
  dev->be->dense_backward_weights(dev, n, in, out, mx, mdy, to[2]);
  for (i = 0; i < 3; i++) {
    got[i] = from_device(dev, count[i], to[i]);
    good
      &= is_near(count[i], got[i], want[i], size[i], 16 * device_epsilon(dev));
    h3d_free(got[i]);
    h3d_free(want[i]);
    h3d_free(size[i]);
  }
  ok(good, "%s: dense, %d samples, %d to %d", device_name(dev, name), (int)n,
     (int)in, (int)out);
  dev->be->release(dev, mx);
  dev->be->release(dev, mw);
  dev->be->release(dev, mdy);
  h3d_free(x);
  h3d_free(w);
  h3d_free(dy);
}

void
tap_main(void)
{
  static const int shapes[][3] = {
    { 1, 2050, 33 }, { 3, 513, 40 }, { 4, 1, 4 }, { 8, 64, 1 }, { 9, 64, 5 },
    { 40, 70, 31 },  { 0, 8, 4 },    { 2, 0, 4 }, { 9, 0, 4 },  { 9, 4, 0 },
  };
  h3d_device dev[DEVICES_MAX];
  int n = open_devices(dev), i;
  size_t k;

  for (i = 0; i < n; i++) {
    for (k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
      test_dense(&dev[i], shapes[k][0], shapes[k][1], shapes[k][2]);
    }
  }
  close_devices(dev, n);
}
