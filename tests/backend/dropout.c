#include "config.h"

#include "tap.h"

#include "backend/devices.h"

TAP_RANKS("1")

/* The whole batch dropped at once, and as two blocks of it. */
enum { N = 3, D = 4, H = 5, W = 7, C = 3, SIZE = N * D * H * W * C };

static void
test_dropout(h3d_device *dev, double drop)
{
  h3d_rng rng = h3d_rng_init(3, H3D_RNG_DROPOUT, 1, 2);
  h3d_place all = { N, C, { D, H, W }, 0, { 0, 0, 0 }, { D, H, W } };
  h3d_place block = { 1, C, { 2, 3, 4 }, 2, { 1, 2, 3 }, { D, H, W } };
  double *x = random_reals(SIZE, 1), *want = h3d_new(SIZE, sizeof *want);
  double *part = h3d_new(2 * 3 * 4 * C, sizeof *part), *got, *got_part;
  void *mx = to_device(dev, SIZE, x), *mp;
  int i, kept = 0, good;
  char name[32];

  for (i = 0; i < SIZE; i++) {
    want[i]
      = h3d_rng_uniform(&rng, (uint64_t)i) >= drop ? x[i] / (1 - drop) : 0;
    kept += want[i] != 0;
  }
  for (i = 0; i < 2 * 3 * 4 * C; i++) {
    int c = i % C, w = i / C % 4 + 3, h = i / C / 4 % 3 + 2;
    int d = i / C / 12 + 1;

    part[i] = x[(((2 * D + d) * H + h) * W + w) * C + c];
  }
  mp = to_device(dev, 2 * 3 * 4 * C, part);
  dev->be->dropout(dev, &all, &rng, drop, mx, mx);
  dev->be->dropout(dev, &block, &rng, drop, mp, mp);
  got = from_device(dev, SIZE, mx);
  got_part = from_device(dev, 2 * 3 * 4 * C, mp);
  good = is_near(SIZE, got, want, NULL, 8 * device_epsilon(dev));
  ok(good, "%s: dropout of %g by global index", device_name(dev, name), drop);
  good = 1;
  for (i = 0; i < 2 * 3 * 4 * C; i++) {
    int c = i % C, w = i / C % 4 + 3, h = i / C / 4 % 3 + 2;
    int d = i / C / 12 + 1;

    good &= got_part[i] == got[(((2 * D + d) * H + h) * W + w) * C + c];
  }
  ok(good, "%s: a block drops what the whole drops", device_name(dev, name));
  ok(fabs(kept / (double)SIZE - (1 - drop)) < 0.05,
     "%s: a share of %g is dropped", device_name(dev, name), drop);
  h3d_free(x);
  h3d_free(want);
  h3d_free(part);
  h3d_free(got);
  h3d_free(got_part);
}

void
tap_main(void)
{
  h3d_device dev[DEVICES_MAX];
  int n = open_devices(dev), i;

  for (i = 0; i < n; i++) {
    test_dropout(&dev[i], 0.5);
    test_dropout(&dev[i], 0.2);
    test_dropout(&dev[i], 0);
  }
  close_devices(dev, n);
}
