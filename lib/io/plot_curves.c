#include "config.h"

#include "base/check.h"
#include "base/mem.h"
#include "io/plot.h"
#include "io/plot_axes.h"

#include <math.h>

/* Pixels. */
enum {
  WIDTH = 820,
  LEFT = 96,
  RIGHT = 28,
  TOP = 46,
  HEIGHT = 300,
  BOTTOM = 64,
  PANEL = TOP + HEIGHT + BOTTOM,
  PITCH = 20,
  KEY = 34 /* length of a line in the legend */
};

/* Okabe and Ito's colours, apart for everyone's eyes. */
static const uint32_t colours[8] = { 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                     0xe69f00, 0x56b4e9, 0x555555, 0x8b4513 };

static const uint32_t ink = 0x222222, mark_ink = 0x888888;

static h3d_axes
axes_of(const h3d_curves *p, double top)
{
  h3d_axes a = { .left = LEFT,
                 .top = top + TOP,
                 .width = WIDTH - LEFT - RIGHT,
                 .height = HEIGHT,
                 .log = p->log,
                 .label = { p->xlabel, p->ylabel } };

  h3d_axes_none(&a.low[0], &a.high[0]);
  h3d_axes_none(&a.low[1], &a.high[1]);
  for (int s = 0; s < p->series; s++) {
    h3d_axes_grow(&a.low[0], &a.high[0], p->curve[s].n, p->curve[s].x, 0);
    h3d_axes_grow(&a.low[1], &a.high[1], p->curve[s].n, p->curve[s].y, p->log);
  }
  if (a.log && !(a.low[1] <= a.high[1])) {
    a.log = 0;
    for (int s = 0; s < p->series; s++) {
      h3d_axes_grow(&a.low[1], &a.high[1], p->curve[s].n, p->curve[s].y, 0);
    }
  }
  h3d_axes_grow(&a.low[0], &a.high[0], 1, &p->mark, 0);
  h3d_axes_round(&a.low[0], &a.high[0], 0);
  h3d_axes_round(&a.low[1], &a.high[1], a.log);
  return a;
}

/* A point alone has no line, so few points are dots as well. */
static void
draw_curve(const h3d_series *s, const h3d_axes *a, h3d_canvas *c,
           uint32_t colour)
{
  double *x = h3d_new((size_t)s->n, 2 * sizeof *x), *y = x + s->n;

  for (int64_t i = 0; i < s->n; i++) {
    const int there = !a->log || s->y[i] > 0;

    x[i] = h3d_axes_x(a, s->x[i]);
    y[i] = there ? h3d_axes_y(a, s->y[i]) : (double)NAN;
  }
  h3d_canvas_clip(c, a->left, a->top, a->width, a->height);
  h3d_canvas_colour(c, colour, 1);
  h3d_canvas_path(c, s->n, x, y, 2, s->dashed ? 6 : 0);
  for (int64_t i = 0; i < s->n && s->n <= 60; i++) {
    if (isfinite(x[i]) && isfinite(y[i])) {
      h3d_canvas_dot(c, x[i], y[i], s->n == 1 ? 4 : 2.6);
    }
  }
  h3d_canvas_unclip(c);
  h3d_free(x);
}

static int
has_mark(const h3d_curves *p)
{
  return isfinite(p->mark);
}

/* Points that a legend of w x h in this corner (bit 0 right, bit 1 bottom)
 * would hide.
 */
static int64_t
hidden(const h3d_curves *p, const h3d_axes *a, int corner, double w, double h)
{
  int64_t n = 0;

  for (int s = 0; s < p->series; s++) {
    for (int64_t i = 0; i < p->curve[s].n; i++) {
      const double x = h3d_axes_x(a, p->curve[s].x[i]) - a->left;
      const double y = h3d_axes_y(a, p->curve[s].y[i]) - a->top;

      n += (corner & 1 ? x > a->width - w : x < w)
           && (corner & 2 ? y > a->height - h : y < h);
    }
  }
  return n;
}

static void
draw_legend(const h3d_curves *p, const h3d_axes *a, h3d_canvas *c)
{
  const int lines = p->series + has_mark(p);
  static const int order[4] = { 1, 0, 2, 3 }; /* best first */
  double widest = 0;
  int corner = order[0];

  for (int s = 0; s < lines; s++) {
    const char *name = s < p->series ? p->curve[s].name : p->mark_name;

    widest = fmax(widest, h3d_canvas_text_width(c, H3D_AXES_FONT, 0, name));
  }
  const double w = ceil(widest) + KEY + 24, h = lines * PITCH + 8;
  for (int i = 1; i < 4; i++) {
    if (hidden(p, a, order[i], w + 16, h + 16)
        < hidden(p, a, corner, w + 16, h + 16)) {
      corner = order[i];
    }
  }
  const double x = corner & 1 ? a->left + a->width - w - 10 : a->left + 10;
  const double y = corner & 2 ? a->top + a->height - h - 10 : a->top + 10;
  h3d_canvas_colour(c, 0xffffff, 0.85);
  h3d_canvas_box(c, floor(x) + 0.5, floor(y) + 0.5, w, h, 0);
  h3d_canvas_colour(c, 0xbbbbbb, 1);
  h3d_canvas_box(c, floor(x) + 0.5, floor(y) + 0.5, w, h, 1);
  for (int s = 0; s < lines; s++) {
    const double middle = y + 4 + PITCH * (s + 0.5);
    const int dash = s < p->series ? p->curve[s].dashed : 1;

    h3d_canvas_colour(c, s < p->series ? colours[s] : mark_ink, 1);
    h3d_canvas_line(c, x + 8, middle, x + 8 + KEY, middle, 2, dash ? 6 : 0);
    h3d_canvas_colour(c, ink, 1);
    h3d_canvas_text(c, x + 16 + KEY, middle + 5, H3D_AXES_FONT, H3D_LEFT, 0, 0,
                    s < p->series ? p->curve[s].name : p->mark_name);
  }
}

static void
draw_panel(const h3d_curves *p, h3d_canvas *c, double top)
{
  const h3d_axes a = axes_of(p, top);

  H3D_ASSERT(p->series >= 0 && p->series <= 8);
  h3d_axes_draw(&a, c);
  if (has_mark(p)) {
    const double x = floor(h3d_axes_x(&a, p->mark)) + 0.5;

    h3d_canvas_colour(c, mark_ink, 1);
    h3d_canvas_line(c, x, a.top, x, a.top + a.height, 1.5, 6);
  }
  for (int s = 0; s < p->series; s++) {
    draw_curve(&p->curve[s], &a, c, colours[s]);
  }
  draw_legend(p, &a, c);
  h3d_canvas_colour(c, ink, 1);
  h3d_canvas_text(c, a.left + a.width / 2, a.top - 14, 16, H3D_CENTRE, 1, 0,
                  p->title);
}

h3d_status
h3d_plot_curves(const char *path, int panels, const h3d_curves *panel)
{
  h3d_canvas *c = NULL;
  h3d_status st = H3D_OK;

  if (panels < 1 || panels > 16) {
    return h3d_fail(H3D_ERR_SHAPE, "%s: %d panels: a figure has 1 to 16", path,
                    panels);
  }
  H3D_TRY(h3d_canvas_new(WIDTH, panels * PANEL, &c));
  for (int p = 0; p < panels; p++) {
    draw_panel(&panel[p], c, (double)p * PANEL);
  }
  st = h3d_canvas_write(c, path);
done:
  h3d_canvas_free(&c);
  return st;
}
