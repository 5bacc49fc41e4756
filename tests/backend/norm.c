#include "config.h"

#include "tap.h"

#include "backend/devices.h"

TAP_RANKS("1")

/* The sums of a norm against long double, for a mean that is large beside the
 * deviation. */
static void
test_sums(h3d_device *dev, int64_t m, int64_t c, double mean)
{
  int64_t size = m * c, i, j;
  double *x = random_reals(size, 1), *dy = random_reals(size, 2);
  double *out = h3d_new((size_t)c * 4, sizeof *out);
  double *inv = h3d_new((size_t)c, sizeof *inv), *db;
  int good = 1, same = 1;
  void *mx, *mdy, *mdb;
  char name[32];

  for (i = 0; i < size; i++) {
    x[i] += mean * (double)(i % c + 1);
  }
  for (j = 0; j < c; j++) {
    out[j] = out[c + j] = out[2 * c + j] = out[3 * c + j] = 77;
    inv[j] = 1 + 0.1 * (double)j;
  }
  mx = to_device(dev, size, x);
  mdy = to_device(dev, size, dy);
  mdb = to_device(dev, c, inv);
  dev->be->norm_moments(dev, m, c, mx, out, out + c);
  dev->be->norm_sums(dev, m, c, out, inv, mx, mdy, out + 2 * c, out + 3 * c);
  dev->be->bias_gradient(dev, m, c, mdy, mdb);
  db = from_device(dev, c, mdb);
  for (j = 0; j < c; j++) {
    long double sum = 0, squares = 0, g = 0, gx = 0, mid;

    for (i = 0; i < m; i++) {
      sum += x[i * c + j];
      g += dy[i * c + j];
    }
    mid = m > 0 ? sum / m : 0;
    for (i = 0; i < m; i++) {
      squares += (x[i * c + j] - mid) * (x[i * c + j] - mid);
      gx += dy[i * c + j] * (x[i * c + j] - mid);
    }
    /* All are sums in double, whatever the device's type. */
    good &= fabs(out[j] - (double)mid) <= 1e-14 * (1 + fabs((double)mid))
            && fabs(out[c + j] - (double)squares) <= 1e-9 * (double)squares
            && fabs(out[2 * c + j] - (double)g) <= 1e-11
            && fabs(out[3 * c + j] - (double)gx * inv[j]) <= 1e-8;
    same &= fabs(db[j] - (double)g)
            <= 1e-11 + 2 * device_epsilon(dev) * fabs((double)g);
  }
  ok(good, "%s: moments and sums, %d voxels, %d channels, mean %g",
     device_name(dev, name), (int)m, (int)c, mean);
  ok(same, "%s: bias gradient", device_name(dev, name));
  dev->be->release(dev, mx);
  dev->be->release(dev, mdy);
  h3d_free(x);
  h3d_free(dy);
  h3d_free(db);
  h3d_free(out);
  h3d_free(inv);
}

static void
test_lines(h3d_device *dev, int64_t m, int64_t c)
{
  int64_t size = m * c, i;
  double *x = random_reals(size, 3), *dy = random_reals(size, 4);
  double *a = random_reals(c, 5), *b = random_reals(c, 6), *y, *dx, *z;
  double *k = random_reals(c, 7), *want = h3d_new((size_t)size * 3, sizeof *a);
  void *mx = to_device(dev, size, x), *mdy = to_device(dev, size, dy);
  void *my = to_device(dev, size, dy), *mz = to_device(dev, size, x);
  void *mb = to_device(dev, c, b);
  double e = 4 * device_epsilon(dev);
  char name[32];
  int good;

  for (i = 0; i < size; i++) {
    int64_t j = i % c;

    want[i] = a[j] * x[i] + b[j];
    want[size + i] = a[j] * dy[i] + b[j] * x[i] + k[j];
    want[2 * size + i] = x[i] + b[j];
  }
  dev->be->norm_apply(dev, m, c, a, b, mx, my);
  dev->be->norm_backward(dev, m, c, a, b, k, mx, mdy, mdy);
  dev->be->bias_add(dev, m, c, mb, mz);
  y = from_device(dev, size, my);
  dx = from_device(dev, size, mdy);
  z = from_device(dev, size, mz);
  good = is_near(size, y, want, NULL, e);
  ok(good, "%s: norm applied, %d voxels, %d channels", device_name(dev, name),
     (int)m, (int)c);
  good = is_near(size, dx, want + size, NULL, e);
  ok(good, "%s: norm backward, in place", device_name(dev, name));
  good = is_near(size, z, want + 2 * size, NULL, e);
  ok(good, "%s: bias added", device_name(dev, name));
  dev->be->release(dev, mx);
  dev->be->release(dev, mb);
  h3d_free(x);
  h3d_free(dy);
  h3d_free(y);
  h3d_free(dx);
  h3d_free(z);
  h3d_free(a);
  h3d_free(b);
  h3d_free(k);
  h3d_free(want);
}

void
tap_main(void)
{
  h3d_device dev[DEVICES_MAX];
  int n = open_devices(dev), i;

  for (i = 0; i < n; i++) {
    test_sums(&dev[i], 20011, 5, 0);
    test_sums(&dev[i], 4096, 7, 1000);
    test_sums(&dev[i], 129, 130, 1);
    test_sums(&dev[i], 1, 3, 10);
    test_sums(&dev[i], 0, 4, 0);
    test_lines(&dev[i], 515, 33);
    test_lines(&dev[i], 7, 1);
    test_lines(&dev[i], 0, 8);
  }
  close_devices(dev, n);
}
