#include "config.h"

#include "io/plot_axes.h"

#include "io/plot_ticks.h"

#include <math.h>

static const uint32_t ink = 0x222222, faint = 0xe4e4e4;

void
h3d_axes_none(double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
}

void
h3d_axes_grow(double *low, double *high, int64_t n, const double *v,
              int positive)
{
  for (int64_t i = 0; i < n; i++) {
    if (isfinite(v[i]) && (!positive || v[i] > 0)) {
      *low = fmin(*low, v[i]);
      *high = fmax(*high, v[i]);
    }
  }
}

void
h3d_axes_round(double *low, double *high, int log)
{
  if (!(*low <= *high)) {
    *low = log ? 0.1 : 0;
    *high = 1;
  }
  if (log) {
    const double factor = fmax(pow(*high / *low, 0.05), 1.05);

    *low /= factor;
    *high *= factor;
  } else {
    double margin = (*high - *low) / 20;

    /* A constant gets an axis about itself. */
    if (margin <= fabs(*high) * 1e-12) {
      margin = *high == 0 ? 1 : fabs(*high) / 10;
    }
    *low -= margin;
    *high += margin;
  }
}

double
h3d_axes_x(const h3d_axes *a, double v)
{
  return a->left + a->width * (v - a->low[0]) / (a->high[0] - a->low[0]);
}

double
h3d_axes_y(const h3d_axes *a, double v)
{
  const double part = a->log ? log(v / a->low[1]) / log(a->high[1] / a->low[1])
                             : (v - a->low[1]) / (a->high[1] - a->low[1]);

  return a->top + a->height * (1 - part);
}

/* Lines on half pixels are sharp. */
static double
sharp(double v)
{
  return floor(v) + 0.5;
}

static void
draw_x(const h3d_axes *a, h3d_canvas *c)
{
  const double bottom = a->top + a->height;
  h3d_ticks t;

  h3d_ticks_make(a->low[0], a->high[0], (int)fmax(2, a->width / 90), 0, &t);
  for (int i = 0; i < t.n; i++) {
    const double x = sharp(h3d_axes_x(a, t.at[i]));

    h3d_canvas_colour(c, faint, 1);
    h3d_canvas_line(c, x, a->top, x, bottom, 1, 0);
    h3d_canvas_colour(c, ink, 1);
    h3d_canvas_line(c, x, bottom, x, bottom + 5, 1, 0);
    if (a->label[0]) {
      h3d_canvas_text(c, x, bottom + 20, H3D_AXES_FONT, H3D_CENTRE, 0, 0,
                      t.text[i]);
    }
  }
  if (a->label[0]) {
    h3d_canvas_text(c, a->left + a->width / 2, bottom + 42, H3D_AXES_FONT,
                    H3D_CENTRE, 0, 0, a->label[0]);
  }
}

static void
draw_y(const h3d_axes *a, h3d_canvas *c)
{
  double widest = 0;
  h3d_ticks t;

  h3d_ticks_make(a->low[1], a->high[1], (int)fmax(3, a->height / 60), a->log,
                 &t);
  for (int i = 0; i < t.n; i++) {
    const double y = sharp(h3d_axes_y(a, t.at[i]));

    h3d_canvas_colour(c, faint, 1);
    h3d_canvas_line(c, a->left, y, a->left + a->width, y, 1, 0);
    h3d_canvas_colour(c, ink, 1);
    h3d_canvas_line(c, a->left - 5, y, a->left, y, 1, 0);
    if (a->label[1]) {
      h3d_canvas_text(c, a->left - 9, y + 5, H3D_AXES_FONT, H3D_RIGHT, 0, 0,
                      t.text[i]);
      widest
        = fmax(widest, h3d_canvas_text_width(c, H3D_AXES_FONT, 0, t.text[i]));
    }
  }
  if (a->label[1]) {
    h3d_canvas_text(c, a->left - widest - 20, a->top + a->height / 2,
                    H3D_AXES_FONT, H3D_CENTRE, 0, 1, a->label[1]);
  }
}

void
h3d_axes_draw(const h3d_axes *a, h3d_canvas *c)
{
  draw_x(a, c);
  draw_y(a, c);
  h3d_canvas_colour(c, ink, 1);
  h3d_canvas_box(c, sharp(a->left), sharp(a->top), floor(a->width),
                 floor(a->height), 1);
}

void
h3d_axes_note(h3d_canvas *c, double x, double y, int lines,
              const char *const *line)
{
  const double pitch = H3D_AXES_FONT + 4;
  double widest = 0;

  for (int i = 0; i < lines; i++) {
    widest = fmax(widest, h3d_canvas_text_width(c, H3D_AXES_FONT, 0, line[i]));
  }
  if (lines > 0) {
    h3d_canvas_colour(c, 0xffffff, 0.85);
    h3d_canvas_box(c, sharp(x), sharp(y), ceil(widest) + 16, pitch * lines + 8,
                   0);
    h3d_canvas_colour(c, 0xbbbbbb, 1);
    h3d_canvas_box(c, sharp(x), sharp(y), ceil(widest) + 16, pitch * lines + 8,
                   1);
    h3d_canvas_colour(c, ink, 1);
  }
  for (int i = 0; i < lines; i++) {
    h3d_canvas_text(c, x + 8, y + pitch * (i + 1), H3D_AXES_FONT, H3D_LEFT, 0,
                    0, line[i]);
  }
}
