/* Ticks exactly; figures by what lies on certain pixels. */
#include "config.h"

#include "base/mem.h"
#include "io/plot.h"
#include "io/plot_axes.h"
#include "io/plot_ticks.h"
#include "io/png.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TAP_RANKS("1")

static const char path[] = "test-io-plot.png";

static void
test_ticks(double low, double high, int wanted, int log, const char *want)
{
  char got[256] = "";
  h3d_ticks t;

  h3d_ticks_make(low, high, wanted, log, &t);
  for (int i = 0; i < t.n; i++) {
    strncat(got, t.text[i], sizeof got - strlen(got) - 1);
    strncat(got, i + 1 < t.n ? " " : "", sizeof got - strlen(got) - 1);
  }
  ok(strcmp(got, want) == 0, "%g to %g%s: \"%s\" is \"%s\"", low, high,
     log ? " log" : "", got, want);
}

/* Pixels that are neither gray nor white: drawn data. */
static int64_t
coloured(const uint8_t *rgb, int64_t pixels)
{
  int64_t n = 0;

  for (int64_t i = 0; i < pixels; i++) {
    n += rgb[3 * i] != rgb[3 * i + 1] || rgb[3 * i] != rgb[3 * i + 2];
  }
  return n;
}

static int64_t
read_coloured(int *w, int *h)
{
  uint8_t *rgb;
  int c;
  int64_t n = -1;

  if (h3d_png_read(path, w, h, &c, &rgb) == H3D_OK && c == 3) {
    n = coloured(rgb, (int64_t)*w * *h);
  }
  h3d_free(rgb);
  return n;
}

static void
test_scatter(void)
{
  enum { N = 50 };
  static const char *const note[] = { "R2 0.98", "RMSE 0.02" };
  double truth[N], guess[N], sigma[N];
  int w, h, w2, h2;

  for (int i = 0; i < N; i++) {
    truth[i] = 0.1 + 0.4 * i / N;
    guess[i] = truth[i] + 0.02 * sin(i);
    sigma[i] = 0.02;
  }
  h3d_scatter s[2] = { { "Omega_m", "", N, truth, guess, NULL, 2, note },
                       { "H_0", "km/s", 0, truth, guess, NULL, 0, NULL } };
  ok(h3d_plot_scatter(path, "test", 1, s) == H3D_OK, "a scatter plot");
  const int64_t plain = read_coloured(&w, &h);
  ok(plain > 500, "%lld pixels have colour", (long long)plain);
  s[0].sigma = sigma;
  h3d_plot_scatter(path, "test", 2, s);
  const int64_t barred = read_coloured(&w2, &h2);
  ok(barred > plain + 300, "error bars add some, %lld", (long long)barred);
  ok(w2 == 2 * w && h2 == h, "two panels are twice as wide");
  guess[7] = (double)NAN;
  truth[9] = HUGE_VAL;
  ok(h3d_plot_scatter(path, "test", 1, s) == H3D_OK, "NaN is left out");
  ok(h3d_plot_scatter(path, "test", 0, s) == H3D_ERR_SHAPE,
     "no panel is refused");
}

static void
test_curves(void)
{
  enum { N = 30 };
  double x[N], y[N], zero[N] = { 0 };
  int w, h;

  for (int i = 0; i < N; i++) {
    x[i] = i + 1;
    y[i] = exp(-0.3 * i);
  }
  const h3d_series curve[2]
    = { { "train", N, x, y, 0 }, { "validation", N, x, zero, 1 } };
  h3d_curves p = { "loss", "epoch", "loss", 1, 2, curve, 20, "best" };
  ok(h3d_plot_curves(path, 1, &p) == H3D_OK, "curves");
  ok(read_coloured(&w, &h) > 500, "have colour");
  p.series = 0;
  p.mark = (double)NAN;
  ok(h3d_plot_curves(path, 1, &p) == H3D_OK, "nothing makes an empty frame");
  ok(read_coloured(&w, &h) == 0, "without colour");
  p.series = 1;
  p.curve = curve + 1;
  ok(h3d_plot_curves(path, 1, &p) == H3D_OK,
     "no positive value on a log axis");
}

/* Values at the edges of the frame are its edge pixels. */
static void
test_axes(void)
{
  const h3d_axes a = { .left = 10,
                       .top = 20,
                       .width = 100,
                       .height = 50,
                       .low = { 1, 0.1 },
                       .high = { 3, 10 },
                       .log = 1 };
  double low, high;
  const double v[] = { 3, (double)NAN, -1, HUGE_VAL };

  ok(h3d_axes_x(&a, 1) == 10 && h3d_axes_x(&a, 2) == 60
       && h3d_axes_x(&a, 3) == 110,
     "x runs to the right");
  ok(h3d_axes_y(&a, 0.1) == 70 && fabs(h3d_axes_y(&a, 1) - 45) < 1e-12
       && h3d_axes_y(&a, 10) == 20,
     "y runs up, in decades");
  h3d_axes_none(&low, &high);
  h3d_axes_grow(&low, &high, 4, v, 0);
  ok(low == -1 && high == 3, "finite values make the range");
  h3d_axes_none(&low, &high);
  h3d_axes_grow(&low, &high, 4, v, 1);
  ok(low == 3 && high == 3, "only positive ones for a log axis");
  h3d_axes_round(&low, &high, 0);
  ok(low < 3 && high > 3, "one value has room on both sides");
}

void
tap_main(void)
{
  test_ticks(0, 1, 5, 0, "0.0 0.2 0.4 0.6 0.8 1.0");
  test_ticks(-0.33, 0.42, 4, 0, "-0.2 0.0 0.2 0.4");
  test_ticks(97, 1003, 5, 0, "200 400 600 800 1000");
  test_ticks(0.27, 0.33, 4, 0, "0.28 0.30 0.32");
  test_ticks(0, 3e-6, 3, 0, "0e+00 1e-06 2e-06 3e-06");
  test_ticks(0, 250000, 3, 0, "0e+00 1e+05 2e+05");
  test_ticks(0.02, 8, 5, 1, "0.02 0.05 0.1 0.2 0.5 1 2 5");
  test_ticks(1e-6, 1e2, 3, 1, "1e-06 0.001 1");
  test_ticks(0.21, 0.29, 4, 1, "0.22 0.24 0.26 0.28");
  test_ticks(1, 1, 5, 0, "");
  test_ticks(0, HUGE_VAL, 5, 0, "");
  test_axes();
  test_scatter();
  test_curves();
  remove(path);
}
