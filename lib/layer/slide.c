#include "config.h"

#include "layer/layer.h"

#include <stdlib.h>
#include <string.h>

/* Wide enough for any window, narrow enough for (k-1)*d in an int. */
enum { AXIS_MOST = 1024 };

/* One number at *text, moved behind it; -1 if there is none. */
static int
number(const char **text)
{
  char *end;
  long v;

  if (**text < '0' || **text > '9') {
    return -1;
  }
  v = strtol(*text, &end, 10);
  *text = end;
  return v > AXIS_MOST ? AXIS_MOST + 1 : (int)v;
}

/* One or three values joined by 'x'; a value is a number or, where after is
 * not NULL, two of them joined by ':'.  0 if text is something else. */
static int
triple(const char *text, int least, int before[3], int *after)
{
  int n = 0;

  for (;; text++) {
    int low = number(&text), high = low;

    if (n == 3 || low < 0) {
      return 0;
    }
    if (after != NULL && *text == ':') {
      text++;
      high = number(&text);
    }
    if (low < least || high < least || low > AXIS_MOST || high > AXIS_MOST) {
      return 0;
    }
    before[n] = low;
    if (after != NULL) {
      after[n] = high;
    }
    n++;
    if (*text != 'x') {
      break;
    }
  }
  for (int a = 1; n == 1 && a < 3; a++) {
    before[a] = before[0];
    if (after != NULL) {
      after[a] = after[0];
    }
  }
  return *text == '\0' && n != 2;
}

h3d_status
h3d_layer_axes(const h3d_layer *l, const char *key, const char *text,
               int least, int out[3])
{
  if (!triple(text, least, out, NULL)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: %s=%s is not a number from %d to %d, nor three "
                    "as in 3x3x1 (depth, height, width)",
                    l->name, key, text, least, AXIS_MOST);
  }
  return H3D_OK;
}

static h3d_status
set_padding(h3d_layer *l, const char *text)
{
  int before[3] = { 0 }, after[3] = { 0 };
  int same = strcmp(text, "same") == 0;

  l->periodic = strcmp(text, "periodic") == 0;
  if (!same && !l->periodic && strcmp(text, "valid") != 0
      && !triple(text, 0, before, after)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: padding=%s is none of same, valid, periodic, a "
                    "number from 0 to %d, three as in 1x1x0, or "
                    "before:after as in 1:0x1:0x1:0",
                    l->name, text, AXIS_MOST);
  }
  for (int a = 0; a < 3; a++) {
    h3d_window *w = &l->window[a];
    int reach = (w->kernel - 1) * w->dilation;

    if (same || l->periodic) {
      before[a] = reach / 2;
      after[a] = reach - reach / 2;
    }
    if (before[a] > reach || after[a] > reach) {
      return h3d_fail(H3D_ERR_USAGE,
                      "layer %s: padding=%s on axis %c is more than the "
                      "window's reach of %d: windows would hold padding only",
                      l->name, text, h3d_axis_name[H3D_AXIS_D + a], reach);
    }
    w->before = before[a];
    w->after = after[a];
  }
  return H3D_OK;
}

h3d_status
h3d_layer_slide(h3d_layer *l, const char *kernel, const char *stride,
                const char *dilation, const char *padding)
{
  int k[3], s[3], d[3];
  h3d_status st;

  H3D_TRY(h3d_layer_axes(l, "kernel", kernel, 1, k));
  H3D_TRY(h3d_layer_axes(l, "stride", stride, 1, s));
  H3D_TRY(h3d_layer_axes(l, "dilation", dilation, 1, d));
  for (int a = 0; a < 3; a++) {
    l->window[a] = h3d_window_point();
    l->window[a].kernel = k[a];
    l->window[a].stride = s[a];
    l->window[a].dilation = d[a];
  }
  H3D_TRY(set_padding(l, padding));
  for (int a = 0; a < 3; a++) {
    const h3d_window *w = &l->window[a];
    char axis = h3d_axis_name[H3D_AXIS_D + a];
    int64_t n = l->x_shape[0].n[a];

    if (l->periodic && (w->before > n || w->after > n)) {
      return h3d_fail(H3D_ERR_SHAPE,
                      "layer %s: padding=periodic wraps %d voxels around axis "
                      "%c, which has %lld; use a smaller kernel or dilation",
                      l->name, w->before > w->after ? w->before : w->after,
                      axis, (long long)n);
    }
    /* Else the last window would begin less than a stride before the first
     * one comes around again. */
    if (l->periodic && n % w->stride != 0) {
      return h3d_fail(H3D_ERR_SHAPE,
                      "layer %s: padding=periodic with stride %d on axis %c "
                      "of %lld voxels; use a stride that divides them",
                      l->name, w->stride, axis, (long long)n);
    }
    l->y_shape.n[a] = h3d_window_outputs(w, n);
    if (l->y_shape.n[a] <= 0) {
      return h3d_fail(H3D_ERR_SHAPE,
                      "layer %s: a window of %d voxels (dilation %d, padding "
                      "%d and %d) does not fit axis %c of %lld; use more "
                      "padding, a smaller kernel or larger volumes",
                      l->name, w->kernel, w->dilation, w->before, w->after,
                      axis, (long long)n);
    }
  }
done:
  return st;
}
