/* redist: put in by the planner where a cut ends, so that no communication
 * hides inside other layers. */
#include "config.h"

#include "tensor/redist.h"

#include "base/clock.h"
#include "layer/layer.h"

#include <stdio.h>

typedef struct state {
  h3d_redist *down, *up; /* up only where mine lies outside what I get */
  h3d_box mine, all;     /* my boxes of x and of y */
  size_t cell;           /* bytes a voxel */
} state;

static const h3d_option options[] = { { 0 } };

static h3d_status
shape(h3d_layer *l)
{
  l->y_shape = l->x_shape[0];
  return H3D_OK;
}

/* Does every rank of the grid get all that it owned before? */
static int
keeps_own(const h3d_layer *l, const h3d_grid *g)
{
  for (int r = 0; r < g->size; r++) {
    int at[H3D_AXES];
    h3d_box x, y, both;

    h3d_grid_coords(g, r, at);
    x = h3d_dist_box(&l->x_dist[0], at);
    y = h3d_dist_box(&l->y_dist, at);
    h3d_box_meet(&x, &y, &both);
    if (h3d_box_voxels(&both) != h3d_box_voxels(&x)) {
      return 0;
    }
  }
  return 1;
}

static h3d_status
plan(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  h3d_redist_spec spec = { .grid = e->grid,
                           .dev = e->dev,
                           .transport = e->transport,
                           .own = &l->x_dist[0],
                           .samples = e->samples };
  h3d_status st;

  s->cell = (size_t)l->y_shape.c * h3d_type_size(e->dev->type);
  s->mine = h3d_dist_box(&l->x_dist[0], e->grid->at);
  s->all = h3d_dist_box(&l->y_dist, e->grid->at);
  spec.cell = s->cell;
  H3D_TRY(h3d_redist_between(&spec, &l->y_dist, &s->down));
  l->memory += h3d_redist_memory(s->down);
  if (l->want_dx[0] && !keeps_own(l, e->grid)) {
    spec.own = &l->y_dist;
    H3D_TRY(h3d_redist_between(&spec, &l->x_dist[0], &s->up));
    l->memory += h3d_redist_memory(s->up);
  }
  snprintf(l->about, sizeof l->about, "receives %lld bytes a sample",
           (long long)h3d_redist_bytes(s->down));
done:
  return st;
}

static void
forward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  double t = h3d_clock();

  h3d_redist_begin(s->down, e->n, l->x[0], l->y);
  h3d_redist_end(s->down);
  e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
}

static void
backward(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;
  int64_t len[4] = { e->n };
  h3d_cells from = { { e->n }, { 0 } }, to = from;
  double t = h3d_clock();

  if (l->dx[0] == NULL) {
    return;
  }
  if (s->up != NULL) {
    h3d_redist_begin(s->up, e->n, l->dy, l->dx[0]);
    h3d_redist_end(s->up);
    e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
    return;
  }
  /* Every copy holds the whole gradient already: all ranks that read a copy
   * computed the same tail.  Mine is a box of it. */
  for (int a = 0; a < 3; a++) {
    int axis = H3D_AXIS_D + a;

    len[1 + a] = s->mine.len[axis];
    to.ext[1 + a] = s->mine.len[axis];
    from.ext[1 + a] = s->all.len[axis];
    from.at[1 + a] = s->mine.start[axis] - s->all.start[axis];
  }
  if (e->n > 0 && h3d_box_voxels(&s->mine) > 0) {
    e->dev->be->copy_box(e->dev, len, s->cell, l->dy, &from, l->dx[0], &to);
  }
  e->seconds[H3D_SPAN_HALO] += h3d_clock() - t;
}

static void
release(h3d_layer *l, h3d_env *e)
{
  state *s = l->state;

  (void)e;
  h3d_redist_free(&s->down);
  h3d_redist_free(&s->up);
}

const h3d_layer_kind h3d_layer_redist = {
  .name = "redist",
  .help = "where a cut ends: every rank gets the whole axis",
  .inputs = 1,
  .drops_x = 1,
  .internal = 1,
  .state_size = sizeof(state),
  .options = options,
  .shape = shape,
  .plan = plan,
  .forward = forward,
  .backward = backward,
  .release = release,
};
