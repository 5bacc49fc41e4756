#include "config.h"

#include "dist/window.h"

static int64_t
floor_div(int64_t a, int64_t b)
{
  return a / b - (a % b < 0);
}

static int64_t
ceil_div(int64_t a, int64_t b)
{
  return -floor_div(-a, b);
}

h3d_window
h3d_window_point(void)
{
  return (h3d_window){ .kernel = 1, .stride = 1, .dilation = 1 };
}

int
h3d_window_is_point(const h3d_window *w)
{
  return w->kernel == 1 && w->stride == 1 && w->before == 0 && w->after == 0;
}

/* Voxels from the first tap to the last. */
static int64_t
reach(const h3d_window *w)
{
  return (int64_t)(w->kernel - 1) * w->dilation;
}

int64_t
h3d_window_outputs(const h3d_window *w, int64_t n)
{
  return floor_div(n + w->before + w->after - reach(w) - 1, w->stride) + 1;
}

h3d_range
h3d_window_reads(const h3d_window *w, h3d_range o)
{
  if (o.end <= o.begin) {
    return (h3d_range){ 0, 0 };
  }
  return (h3d_range){ w->stride * o.begin - w->before,
                      w->stride * (o.end - 1) - w->before + reach(w) + 1 };
}

h3d_range
h3d_window_readers_wrapped(const h3d_window *w, h3d_range i)
{
  if (i.end <= i.begin) {
    return (h3d_range){ 0, 0 };
  }
  return (h3d_range){
    ceil_div(i.begin + w->before - reach(w), w->stride),
    floor_div(i.end - 1 + w->before, w->stride) + 1,
  };
}

h3d_range
h3d_window_readers(const h3d_window *w, h3d_range i, int64_t n_out)
{
  h3d_range o = h3d_window_readers_wrapped(w, i);

  o.begin = o.begin < 0 ? 0 : o.begin;
  o.end = o.end > n_out ? n_out : o.end;
  return o.end > o.begin ? o : (h3d_range){ 0, 0 };
}

h3d_local
h3d_window_local(const h3d_window *w, h3d_range in, h3d_range out)
{
  return (h3d_local){
    .kernel = w->kernel,
    .stride = w->stride,
    .dilation = w->dilation,
    .in = in.end - in.begin,
    .out = out.end - out.begin,
    .pad = in.begin - (w->stride * out.begin - w->before),
  };
}
