#include "config.h"

#include "base/mem.h"
#include "io/plot.h"
#include "io/plot_axes.h"

#include <math.h>

/* Pixels. */
enum {
  SIDE = 400,
  LEFT = 92,
  RIGHT = 28,
  TOP = 76,
  GAP = 12,
  STRIP = 110,
  BOTTOM = 60,
  PANEL = LEFT + SIDE + RIGHT,
  BINS = 9
};

static const uint32_t blue = 0x0072b2, red = 0xd55e00, black = 0x222222;

static int
is_point(const h3d_scatter *s, int64_t i)
{
  return isfinite(s->truth[i]) && isfinite(s->predicted[i]);
}

static double
sigma_of(const h3d_scatter *s, int64_t i)
{
  return s->sigma && isfinite(s->sigma[i]) ? s->sigma[i] : 0;
}

/* Few points are solid; many show their density. */
static double
opacity(int64_t n)
{
  return fmax(0.12, fmin(0.75, 12 / sqrt((double)n + 1)));
}

/* Points at (truth, value); value is the prediction or the residual. */
static void
draw_points(const h3d_scatter *s, const h3d_axes *a, h3d_canvas *c,
            int residual)
{
  h3d_canvas_clip(c, a->left, a->top, a->width, a->height);
  for (int64_t i = 0; i < s->n; i++) {
    if (!is_point(s, i)) {
      continue;
    }
    const double x = h3d_axes_x(a, s->truth[i]), e = sigma_of(s, i);
    const double v = s->predicted[i] - (residual ? s->truth[i] : 0);

    h3d_canvas_colour(c, blue, opacity(s->n) / 2);
    if (e > 0) {
      h3d_canvas_line(c, x, h3d_axes_y(a, v - e), x, h3d_axes_y(a, v + e), 1,
                      0);
    }
    h3d_canvas_colour(c, blue, opacity(s->n));
    h3d_canvas_dot(c, x, h3d_axes_y(a, v), residual ? 2.2 : 3);
  }
  h3d_canvas_unclip(c);
}

/* Mean and deviation of the residual in bins of truth. */
static void
draw_bins(const h3d_scatter *s, const h3d_axes *a, h3d_canvas *c)
{
  double low, high, n[BINS] = { 0 }, sum[BINS] = { 0 }, square[BINS] = { 0 };

  h3d_axes_none(&low, &high);
  h3d_axes_grow(&low, &high, s->n, s->truth, 0);
  for (int64_t i = 0; i < s->n && low < high; i++) {
    if (is_point(s, i)) {
      const double part = (s->truth[i] - low) / (high - low) * BINS;
      const int b = part < BINS ? (int)part : BINS - 1;
      const double r = s->predicted[i] - s->truth[i];

      n[b]++;
      sum[b] += r;
      square[b] += r * r;
    }
  }
  h3d_canvas_colour(c, black, 1);
  for (int b = 0; b < BINS; b++) {
    if (n[b] >= 3) {
      const double x = h3d_axes_x(a, low + (high - low) * (b + 0.5) / BINS);
      const double mean = sum[b] / n[b];
      const double dev = sqrt(fmax(0, square[b] / n[b] - mean * mean));

      h3d_canvas_line(c, x, h3d_axes_y(a, mean - dev), x,
                      h3d_axes_y(a, mean + dev), 1.6, 0);
      h3d_canvas_dot(c, x, h3d_axes_y(a, mean), 3.4);
    }
  }
}

/* Truth and prediction share one range, so that equality is the diagonal. */
static h3d_axes
main_axes(const h3d_scatter *s, double left)
{
  h3d_axes a
    = { .left = left + LEFT, .top = TOP, .width = SIDE, .height = SIDE };

  h3d_axes_none(&a.low[0], &a.high[0]);
  for (int64_t i = 0; i < s->n; i++) {
    if (is_point(s, i)) {
      h3d_axes_grow(&a.low[0], &a.high[0], 1, &s->truth[i], 0);
      h3d_axes_grow(&a.low[0], &a.high[0], 1, &s->predicted[i], 0);
    }
  }
  h3d_axes_round(&a.low[0], &a.high[0], 0);
  a.low[1] = a.low[0];
  a.high[1] = a.high[0];
  return a;
}

static h3d_axes
strip_axes(const h3d_scatter *s, const h3d_axes *above)
{
  h3d_axes a = *above;
  double most = 0;

  for (int64_t i = 0; i < s->n; i++) {
    if (is_point(s, i)) {
      most = fmax(most, fabs(s->predicted[i] - s->truth[i]));
    }
  }
  a.top = above->top + above->height + GAP;
  a.height = STRIP;
  a.high[1] = most > 0 ? 1.1 * most : 1;
  a.low[1] = -a.high[1];
  return a;
}

static void
draw_panel(const h3d_scatter *s, h3d_canvas *c, double left)
{
  const char *open = s->unit[0] ? " [" : "", *shut = s->unit[0] ? "]" : "";
  char *truth = h3d_sprintf("true %s%s%s%s", s->name, open, s->unit, shut);
  char *guess
    = h3d_sprintf("predicted %s%s%s%s", s->name, open, s->unit, shut);
  h3d_axes a = main_axes(s, left), strip = strip_axes(s, &a);

  a.label[1] = guess;
  strip.label[0] = truth;
  strip.label[1] = "residual";
  h3d_axes_draw(&a, c);
  h3d_axes_draw(&strip, c);
  draw_points(s, &a, c, 0);
  draw_points(s, &strip, c, 1);
  h3d_canvas_colour(c, red, 1);
  h3d_canvas_line(c, a.left, a.top + SIDE, a.left + SIDE, a.top, 1.5, 7);
  h3d_canvas_line(c, a.left, h3d_axes_y(&strip, 0), a.left + SIDE,
                  h3d_axes_y(&strip, 0), 1.5, 7);
  draw_bins(s, &strip, c);
  h3d_axes_note(c, a.left + 10, a.top + 10, s->notes, s->note);
  h3d_canvas_text(c, a.left + SIDE / 2., TOP - 14, 16, H3D_CENTRE, 1, 0,
                  s->name);
  h3d_free(truth);
  h3d_free(guess);
}

h3d_status
h3d_plot_scatter(const char *path, const char *title, int panels,
                 const h3d_scatter *panel)
{
  h3d_canvas *c = NULL;
  h3d_status st = H3D_OK;

  if (panels < 1 || panels > 16) {
    return h3d_fail(H3D_ERR_SHAPE, "%s: %d panels: a figure has 1 to 16", path,
                    panels);
  }
  H3D_TRY(
    h3d_canvas_new(panels * PANEL, TOP + SIDE + GAP + STRIP + BOTTOM, &c));
  for (int p = 0; p < panels; p++) {
    draw_panel(&panel[p], c, (double)p * PANEL);
  }
  h3d_canvas_text(c, panels * PANEL / 2., 32, 18, H3D_CENTRE, 1, 0, title);
  st = h3d_canvas_write(c, path);
done:
  h3d_canvas_free(&c);
  return st;
}
