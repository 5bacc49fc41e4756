/* norm: batch normalization over the whole global batch.
 *
 * S. Ioffe, C. Szegedy, arXiv 1502.03167.  y = scale (x - mean) / sqrt(var +
 * eps) + shift, mean and variance per channel over batch and space of all
 * ranks.  Evaluation uses running averages: r = decay r + (1 - decay) value,
 * begun at 0 and divided by 1 - decay^steps when used, so that the first steps
 * count in full.  The running variance averages M2 / (count - 1), the
 * normalization itself divides by count, both as PyTorch does.  Before the
 * first training step evaluation takes mean 0 and variance 1.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "layer/layer.h"

#include <math.h>

typedef struct norm {
  char over[H3D_WORD_MAX];
  double decay, eps;
} norm;

enum { SCALE, SHIFT, RUNNING_MEAN, RUNNING_VAR, STEPS, PARAMS };

typedef struct state {
  unsigned sharers;
  int ranks;          /* that share the statistics */
  double count;       /* values a channel behind mean and inv */
  int batch;          /* 1: mean and inv are of the batch, not running */
  double *mean, *inv; /* [c], of the last forward */
  double *scale, *shift, *a, *b, *k; /* [c] */
  double *mine, *all; /* [2c+1], [ranks][2c+1]: count, mean, M2 */
  double *sums, *sum; /* [2c]: dy, dy * normalized x; mine and all */
  void *raw;          /* [c] reals */
} state;

static const h3d_option options[] = {
  { "over", H3D_WORD, offsetof(norm, over), "batch",
    "batch: statistics of the global batch", "batch" },
  { "decay", H3D_REAL, offsetof(norm, decay), "0.9",
    "of the running averages, 0 to below 1", NULL },
  { "eps", H3D_REAL, offsetof(norm, eps), "1e-5", "added to the variance",
    NULL },
  { 0 },
};

static void
declare(h3d_layer *l, int i, const char *name, h3d_role role, int64_t n,
        double value)
{
  h3d_param *p = &l->param[i];

  p->name = name;
  p->role = role;
  p->dims = 1;
  p->n[0] = n;
  p->init = H3D_INIT_CONSTANT;
  p->value = value;
  p->size = n;
  /* Backward sums over all ranks anyway: gradients are complete. */
  p->sum = 0;
}

static h3d_status
shape(h3d_layer *l)
{
  const norm *o = l->option;

  if (!(o->decay >= 0 && o->decay < 1)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: decay=%g, wanted is a number from 0 to below 1",
                    l->name, o->decay);
  }
  if (!(o->eps > 0)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: eps=%g, wanted is a number above 0", l->name,
                    o->eps);
  }
  l->y_shape = l->x_shape[0];
  declare(l, SCALE, "scale", H3D_ROLE_SCALE, l->y_shape.c, 1);
  declare(l, SHIFT, "shift", H3D_ROLE_SHIFT, l->y_shape.c, 0);
  declare(l, RUNNING_MEAN, "running_mean", H3D_ROLE_STATE, l->y_shape.c, 0);
  declare(l, RUNNING_VAR, "running_var", H3D_ROLE_STATE, l->y_shape.c, 0);
  declare(l, STEPS, "steps", H3D_ROLE_STATE, 1, 0);
  l->params = PARAMS;
  return H3D_OK;
}

static h3d_status
plan(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  int64_t c = l->y_shape.c;
  size_t n = (size_t)c;

  s->sharers = h3d_layer_sharers(&l->x_dist[0]);
  s->ranks = h3d_grid_comm_size(e->grid, s->sharers);
  s->mean = h3d_new(n, sizeof(double));
  s->inv = h3d_new(n, sizeof(double));
  s->scale = h3d_new(n, sizeof(double));
  s->shift = h3d_new(n, sizeof(double));
  s->a = h3d_new(n, sizeof(double));
  s->b = h3d_new(n, sizeof(double));
  s->k = h3d_new(n, sizeof(double));
  s->mine = h3d_new(2 * n + 1, sizeof(double));
  s->all = h3d_new((2 * n + 1) * (size_t)s->ranks, sizeof(double));
  s->sums = h3d_new(2 * n, sizeof(double));
  s->sum = h3d_new(2 * n, sizeof(double));
  s->raw = h3d_new(n, sizeof(double));
  return H3D_OK;
}

/* Join the ranks' (count, mean, M2), in rank order: T. Chan, G. Golub, R.
 * LeVeque 1983, equation 2.1.  M2 of channel i to m2[i]. */
static void
merge(state *s, int64_t c, double *m2)
{
  s->count = 0;
  for (int64_t i = 0; i < c; i++) {
    s->mean[i] = m2[i] = 0;
  }
  for (int r = 0; r < s->ranks; r++) {
    const double *from = s->all + r * (2 * c + 1);
    double n = from[0];

    if (n == 0) {
      continue;
    }
    for (int64_t i = 0; i < c; i++) {
      double d = from[1 + i] - s->mean[i];

      s->mean[i] += d * n / (s->count + n);
      m2[i] += from[1 + c + i] + d * d * s->count * n / (s->count + n);
    }
    s->count += n;
  }
}

/* r = decay r + (1 - decay) value, in device memory. */
static void
follow(h3d_layer *l, h3d_env *e, int i, const double *value, double *r)
{
  const norm *o = l->option;
  state *s = l->state;
  h3d_param *p = &l->param[i];

  h3d_layer_get(e, p->w, p->size, s->raw, r);
  for (int64_t j = 0; j < p->size; j++) {
    r[j] = o->decay * r[j] + (1 - o->decay) * value[j];
  }
  h3d_layer_put(e, p->w, p->size, s->raw, r);
}

static void
batch_statistics(h3d_layer *l, h3d_env *e, int64_t m)
{
  const norm *o = l->option;
  state *s = l->state;
  int64_t c = l->y_shape.c;
  double *m2 = s->a, steps;
  double t;

  s->mine[0] = (double)m;
  e->dev->be->norm_moments(e->dev, m, c, l->x[0], s->mine + 1,
                           s->mine + 1 + c);
  t = h3d_clock();
  h3d_grid_gather(h3d_grid_comm(e->grid, s->sharers), (int)(2 * c + 1),
                  s->mine, s->all);
  e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
  merge(s, c, m2);
  for (int64_t i = 0; i < c; i++) {
    s->inv[i] = 1 / sqrt(m2[i] / s->count + o->eps);
    m2[i] /= s->count > 1 ? s->count - 1 : 1;
  }
  follow(l, e, RUNNING_MEAN, s->mean, s->b);
  follow(l, e, RUNNING_VAR, m2, s->b);
  h3d_layer_get(e, l->param[STEPS].w, 1, s->raw, &steps);
  /* In fp32 the number stops at 2^24, long after decay^steps is 0. */
  steps += 1;
  h3d_layer_put(e, l->param[STEPS].w, 1, s->raw, &steps);
}

static void
running_statistics(h3d_layer *l, h3d_env *e)
{
  const norm *o = l->option;
  state *s = l->state;
  int64_t c = l->y_shape.c;
  double steps, whole = 0;

  h3d_layer_get(e, l->param[STEPS].w, 1, s->raw, &steps);
  h3d_layer_get(e, l->param[RUNNING_MEAN].w, c, s->raw, s->mean);
  h3d_layer_get(e, l->param[RUNNING_VAR].w, c, s->raw, s->inv);
  if (steps > 0) {
    /* 1 - decay^steps without cancellation for decays near 1. */
    whole = o->decay > 0 ? -expm1(steps * log(o->decay)) : 1;
  }
  for (int64_t i = 0; i < c; i++) {
    double var = steps > 0 ? s->inv[i] / whole : 1;

    s->mean[i] = steps > 0 ? s->mean[i] / whole : 0;
    s->inv[i] = 1 / sqrt(var + o->eps);
  }
}

static void
forward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  int64_t c = l->y_shape.c;
  int64_t m = e->n * h3d_layer_voxels(e, &l->y_dist);

  s->batch = e->training;
  if (s->batch) {
    batch_statistics(l, e, m);
  } else {
    running_statistics(l, e);
  }
  h3d_layer_get(e, l->param[SCALE].w, c, s->raw, s->scale);
  h3d_layer_get(e, l->param[SHIFT].w, c, s->raw, s->shift);
  for (int64_t i = 0; i < c; i++) {
    s->a[i] = s->scale[i] * s->inv[i];
    s->b[i] = s->shift[i] - s->a[i] * s->mean[i];
  }
  e->dev->be->norm_apply(e->dev, m, c, s->a, s->b, l->x[0], l->y);
}

static void
backward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  int64_t c = l->y_shape.c;
  int64_t m = e->n * h3d_layer_voxels(e, &l->y_dist);
  double t;

  e->dev->be->norm_sums(e->dev, m, c, s->mean, s->inv, l->x[0], l->dy, s->sums,
                        s->sums + c);
  t = h3d_clock();
  h3d_grid_sum(h3d_grid_comm(e->grid, s->sharers), (int)(2 * c), s->sums,
               s->sum);
  e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
  h3d_layer_put(e, l->param[SHIFT].g, c, s->raw, s->sum);
  h3d_layer_put(e, l->param[SCALE].g, c, s->raw, s->sum + c);
  if (l->dx[0] == NULL) {
    return;
  }
  for (int64_t i = 0; i < c; i++) {
    /* Running statistics are constants; those of the batch depend on x. */
    double mean_dy = s->batch ? s->sum[i] / s->count : 0;
    double mean_dyx = s->batch ? s->sum[c + i] / s->count : 0;

    s->a[i] = s->scale[i] * s->inv[i];
    s->b[i] = -s->a[i] * s->inv[i] * mean_dyx;
    s->k[i] = -s->a[i] * mean_dy - s->b[i] * s->mean[i];
  }
  e->dev->be->norm_backward(e->dev, m, c, s->a, s->b, s->k, l->x[0], l->dy,
                            l->dx[0]);
}

static void
release(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  double **lists[] = { &s->mean, &s->inv,  &s->scale, &s->shift, &s->a,  &s->b,
                       &s->k,    &s->mine, &s->all,   &s->sums,  &s->sum };

  (void)e;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    h3d_free(*lists[i]);
    *lists[i] = NULL;
  }
  h3d_free(s->raw);
  s->raw = NULL;
}

const h3d_layer_kind h3d_layer_norm = {
  .name = "norm",
  .help = "batch normalization over all samples and voxels",
  .inputs = 1,
  .option_size = sizeof(norm),
  .state_size = sizeof(state),
  .options = options,
  .shape = shape,
  .plan = plan,
  .forward = forward,
  .backward = backward,
  .release = release,
};
