#include "config.h"

#include "render.h"

#include "base/mem.h"
#include "io/plot_axes.h"
#include "io/plot_canvas.h"
#include "io/plot_ticks.h"

#include <math.h>
#include <stdio.h>

/* Pixels. */
enum {
  LEFT = 78,
  TOP = 66,
  TITLE = 30,   /* above each row of panels */
  GAP = 22,     /* between columns */
  BOTTOM = 58,  /* numbers and label below the last row */
  BAR = 20,     /* the colour bar's width */
  NUMBERS = 96, /* right of it */
  BEST = 320    /* a panel's side that reads well */
};

static const uint32_t ink = 0x222222;

/* A picture's measures. */
typedef struct sheet {
  int scale;
  double width, height; /* of a panel */
  double low, high;     /* limits as the colours see them */
  double total;         /* width of the whole sheet */
} sheet;

static double
shown(const h3d_picture *p, double value)
{
  return !p->log ? value : value < -1 ? (double)NAN : log1p(value);
}

static void
find_limits(const h3d_picture *p, sheet *s)
{
  const int64_t n = p->panels * p->height * p->width;
  double low = p->low, high = p->high;

  if (!(low < high)) {
    h3d_axes_none(&low, &high);
    for (int64_t i = 0; i < n; i++) {
      const double v = (double)p->value[i];

      if (isfinite(shown(p, v))) {
        low = fmin(low, v);
        high = fmax(high, v);
      }
    }
  }
  if (!(low < high)) { /* constant, or nothing finite */
    low = isfinite(low) ? low : 0;
    high = low + 1;
  }
  s->low = shown(p, low);
  s->high = shown(p, high);
}

/* The greatest width of a line of text must find room as well. */
static h3d_status
measure(const h3d_picture *p, sheet *s)
{
  const int64_t side = p->height > p->width ? p->height : p->width;
  h3d_canvas *c;
  h3d_status st;

  s->scale = p->scale > 0 ? p->scale : side < BEST ? (int)(BEST / side) : 1;
  s->width = (double)(p->width * s->scale);
  s->height = (double)(p->height * s->scale);
  s->total = LEFT + p->columns * (s->width + GAP) + BAR + NUMBERS;
  st = h3d_canvas_new(1, 1, &c);
  if (st == H3D_OK) {
    s->total = fmax(s->total, h3d_canvas_text_width(c, 17, 1, p->title) + 40);
    s->total
      = fmax(s->total, h3d_canvas_text_width(c, 14, 0, p->subtitle) + 40);
    h3d_canvas_free(&c);
  }
  find_limits(p, s);
  return st;
}

static void
draw_panel(const h3d_picture *p, const sheet *s, h3d_canvas *c, int i,
           uint8_t *rgb)
{
  const int row = i / p->columns, column = i % p->columns;
  const int lowest = i + p->columns >= p->panels;
  const float *value = p->value + i * p->height * p->width;
  char *label[2];
  h3d_axes a = { .left = LEFT + column * (s->width + GAP),
                 .top = TOP + TITLE + row * (s->height + TITLE),
                 .width = s->width,
                 .height = s->height,
                 .high = { (double)p->width * p->spacing[1],
                           (double)p->height * p->spacing[0] } };

  for (int k = 0; k < 2; k++) {
    label[k] = h3d_sprintf(p->unit[0] ? "%s [%s]" : "%s", p->axis[k],
                           p->unit[0] ? p->unit : "");
  }
  a.label[0] = lowest ? label[1] : NULL;
  a.label[1] = column == 0 ? label[0] : NULL;
  /* The first row of values is the lowest of the picture. */
  for (int64_t y = 0; y < p->height; y++) {
    for (int64_t x = 0; x < p->width; x++) {
      const double v
        = shown(p, (double)value[(p->height - 1 - y) * p->width + x]);

      h3d_colormap_at(p->colormap,
                      isfinite(v) ? (v - s->low) / (s->high - s->low)
                                  : (double)NAN,
                      rgb + (y * p->width + x) * 3);
    }
  }
  h3d_axes_draw(&a, c);
  h3d_canvas_image(c, (int)a.left, (int)a.top, p->width, p->height, s->scale,
                   rgb);
  h3d_canvas_colour(c, ink, 1);
  h3d_canvas_box(c, a.left - 0.5, a.top - 0.5, a.width + 1, a.height + 1, 1);
  h3d_canvas_text(c, a.left + a.width / 2, a.top - 9, 14, H3D_CENTRE, 0, 0,
                  p->panel_title[i]);
  h3d_free(label[0]);
  h3d_free(label[1]);
}

/* Value number i of 0, 0.001, 0.002, 0.005, 0.01, ... */
static double
round_value(int i)
{
  static const double lead[3] = { 1, 2, 5 };

  return i == 0 ? 0 : lead[(i - 1) % 3] * pow(10, (i - 1) / 3 - 3);
}

/* Numbers for a logarithmic bar are those of the values themselves, as far as
 * they stand apart.
 */
static void
log_ticks(const sheet *s, double height, h3d_ticks *t)
{
  double before = -INFINITY;

  t->n = 0;
  for (int i = 0; i < 60 && t->n < H3D_TICKS; i++) {
    const double v = round_value(i);
    const double y = (log1p(v) - s->low) / (s->high - s->low) * height;

    if (y >= -0.5 && y <= height + 0.5 && y - before >= 24) {
      t->at[t->n] = log1p(v);
      snprintf(t->text[t->n], H3D_TICK_TEXT, "%g", v);
      t->n++;
      before = y;
    }
  }
}

static h3d_status
draw_bar(const h3d_picture *p, const sheet *s, h3d_canvas *c)
{
  const double left = LEFT + p->columns * (s->width + GAP);
  const double top = TOP + TITLE;
  const double height = p->rows * (s->height + TITLE) - TITLE;
  double widest = 0;
  h3d_ticks t;
  uint8_t *rgb;
  const h3d_status st = h3d_alloc((size_t)height, BAR * 3, (void **)&rgb);

  if (st != H3D_OK) {
    return st;
  }
  for (int64_t i = 0; i < (int64_t)height * BAR; i++) {
    const double y = (double)(i / BAR) + 0.5;

    h3d_colormap_at(p->colormap, 1 - y / height, rgb + 3 * i);
  }
  h3d_canvas_image(c, (int)left, (int)top, BAR, (int64_t)height, 1, rgb);
  h3d_free(rgb);
  h3d_canvas_colour(c, ink, 1);
  h3d_canvas_box(c, left - 0.5, top - 0.5, BAR + 1, height + 1, 1);
  if (p->log) {
    log_ticks(s, height, &t);
  }
  if (!p->log || t.n < 2) {
    h3d_ticks_make(s->low, s->high, (int)fmax(3, height / 50), 0, &t);
  }
  for (int i = 0; i < t.n; i++) {
    const double y
      = floor(top + height * (1 - (t.at[i] - s->low) / (s->high - s->low)))
        + 0.5;

    h3d_canvas_line(c, left + BAR, y, left + BAR + 5, y, 1, 0);
    h3d_canvas_text(c, left + BAR + 9, y + 5, H3D_AXES_FONT, H3D_LEFT, 0, 0,
                    t.text[i]);
    widest
      = fmax(widest, h3d_canvas_text_width(c, H3D_AXES_FONT, 0, t.text[i]));
  }
  h3d_canvas_text(c, left + BAR + widest + 28, top + height / 2, H3D_AXES_FONT,
                  H3D_CENTRE, 0, 1, p->value_label);
  return H3D_OK;
}

h3d_status
h3d_render(const h3d_picture *p, const char *path)
{
  const size_t pixels = (size_t)(p->height * p->width);
  uint8_t *rgb = NULL;
  h3d_canvas *c = NULL;
  sheet s;
  h3d_status st = H3D_OK;

  H3D_TRY(measure(p, &s));
  const double tall = TOP + p->rows * (s.height + TITLE) + BOTTOM;
  /* A double holds any size; int does not. */
  H3D_TRY(h3d_canvas_new((int)fmin(s.total, 1e6), (int)fmin(tall, 1e6), &c));
  H3D_TRY(h3d_alloc(pixels, 3, (void **)&rgb));
  for (int i = 0; i < p->panels; i++) {
    draw_panel(p, &s, c, i, rgb);
  }
  H3D_TRY(draw_bar(p, &s, c));
  h3d_canvas_text(c, s.total / 2, 30, 17, H3D_CENTRE, 1, 0, p->title);
  h3d_canvas_text(c, s.total / 2, 54, 14, H3D_CENTRE, 0, 0, p->subtitle);
  st = h3d_canvas_write(c, path);
done:
  h3d_free(rgb);
  h3d_canvas_free(&c);
  return st;
}
