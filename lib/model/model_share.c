/* Weights between the ranks that share them and one file. */
#include "config.h"

#include "base/agree.h"
#include "base/mem.h"
#include "model/model_impl.h"
#include "model/shard.h"

#include <math.h>
#include <string.h>

static char *
address(const h3d_model *m, int i, const void *base)
{
  return (char *)(uintptr_t)base + (size_t)m->offset[i] * h3d_model_real(m);
}

/* Does this rank hold a shard that no lower rank holds too? */
static int
is_first_holder(const h3d_grid *g, const h3d_param *p, int rank)
{
  int at[H3D_AXES];

  h3d_grid_coords(g, rank, at);
  for (int a = 0; a < H3D_AXES; a++) {
    if (at[a] > 0 && !(p->cuts & H3D_MASK(a))) {
      return 0;
    }
  }
  return 1;
}

/* Put the numbers of a shard where they belong. */
static void
place(const h3d_param *p, int64_t n, const double *shard, double *out)
{
  for (int64_t j = 0; j < n; j++) {
    out[h3d_shard_index(p, j)] = shard[j];
  }
}

/* The parameter as another rank has it: only the box differs. */
static h3d_param
as_on(const h3d_model *m, int i, int rank)
{
  h3d_param p = *m->param[i].param;
  int at[H3D_AXES];

  if (p.sharded) {
    h3d_grid_coords(m->spec.grid, rank, at);
    p.box = h3d_dist_box(&h3d_model_owner(m, i)->x_dist[0], at);
    p.size = p.rows * p.box.len[H3D_AXIS_C] * h3d_box_voxels(&p.box);
  }
  return p;
}

void
h3d_model_gather(h3d_model *m, int i, const void *base, double *out)
{
  const h3d_grid *g = m->spec.grid;
  const h3d_param *mine = m->param[i].param;

  for (int r = 0; r < g->size; r++) {
    h3d_param p;
    double *x;

    if (!is_first_holder(g, mine, r)) {
      continue;
    }
    p = as_on(m, i, r);
    x = h3d_new((size_t)p.size, sizeof *x);
    if (g->rank == r) {
      h3d_shard_get(m->spec.dev, p.size, address(m, i, base), x);
    }
    h3d_grid_send(g->world, r, 0, x, p.size * (int64_t)sizeof *x);
    if (g->rank == 0) {
      place(&p, p.size, x, out);
    }
    h3d_free(x);
  }
}

void
h3d_model_scatter(h3d_model *m, int i, const double *in, void *base)
{
  const h3d_param *p = m->param[i].param;
  int64_t n = h3d_shard_total(p);
  double *whole = h3d_new((size_t)n, sizeof *whole);
  double *mine = h3d_new((size_t)p->size, sizeof *mine);

  if (m->spec.grid->rank == 0) {
    memcpy(whole, in, (size_t)n * sizeof *whole);
  }
  h3d_broadcast(m->spec.grid->world, 0, whole, (size_t)n * sizeof *whole);
  for (int64_t j = 0; j < p->size; j++) {
    mine[j] = whole[h3d_shard_index(p, j)];
  }
  h3d_shard_put(m->spec.dev, p->size, mine, address(m, i, base));
  h3d_free(whole);
  h3d_free(mine);
}

double
h3d_model_param_gradient_norm(h3d_model *m, int i)
{
  h3d_device *dev = m->spec.dev;
  const h3d_param *p = m->param[i].param;
  double s = dev->be->sum_squares(dev, p->size, p->g), all;

  h3d_grid_sum(h3d_grid_comm(m->spec.grid, p->cuts), 1, &s, &all);
  return sqrt(all);
}

double
h3d_model_gradient_norm(h3d_model *m)
{
  double sum = 0;

  for (int i = 0; i < m->params; i++) {
    if (m->param[i].param->role != H3D_ROLE_STATE) {
      double norm = h3d_model_param_gradient_norm(m, i);

      sum += norm * norm;
    }
  }
  return sqrt(sum);
}

void
h3d_model_scale_gradients(h3d_model *m, double a)
{
  m->spec.dev->be->scale(m->spec.dev, m->block, a, m->gradients);
}

int
h3d_model_gradients_are_finite(h3d_model *m)
{
  h3d_device *dev = m->spec.dev;
  int bad = !dev->be->is_finite(dev, m->block, m->gradients);

  return h3d_grid_max(m->spec.grid->world, bad) < 0.5;
}

int
h3d_model_weights_are_finite(h3d_model *m)
{
  h3d_device *dev = m->spec.dev;
  int bad = !dev->be->is_finite(dev, m->block, m->weights)
            || !dev->be->is_finite(dev, m->states, m->state);

  return h3d_grid_max(m->spec.grid->world, bad) < 0.5;
}
