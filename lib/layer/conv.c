/* conv: cross-correlation with small cubes. */
#include "config.h"

#include "tensor/halo.h"

#include "base/clock.h"
#include "layer/layer.h"

#include <stdio.h>
#include <string.h>

enum { KERNEL_MOST = 7 }; /* what the backends are tested with */

typedef struct conv {
  int64_t out;
  int bias;
  char kernel[H3D_WORD_MAX], stride[H3D_WORD_MAX], dilation[H3D_WORD_MAX];
  char padding[H3D_WORD_MAX], init[H3D_WORD_MAX];
} conv;

typedef struct state {
  h3d_halo *halo;
  h3d_conv *plan;
} state;

static const h3d_option options[] = {
  { "out", H3D_INT, offsetof(conv, out), NULL, "output channels", NULL },
  { "kernel", H3D_WORD, offsetof(conv, kernel), "3",
    "edge of the window, 1 to 7, or 3x3x1", NULL },
  { "stride", H3D_WORD, offsetof(conv, stride), "1",
    "voxels from window to window", NULL },
  { "dilation", H3D_WORD, offsetof(conv, dilation), "1",
    "voxels from tap to tap", NULL },
  { "padding", H3D_WORD, offsetof(conv, padding), "same",
    "same, valid, periodic, 1, 1x1x0 or 1:0x1:0x1:0 (before:after)", NULL },
  { "bias", H3D_FLAG, offsetof(conv, bias), "yes", "add a number a channel",
    NULL },
  { "init", H3D_WORD, offsetof(conv, init), "glorot",
    "first weights: glorot (uniform) or he (normal)", "glorot he" },
  { 0 },
};

static void
declare(h3d_layer *l)
{
  const conv *o = l->option;
  int64_t taps = 1, in = l->x_shape[0].c;
  h3d_param *w = &l->param[0], *b = &l->param[1];

  w->name = "weight";
  w->role = H3D_ROLE_WEIGHT;
  w->dims = 5;
  w->n[0] = o->out;
  w->n[1] = in;
  for (int a = 0; a < 3; a++) {
    w->n[2 + a] = l->window[a].kernel;
    taps *= l->window[a].kernel;
  }
  w->init = strcmp(o->init, "he") == 0 ? H3D_INIT_HE_NORMAL
                                       : H3D_INIT_GLOROT_UNIFORM;
  w->fan_in = (double)(in * taps);
  w->fan_out = (double)(o->out * taps);
  w->size = o->out * in * taps;
  l->params = 1;
  if (o->bias) {
    b->name = "bias";
    b->role = H3D_ROLE_BIAS;
    b->dims = 1;
    b->n[0] = o->out;
    b->init = H3D_INIT_CONSTANT;
    b->size = o->out;
    l->params = 2;
  }
}

static h3d_status
shape(h3d_layer *l)
{
  const conv *o = l->option;
  h3d_status st;

  if (o->out < 1 || o->out > H3D_CHANNELS_MAX) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: out=%lld, wanted is at least 1, at most %d",
                    l->name, (long long)o->out, H3D_CHANNELS_MAX);
  }
  H3D_TRY(h3d_layer_slide(l, o->kernel, o->stride, o->dilation, o->padding));
  for (int a = 0; a < 3; a++) {
    if (l->window[a].kernel > KERNEL_MOST) {
      return h3d_fail(H3D_ERR_USAGE,
                      "layer %s: kernel=%s, but convolutions have edges of 1 "
                      "to %d; several small ones in a row reach as far",
                      l->name, o->kernel, KERNEL_MOST);
    }
  }
  l->y_shape.c = o->out;
  declare(l);
done:
  return st;
}

static h3d_status
plan(h3d_layer *l, h3d_env *e)
{
  const conv *o = l->option;
  state *s = l->state;
  h3d_halo_spec halo = { .grid = e->grid,
                         .dev = e->dev,
                         .transport = e->transport,
                         .x = l->x_dist[0],
                         .y = l->y_dist,
                         .periodic = l->periodic,
                         .samples = e->samples,
                         .cx = l->x_shape[0].c,
                         .cy = o->out,
                         .backward = l->want_dx[0] };
  h3d_conv_shape c = { .n = e->samples,
                       .cin = l->x_shape[0].c,
                       .cout = o->out,
                       .bias = o->bias,
                       .data_gradient = l->want_dx[0] };
  int64_t down, up;
  size_t bytes = 0;
  h3d_status st;

  for (int k = 0; k < l->params; k++) {
    l->param[k].sum = h3d_layer_sharers(&l->y_dist);
  }
  memcpy(halo.window, l->window, sizeof halo.window);
  H3D_TRY(h3d_halo_new(&halo, &s->halo));
  memcpy(c.fwd, h3d_halo_forward_local(s->halo), sizeof c.fwd);
  if (l->want_dx[0]) {
    memcpy(c.bwd, h3d_halo_backward_local(s->halo), sizeof c.bwd);
    h3d_layer_want_work(e, h3d_halo_work(s->halo));
  }
  /* Blocks differ from rank to rank, and so may the device's answers. */
  H3D_TRY(
    h3d_grid_agree(e->grid, e->dev->be->conv_plan(e->dev, &c, &s->plan)));
  l->drops_x = h3d_halo_copies(s->halo);
  h3d_halo_about(s->halo, &down, &up, &l->memory);
  snprintf(l->about, sizeof l->about, "%s; halo %lld + %lld bytes a sample",
           e->dev->be->conv_about(s->plan, &bytes), (long long)down,
           (long long)up);
done:
  return st;
}

static void
forward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  int bias = l->params > 1;
  double t = h3d_clock();
  const void *x;

  h3d_halo_input_begin(s->halo, e->n, l->x[0]);
  x = h3d_halo_input_end(s->halo);
  e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
  e->dev->be->conv_forward(e->dev, s->plan, e->n, x, l->param[0].w,
                           bias ? l->param[1].w : NULL, l->y);
}

static void
backward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  int bias = l->params > 1;
  const void *dy;
  double t;

  if (l->dx[0] != NULL) {
    t = h3d_clock();
    h3d_halo_gradient_begin(s->halo, e->n, l->dy, NULL, e->work);
    e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
  }
  /* Needs own gradients only: computed while the neighbours' travel. */
  e->dev->be->conv_backward_weights(
    e->dev, s->plan, e->n, h3d_halo_input(s->halo), l->dy, l->param[0].g,
    bias ? l->param[1].g : NULL);
  if (l->dx[0] != NULL) {
    t = h3d_clock();
    dy = h3d_halo_gradient_end(s->halo, NULL);
    e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
    e->dev->be->conv_backward_data(e->dev, s->plan, e->n, dy, l->param[0].w,
                                   l->dx[0]);
  }
}

static void
release(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;

  if (s->plan != NULL) {
    e->dev->be->conv_release(e->dev, s->plan);
    s->plan = NULL;
  }
  h3d_halo_free(&s->halo);
}

const h3d_layer_kind h3d_layer_conv = {
  .name = "conv",
  .help = "convolution with windows of 1 to 7 voxels",
  .inputs = 1,
  .option_size = sizeof(conv),
  .state_size = sizeof(state),
  .options = options,
  .shape = shape,
  .plan = plan,
  .forward = forward,
  .backward = backward,
  .release = release,
};
