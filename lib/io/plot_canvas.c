#include "config.h"

#include "io/plot_canvas.h"

#include "base/mem.h"
#include "io/png.h"

#include <cairo.h>
#include <math.h>

struct h3d_canvas {
  cairo_surface_t *surface;
  cairo_t *cr;
  int width, height;
};

h3d_status
h3d_canvas_new(int width, int height, h3d_canvas **out)
{
  h3d_canvas *c;

  *out = NULL;
  if (width < 1 || height < 1 || width > 32767 || height > 32767) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "a picture of %d x %d pixels: choose 1 to 32767 each way, "
                    "for instance by a smaller scale",
                    width, height);
  }
  c = h3d_new(1, sizeof *c);
  c->width = width;
  c->height = height;
  c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  c->cr = cairo_create(c->surface);
  if (cairo_status(c->cr) != CAIRO_STATUS_SUCCESS) {
    h3d_canvas_free(&c);
    return h3d_fail(H3D_ERR_MEMORY, "no memory for a picture of %d x %d",
                    width, height);
  }
  cairo_set_source_rgb(c->cr, 1, 1, 1);
  cairo_paint(c->cr);
  *out = c;
  return H3D_OK;
}

void
h3d_canvas_free(h3d_canvas **c)
{
  if (*c) {
    cairo_destroy((*c)->cr);
    cairo_surface_destroy((*c)->surface);
    h3d_free(*c);
    *c = NULL;
  }
}

/* The 32-bit pixels, x in the low bits first; call cairo_surface_flush. */
static uint32_t *
row_of(const h3d_canvas *c, int y)
{
  unsigned char *data = cairo_image_surface_get_data(c->surface);

  return (
    uint32_t *)(void *)(data
                        + (ptrdiff_t)y
                            * cairo_image_surface_get_stride(c->surface));
}

h3d_status
h3d_canvas_write(h3d_canvas *c, const char *path)
{
  const size_t pixels = (size_t)c->width * (size_t)c->height;
  uint8_t *rgb, *to;
  h3d_status st = h3d_alloc(pixels, 3, (void **)&rgb);

  if (st != H3D_OK) {
    return st;
  }
  cairo_surface_flush(c->surface);
  to = rgb;
  for (int y = 0; y < c->height; y++) {
    const uint32_t *from = row_of(c, y);

    for (int x = 0; x < c->width; x++) {
      *to++ = (uint8_t)(from[x] >> 16 & 255);
      *to++ = (uint8_t)(from[x] >> 8 & 255);
      *to++ = (uint8_t)(from[x] & 255);
    }
  }
  st = h3d_png_write(path, c->width, c->height, 3, rgb);
  h3d_free(rgb);
  return st;
}

void
h3d_canvas_colour(h3d_canvas *c, uint32_t rgb, double opacity)
{
  cairo_set_source_rgba(c->cr, (rgb >> 16 & 255) / 255.,
                        (rgb >> 8 & 255) / 255., (rgb & 255) / 255., opacity);
}

void
h3d_canvas_clip(h3d_canvas *c, double x, double y, double w, double h)
{
  cairo_rectangle(c->cr, x, y, w, h);
  cairo_clip(c->cr);
}

void
h3d_canvas_unclip(h3d_canvas *c)
{
  cairo_reset_clip(c->cr);
}

static void
stroke(h3d_canvas *c, double width, double dash)
{
  cairo_set_line_width(c->cr, width);
  cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(c->cr, &dash, dash > 0, 0);
  cairo_stroke(c->cr);
}

void
h3d_canvas_line(h3d_canvas *c, double x0, double y0, double x1, double y1,
                double width, double dash)
{
  cairo_move_to(c->cr, x0, y0);
  cairo_line_to(c->cr, x1, y1);
  stroke(c, width, dash);
}

void
h3d_canvas_path(h3d_canvas *c, int64_t n, const double *x, const double *y,
                double width, double dash)
{
  int drawing = 0;

  for (int64_t i = 0; i < n; i++) {
    const int there = isfinite(x[i]) && isfinite(y[i]);

    if (there && drawing) {
      cairo_line_to(c->cr, x[i], y[i]);
    } else if (there) {
      cairo_move_to(c->cr, x[i], y[i]);
    }
    drawing = there;
  }
  stroke(c, width, dash);
}

void
h3d_canvas_box(h3d_canvas *c, double x, double y, double w, double h,
               double width)
{
  cairo_rectangle(c->cr, x, y, w, h);
  if (width > 0) {
    stroke(c, width, 0);
  } else {
    cairo_fill(c->cr);
  }
}

void
h3d_canvas_dot(h3d_canvas *c, double x, double y, double radius)
{
  cairo_new_sub_path(c->cr);
  cairo_arc(c->cr, x, y, radius, 0, 6.283185307179586);
  cairo_fill(c->cr);
}

static void
set_font(h3d_canvas *c, double size, int bold)
{
  cairo_select_font_face(c->cr, "sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD
                              : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c->cr, size);
}

double
h3d_canvas_text_width(h3d_canvas *c, double size, int bold, const char *text)
{
  cairo_text_extents_t e;

  set_font(c, size, bold);
  cairo_text_extents(c->cr, text, &e);
  return e.x_advance;
}

void
h3d_canvas_text(h3d_canvas *c, double x, double y, double size,
                h3d_align align, int bold, int up, const char *text)
{
  const double w = h3d_canvas_text_width(c, size, bold, text);

  cairo_save(c->cr);
  cairo_translate(c->cr, x, y);
  if (up) {
    cairo_rotate(c->cr, -1.5707963267948966);
  }
  cairo_move_to(c->cr,
                align == H3D_LEFT    ? 0
                : align == H3D_RIGHT ? -w
                                     : -w / 2,
                0);
  cairo_show_text(c->cr, text);
  cairo_restore(c->cr);
}

void
h3d_canvas_image(h3d_canvas *c, int x, int y, int64_t columns, int64_t rows,
                 int scale, const uint8_t *rgb)
{
  cairo_surface_flush(c->surface);
  for (int64_t j = 0; j < rows * scale && y + j < c->height; j++) {
    uint32_t *to = row_of(c, (int)(y + j));
    const uint8_t *from = rgb + j / scale * columns * 3;

    for (int64_t i = 0; i < columns * scale && x + i < c->width; i++) {
      const uint8_t *p = from + i / scale * 3;

      to[x + i] = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
    }
  }
  cairo_surface_mark_dirty(c->surface);
}
