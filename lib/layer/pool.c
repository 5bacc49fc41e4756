/* pool: the mean or the greatest voxel of a window. */
#include "config.h"

#include "tensor/halo.h"

#include "base/clock.h"
#include "layer/layer.h"

#include <stdio.h>
#include <string.h>

typedef struct pool {
  char op[H3D_WORD_MAX], kernel[H3D_WORD_MAX], stride[H3D_WORD_MAX];
  char padding[H3D_WORD_MAX];
} pool;

typedef struct state {
  h3d_halo *halo;
  h3d_pool_shape pool;
  void *tap; /* device memory; max only */
} state;

static const h3d_option options[] = {
  { "op", H3D_WORD, offsetof(pool, op), NULL,
    "mean (padding counts as zeros) or max (padding left out)", "mean max" },
  { "kernel", H3D_WORD, offsetof(pool, kernel), NULL,
    "edge of the window, or 2x2x1", NULL },
  { "stride", H3D_WORD, offsetof(pool, stride), NULL,
    "voxels from window to window", NULL },
  { "padding", H3D_WORD, offsetof(pool, padding), "valid",
    "same, valid, periodic, 1, 1x1x0 or 1:0x1:0x1:0 (before:after)", NULL },
  { 0 },
};

static h3d_status
shape(h3d_layer *l)
{
  const pool *o = l->option;

  l->y_shape.c = l->x_shape[0].c;
  return h3d_layer_slide(l, o->kernel, o->stride, "1", o->padding);
}

static h3d_status
plan(h3d_layer *l, h3d_env *e)
{
  const pool *o = l->option;
  state *s = l->state;
  int max = strcmp(o->op, "max") == 0;
  int64_t c = l->y_shape.c, down, up;
  h3d_halo_spec halo = { .grid = e->grid,
                         .dev = e->dev,
                         .transport = e->transport,
                         .x = l->x_dist[0],
                         .y = l->y_dist,
                         .periodic = l->periodic,
                         .samples = e->samples,
                         .cx = c,
                         .cy = c,
                         .tap = max,
                         .backward = l->want_dx[0] };
  h3d_status st;

  memcpy(halo.window, l->window, sizeof halo.window);
  H3D_TRY(h3d_halo_new(&halo, &s->halo));
  h3d_halo_about(s->halo, &down, &up, &l->memory);
  s->pool.op = max ? H3D_POOL_MAX : H3D_POOL_MEAN;
  s->pool.c = c;
  memcpy(s->pool.fwd, h3d_halo_forward_local(s->halo), sizeof s->pool.fwd);
  if (l->want_dx[0]) {
    memcpy(s->pool.bwd, h3d_halo_backward_local(s->halo), sizeof s->pool.bwd);
    h3d_layer_want_work(e, h3d_halo_work(s->halo));
  }
  if (max) {
    int64_t cells = e->samples * h3d_layer_voxels(e, &l->y_dist) * c;

    H3D_TRY(h3d_grid_agree(
      e->grid,
      h3d_layer_alloc(l, e, (size_t)cells * sizeof(int32_t), &s->tap)));
  }
  snprintf(l->about, sizeof l->about, "halo %lld + %lld bytes a sample",
           (long long)down, (long long)up);
done:
  return st;
}

static void
forward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  double t = h3d_clock();
  const void *x;

  h3d_halo_input_begin(s->halo, e->n, l->x[0]);
  x = h3d_halo_input_end(s->halo);
  e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
  e->dev->be->pool_forward(e->dev, &s->pool, e->n, x, l->y, s->tap);
}

static void
backward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  const int32_t *tap = NULL;
  double t = h3d_clock();
  const void *dy;

  if (l->dx[0] == NULL) {
    return;
  }
  h3d_halo_gradient_begin(s->halo, e->n, l->dy, s->tap, e->work);
  dy = h3d_halo_gradient_end(s->halo, &tap);
  e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
  e->dev->be->pool_backward(e->dev, &s->pool, e->n, dy, tap, l->dx[0]);
}

static void
release(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;

  if (s->tap != NULL) {
    e->dev->be->release(e->dev, s->tap);
    s->tap = NULL;
  }
  h3d_halo_free(&s->halo);
}

const h3d_layer_kind h3d_layer_pool = {
  .name = "pool",
  .help = "mean or maximum over windows",
  .inputs = 1,
  .drops_x = 1,
  .option_size = sizeof(pool),
  .state_size = sizeof(state),
  .options = options,
  .shape = shape,
  .plan = plan,
  .forward = forward,
  .backward = backward,
  .release = release,
};
