/* dense: every output reads every voxel of every channel.
 *
 * Where the input is cut, a rank keeps the columns of the weights that belong
 * to its voxels, and the ranks' partial products are summed; nothing of the
 * input travels.  The input's gradient needs no message at all.
 */
#include "config.h"

#include "base/clock.h"
#include "layer/layer.h"

#include <stdio.h>
#include <string.h>

typedef struct dense {
  int64_t out;
  int bias;
  double bias_init;
  char init[H3D_WORD_MAX];
} dense;

typedef struct state {
  int64_t in;    /* voxels times channels of mine */
  unsigned cuts; /* of the input, in space */
} state;

static const h3d_option options[] = {
  { "out", H3D_INT, offsetof(dense, out), NULL,
    "outputs; \"targets\" takes the dataset's", NULL },
  { "bias", H3D_FLAG, offsetof(dense, bias), "yes", "add a number an output",
    NULL },
  { "bias_init", H3D_REAL, offsetof(dense, bias_init), "0",
    "first value of the biases", NULL },
  { "init", H3D_WORD, offsetof(dense, init), "glorot",
    "first weights: glorot (uniform) or he (normal)", "glorot he" },
  { 0 },
};

static void
declare(h3d_layer *l)
{
  const dense *o = l->option;
  const h3d_shape *x = &l->x_shape[0];
  int64_t voxels = x->n[0] * x->n[1] * x->n[2];
  h3d_param *w = &l->param[0], *b = &l->param[1];

  w->name = "weight";
  w->role = H3D_ROLE_WEIGHT;
  w->dims = 2;
  w->n[0] = o->out;
  w->n[1] = voxels * x->c;
  w->init = strcmp(o->init, "he") == 0 ? H3D_INIT_HE_NORMAL
                                       : H3D_INIT_GLOROT_UNIFORM;
  w->fan_in = (double)w->n[1];
  w->fan_out = (double)o->out;
  l->params = 1;
  if (o->bias) {
    b->name = "bias";
    b->role = H3D_ROLE_BIAS;
    b->dims = 1;
    b->n[0] = o->out;
    b->init = H3D_INIT_CONSTANT;
    b->value = o->bias_init;
    b->size = o->out;
    l->params = 2;
  }
}

static h3d_status
shape(h3d_layer *l)
{
  const dense *o = l->option;

  if (o->out < 1 || o->out > H3D_CHANNELS_MAX) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: out=%lld, wanted is at least 1, at most %d",
                    l->name, (long long)o->out, H3D_CHANNELS_MAX);
  }
  l->y_shape = (h3d_shape){ o->out, { 1, 1, 1 } };
  declare(l);
  return H3D_OK;
}

/* What the dists decide: my columns, and who shares them. */
static void
place(h3d_layer *l, const h3d_env *e)
{
  const dense *o = l->option;
  const state *s = l->state;
  const h3d_shape *x = &l->x_shape[0];
  h3d_param *w = &l->param[0];

  w->size = o->out * s->in;
  /* An uncut input of several voxels has its columns in d,h,w,c order too;
   * of a single voxel that is cut, some ranks have nothing. */
  w->sharded = x->n[0] * x->n[1] * x->n[2] > 1 || s->cuts != 0;
  w->rows = o->out;
  w->box = h3d_dist_box(&l->x_dist[0], e->grid->at);
  w->box.start[H3D_AXIS_N] = 0;
  w->box.len[H3D_AXIS_N] = 1;
  memcpy(w->extent, x->n, sizeof w->extent);
  w->cuts = s->cuts;
  for (int k = 0; k < l->params; k++) {
    l->param[k].sum = H3D_MASK(H3D_AXIS_N);
  }
}

static h3d_status
plan(h3d_layer *l, h3d_env *e)
{
  const dense *o = l->option;
  state *s = l->state;

  s->in = h3d_layer_voxels(e, &l->x_dist[0]) * l->x_shape[0].c;
  s->cuts = h3d_dist_cuts(&l->x_dist[0]) & H3D_MASK_SPACE;
  place(l, e);
  if (s->cuts != 0) {
    MPI_Comm comm = h3d_grid_comm(e->grid, s->cuts);
    int64_t size = e->samples * o->out;

    h3d_layer_want_work(e, e->transport->sum_work(comm, e->dev->type, size));
    snprintf(l->about, sizeof l->about,
             "weights by voxel, %d shards; sums %lld outputs a sample",
             h3d_grid_comm_size(e->grid, s->cuts), (long long)o->out);
  }
  return H3D_OK;
}

static void
forward(h3d_layer *l, h3d_env *e)
{
  const dense *o = l->option;
  state *s = l->state;
  const h3d_backend *be = e->dev->be;
  int64_t size = e->n * o->out;

  /* A rank without voxels adds zeros. */
  if (s->in > 0) {
    be->dense_forward(e->dev, e->n, s->in, o->out, l->x[0], l->param[0].w,
                      l->y);
  } else {
    be->zero(e->dev, l->y, (size_t)size * h3d_type_size(e->dev->type));
  }
  if (s->cuts != 0 && e->n > 0) {
    double t = h3d_clock();

    be->sync(e->dev);
    e->transport->sum(h3d_grid_comm(e->grid, s->cuts), e->dev->type, size,
                      l->y, e->work);
    e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
  }
  if (l->params > 1) {
    be->bias_add(e->dev, e->n, o->out, l->param[1].w, l->y);
  }
}

static void
backward(h3d_layer *l, h3d_env *e)
{
  const dense *o = l->option;
  state *s = l->state;
  const h3d_backend *be = e->dev->be;

  if (l->params > 1) {
    be->bias_gradient(e->dev, e->n, o->out, l->dy, l->param[1].g);
  }
  if (s->in == 0) {
    return;
  }
  be->dense_backward_weights(e->dev, e->n, s->in, o->out, l->x[0], l->dy,
                             l->param[0].g);
  if (l->dx[0] != NULL) {
    be->dense_backward_data(e->dev, e->n, s->in, o->out, l->dy, l->param[0].w,
                            l->dx[0]);
  }
}

const h3d_layer_kind h3d_layer_dense = {
  .name = "dense",
  .help = "every output from every voxel and channel",
  .inputs = 1,
  .option_size = sizeof(dense),
  .state_size = sizeof(state),
  .options = options,
  .ends_space = 1,
  .shape = shape,
  .plan = plan,
  .forward = forward,
  .backward = backward,
};
