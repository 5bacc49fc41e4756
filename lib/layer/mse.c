/* mse: mean squared error over the targets of the global batch.
 *
 * loss = sum over samples and targets of (y - t)^2 / (total * targets);
 * env->metric is the mean of |y - t|.  Few numbers: computed on the host, in
 * double.
 */
#include "config.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "layer/layer.h"

#include <math.h>

typedef struct state {
  int64_t p;          /* numbers a sample */
  double *y, *t, *dy; /* [samples][p] */
  void *raw;          /* the same in reals */
} state;

static const h3d_option options[] = { { 0 } };

static h3d_status
shape(h3d_layer *l)
{
  const h3d_shape *x = &l->x_shape[0];

  if (x->n[0] != 1 || x->n[1] != 1 || x->n[2] != 1) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "layer %s: mse reads %lld x %lld x %lld voxels, wanted is "
                    "1 x 1 x 1; end the network with a dense layer",
                    l->name, (long long)x->n[0], (long long)x->n[1],
                    (long long)x->n[2]);
  }
  l->y_shape = (h3d_shape){ 1, { 1, 1, 1 } };
  return H3D_OK;
}

static h3d_status
plan(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  h3d_status st = H3D_OK;
  size_t size;

  H3D_ASSERT((h3d_dist_cuts(&l->x_dist[0]) & H3D_MASK_SPACE) == 0);
  s->p = l->x_shape[0].c;
  if (s->p != e->targets) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "layer %s: mse reads %lld numbers a sample, the data have "
                    "%lld targets; say out=targets in the last dense layer",
                    l->name, (long long)s->p, (long long)e->targets);
  }
  size = (size_t)(e->samples * s->p);
  H3D_TRY(h3d_alloc(size, sizeof(double), (void **)&s->y));
  H3D_TRY(h3d_alloc(size, sizeof(double), (void **)&s->t));
  H3D_TRY(h3d_alloc(size, sizeof(double), (void **)&s->dy));
  H3D_TRY(h3d_alloc(size, sizeof(double), &s->raw));
done:
  return st;
}

static void
forward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  int64_t size = e->n * s->p;
  double sums[2] = { 0, 0 }, all[2], t;

  h3d_layer_get(e, l->x[0], size, s->raw, s->y);
  h3d_layer_get(e, e->target, size, s->raw, s->t);
  for (int64_t i = 0; i < size; i++) {
    double d = s->y[i] - s->t[i];

    sums[0] += d * d;
    sums[1] += fabs(d);
  }
  t = h3d_clock();
  /* All ranks of a group computed the same: groups add up, ranks do not. */
  h3d_grid_sum(h3d_grid_comm(e->grid, H3D_MASK(H3D_AXIS_N)), 2, sums, all);
  e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
  e->loss = all[0] / (double)(e->total * s->p);
  e->metric = all[1] / (double)(e->total * s->p);
}

static void
backward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  int64_t size = e->n * s->p;
  double share = 2 / (double)(e->total * s->p);

  if (l->dx[0] == NULL) {
    return;
  }
  for (int64_t i = 0; i < size; i++) {
    s->dy[i] = share * (s->y[i] - s->t[i]);
  }
  h3d_layer_put(e, l->dx[0], size, s->raw, s->dy);
}

static void
release(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;

  (void)e;
  h3d_free(s->y);
  h3d_free(s->t);
  h3d_free(s->dy);
  h3d_free(s->raw);
  s->y = s->t = s->dy = NULL;
  s->raw = NULL;
}

const h3d_layer_kind h3d_layer_mse = {
  .name = "mse",
  .help = "mean squared error against the targets",
  .inputs = 1,
  .state_size = sizeof(state),
  .options = options,
  .is_loss = 1,
  .metric = "mae",
  .shape = shape,
  .plan = plan,
  .forward = forward,
  .backward = backward,
  .release = release,
};
