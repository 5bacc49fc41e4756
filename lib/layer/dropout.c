/* dropout: zeros at random cells while training, the others grow in return.
 *
 * N. Srivastava et al., JMLR 15 (2014).  Whether a cell falls is a function
 * of seed, step, layer and its global index, so no mask is kept, and the
 * copies of a copied tensor agree.
 */
#include "config.h"

#include "layer/layer.h"

typedef struct dropout {
  double drop;
} dropout;

static const h3d_option options[] = {
  { "drop", H3D_REAL, offsetof(dropout, drop), "0.5",
    "chance that a cell becomes zero", NULL },
  { 0 },
};

static h3d_status
shape(h3d_layer *l)
{
  const dropout *o = l->option;

  if (!(o->drop >= 0 && o->drop < 1)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: drop=%g, wanted is a chance from 0 to below 1",
                    l->name, o->drop);
  }
  l->y_shape = l->x_shape[0];
  return H3D_OK;
}

/* The mask is linear: gradients go the same way as values. */
static void
apply(const h3d_layer *l, h3d_env *e, const void *src, void *dst)
{
  const dropout *o = l->option;
  h3d_box b = h3d_dist_box(&l->y_dist, e->grid->at);
  h3d_place p
    = { .n = e->n, .c = l->y_shape.c, .first = e->before + e->first };
  h3d_rng rng = h3d_rng_init(e->seed, H3D_RNG_DROPOUT, (uint64_t)e->step,
                             (uint64_t)l->index);

  for (int a = 0; a < 3; a++) {
    p.len[a] = b.len[H3D_AXIS_D + a];
    p.start[a] = b.start[H3D_AXIS_D + a];
    p.extent[a] = l->y_shape.n[a];
  }
  if (e->training && o->drop > 0) {
    e->dev->be->dropout(e->dev, &p, &rng, o->drop, src, dst);
  } else if (src != dst) {
    h3d_layer_copy(e, e->n * h3d_box_voxels(&b) * p.c, src, dst);
  }
}

static void
forward(h3d_layer *l, h3d_env *e)
{
  apply(l, e, l->x[0], l->y);
}

static void
backward(h3d_layer *l, h3d_env *e)
{
  if (l->dx[0] != NULL) {
    apply(l, e, l->dy, l->dx[0]);
  }
}

const h3d_layer_kind h3d_layer_dropout = {
  .name = "dropout",
  .help = "zeros at random cells while training",
  .inputs = 1,
  .drops_x = 1,
  .option_size = sizeof(dropout),
  .options = options,
  .in_place = 1,
  .shape = shape,
  .forward = forward,
  .backward = backward,
};
