/* Reading results out of a model. */
#include "config.h"

#include "base/mem.h"
#include "model/model_impl.h"
#include "model/shard.h"

#include <math.h>
#include <string.h>

void
h3d_model_predictions(h3d_model *m, double *out)
{
  const h3d_grid *g = m->spec.grid;
  int groups = g->n[H3D_AXIS_N];
  int64_t p = m->spec.data.targets, room = m->env.samples * p;
  double *mine = h3d_new((size_t)room, sizeof *mine);
  double *all = h3d_new((size_t)(room * groups), sizeof *all);

  h3d_shard_get(m->spec.dev, m->env.n * p, m->plan.layer[m->plan.output].y,
                mine);
  h3d_grid_gather(h3d_grid_comm(g, H3D_MASK(H3D_AXIS_N)), (int)room, mine,
                  all);
  for (int i = 0; i < groups; i++) {
    int64_t first, n;

    h3d_model_share(m, m->env.total, i, &first, &n);
    memcpy(out + first * p, all + i * room, (size_t)(n * p) * sizeof *out);
  }
  h3d_free(mine);
  h3d_free(all);
}

/* The arena reuses memory, so the layers are run once more, one by one. */
const char *
h3d_model_nonfinite_layer(h3d_model *m)
{
  h3d_device *dev = m->spec.dev;

  for (int i = 0; i < m->plan.layers; i++) {
    h3d_layer *l = &m->plan.layer[i];
    double bad;

    if (l->kind->forward) {
      l->kind->forward(l, &m->env);
    }
    bad = l->kind->is_loss ? !isfinite(m->env.loss)
                           : !dev->be->is_finite(
                             dev, h3d_model_layer_size(m, i, m->env.n), l->y);
    if (h3d_grid_max(m->spec.grid->world, bad) > 0.5) {
      return l->name;
    }
  }
  return NULL;
}
