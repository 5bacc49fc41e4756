/* act: a function of each number, with the derivative taken from its value. */
#include "config.h"

#include "layer/layer.h"

#include <string.h>

typedef struct act {
  char fn[H3D_WORD_MAX];
  double slope, scale;
} act;

static const h3d_option options[] = {
  { "fn", H3D_WORD, offsetof(act, fn), NULL, "relu, leaky or tanh",
    "relu leaky tanh" },
  { "slope", H3D_REAL, offsetof(act, slope), "0.01", "leaky: factor for x < 0",
    NULL },
  { "scale", H3D_REAL, offsetof(act, scale), "1", "tanh: y = scale * tanh(x)",
    NULL },
  { 0 },
};

static h3d_status
shape(h3d_layer *l)
{
  const act *o = l->option;

  /* From here on the sign of y must tell the sign of x. */
  if (o->slope < 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: slope=%g, wanted is a number from 0", l->name,
                    o->slope);
  }
  if (!(o->scale > 0)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: scale=%g, wanted is a number above 0", l->name,
                    o->scale);
  }
  l->y_shape = l->x_shape[0];
  return H3D_OK;
}

static h3d_act_shape
table_entry(const act *o)
{
  h3d_act_shape s = { H3D_ACT_TANH, o->slope, o->scale };

  if (strcmp(o->fn, "relu") == 0) {
    s.fn = H3D_ACT_RELU;
  } else if (strcmp(o->fn, "leaky") == 0) {
    s.fn = H3D_ACT_LEAKY;
  }
  return s;
}

static void
forward(h3d_layer *l, h3d_env *e)
{
  h3d_act_shape s = table_entry(l->option);
  int64_t size = e->n * h3d_layer_voxels(e, &l->y_dist) * l->y_shape.c;

  e->dev->be->act_forward(e->dev, &s, size, l->x[0], l->y);
}

static void
backward(h3d_layer *l, h3d_env *e)
{
  h3d_act_shape s = table_entry(l->option);
  int64_t size = e->n * h3d_layer_voxels(e, &l->y_dist) * l->y_shape.c;

  if (l->dx[0] != NULL) {
    e->dev->be->act_backward(e->dev, &s, size, l->y, l->dy, l->dx[0]);
  }
}

const h3d_layer_kind h3d_layer_act = {
  .name = "act",
  .help = "relu, leaky relu or scaled tanh",
  .inputs = 1,
  .drops_x = 1,
  .option_size = sizeof(act),
  .options = options,
  .in_place = 1,
  .needs_y = 1,
  .shape = shape,
  .forward = forward,
  .backward = backward,
};
