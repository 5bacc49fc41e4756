#include "config.h"

#include "model/plan.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Cumulative stride of every layer's output along an axis; 0 behind a layer
 * that ends the space. */
static void
find_levels(const h3d_net *net, int axis, int64_t *level)
{
  for (int i = 0; i < net->layers; i++) {
    const h3d_layer *l = &net->layer[i];
    int64_t s = l->inputs ? level[l->input[0]] : 1;

    level[i] = l->kind->ends_space ? 0 : s * l->window[axis].stride;
  }
}

/* Voxels that windows read across a cut at a multiple of their stride: before
 * below, and above what the last one before the cut reads beyond it. */
static int64_t
halo_of(const h3d_window *w)
{
  int64_t after
    = (int64_t)(w->kernel - 1) * w->dilation - w->before - (w->stride - 1);

  return w->before > after ? w->before : after;
}

/* May an axis of n voxels stay cut at this level? */
static int
holds(const h3d_net *net, int axis, int parts, const int64_t *level, int64_t s)
{
  int64_t n = net->layer[0].y_shape.n[axis];
  h3d_cut cut = h3d_cut_init(n, parts, s), here;

  if (n / s < parts) {
    return 0;
  }
  if ((double)h3d_cut_max(&cut) > 1.15 * (double)n / parts
      && s > 1) { /* uneven single voxels cannot be helped */
    return 0;
  }
  here = h3d_cut_down(&cut, n / s, s);
  for (int i = 0; i < net->layers; i++) {
    const h3d_layer *l = &net->layer[i];

    if (l->inputs && level[l->input[0]] == s && !l->kind->ends_space
        && halo_of(&l->window[axis]) > h3d_cut_min(&here)) {
      return 0;
    }
  }
  return 1;
}

int64_t
h3d_plan_grain(const h3d_net *net, int axis, int parts)
{
  int64_t *level = h3d_new((size_t)net->layers, sizeof *level);
  int64_t s = 1, grain = 1;

  find_levels(net, axis, level);
  while (parts > 1 && s > 0 && holds(net, axis, parts, level, s)) {
    int64_t next = 0;

    grain = s;
    for (int i = 0; i < net->layers; i++) { /* the next level down */
      if (level[i] > s && (next == 0 || level[i] < next)) {
        next = level[i];
      }
    }
    /* Branches of unlike strides share no cut below this point. */
    s = next % s == 0 ? next : 0;
  }
  h3d_free(level);
  return grain;
}

static h3d_dist
input_dist(const h3d_net *net, const h3d_grid *grid, int64_t batch,
           const int64_t grain[3])
{
  const h3d_shape *s = &net->layer[0].y_shape;
  h3d_dist d;

  d.cut[H3D_AXIS_N] = h3d_cut_init(batch, grid->n[H3D_AXIS_N], 1);
  d.cut[H3D_AXIS_C] = h3d_cut_init(s->c, 1, 1);
  for (int i = 0; i < 3; i++) {
    d.cut[H3D_AXIS_D + i]
      = h3d_cut_init(s->n[i], grid->n[H3D_AXIS_D + i], grain[i]);
  }
  return d;
}

/* Does this layer's stride move cuts off the grain?  Bit i: axis i. */
static unsigned
cuts_to_end(const h3d_layer *l, const h3d_dist *x)
{
  unsigned axes = 0;

  for (int i = 0; i < 3 && !l->kind->ends_space; i++) {
    const h3d_cut *c = &x->cut[H3D_AXIS_D + i];
    int64_t s = l->window[i].stride;

    if (c->parts > 1 && s > 1 && c->grain % (c->stride * s) != 0) {
      axes |= 1u << i;
    }
  }
  return axes;
}

static h3d_dist
end_cuts(const h3d_dist *x, unsigned axes)
{
  h3d_dist y = *x;

  for (int i = 0; i < 3; i++) {
    if (axes >> i & 1) {
      y.cut[H3D_AXIS_D + i] = h3d_cut_init(x->cut[H3D_AXIS_D + i].n, 1, 1);
    }
  }
  return y;
}

static h3d_dist
output_dist(const h3d_layer *l)
{
  h3d_dist y = l->x_dist[0];

  y.cut[H3D_AXIS_C] = h3d_cut_init(l->y_shape.c, 1, 1);
  for (int i = 0; i < 3; i++) {
    h3d_cut *c = &y.cut[H3D_AXIS_D + i];

    *c = c->parts > 1 && !l->kind->ends_space
           ? h3d_cut_down(c, l->y_shape.n[i], l->window[i].stride)
           : h3d_cut_init(l->y_shape.n[i], 1, 1);
  }
  return y;
}

/* A layer that nobody wrote, in front of reader. */
static h3d_layer
new_redist(const h3d_plan *p, const h3d_layer *reader, int from, unsigned axes)
{
  const h3d_layer *x = &p->layer[from];
  h3d_layer r = { .kind = h3d_layer_kind_find("redist"),
                  .index = reader->index,
                  .inputs = 1,
                  .input = { from } };

  snprintf(r.name, sizeof r.name, "%.40s<", reader->name);
  r.option = h3d_new(1, r.kind->option_size + 1);
  r.x_shape[0] = r.y_shape = x->y_shape;
  for (int i = 0; i < 3; i++) {
    r.window[i] = h3d_window_point();
  }
  r.x_dist[0] = x->y_dist;
  r.y_dist = end_cuts(&x->y_dist, axes);
  return r;
}

/* Copy layer i of the net behind the plan's, after the redists it needs. */
static void
place_layer(h3d_plan *p, h3d_net *net, int i, int *place)
{
  h3d_layer l = net->layer[i];

  net->layer[i].option = NULL; /* moved */
  for (int k = 0; k < l.inputs; k++) {
    int from = place[l.input[k]];
    unsigned axes = cuts_to_end(&l, &p->layer[from].y_dist);

    if (axes) {
      p->layer[p->layers] = new_redist(p, &l, from, axes);
      from = p->layers++;
    }
    l.input[k] = from;
    l.x_dist[k] = p->layer[from].y_dist;
  }
  if (l.inputs > 0) {
    l.y_dist = output_dist(&l);
  }
  place[i] = p->layers;
  p->layer[p->layers++] = l;
}

h3d_status
h3d_plan_new(h3d_net *net, const h3d_grid *grid, int64_t batch, h3d_plan *p)
{
  int *place;

  memset(p, 0, sizeof *p);
  for (int i = 0; i < 3; i++) {
    int64_t n = net->layer[0].y_shape.n[i];
    int parts = grid->n[H3D_AXIS_D + i];

    if (n < parts) {
      return h3d_fail(H3D_ERR_SHAPE,
                      "the grid cuts axis %c into %d parts and a sample has "
                      "%" PRId64 " voxels there: use at most %" PRId64
                      " parts",
                      h3d_axis_name[H3D_AXIS_D + i], parts, n, n);
    }
    p->grain[i] = h3d_plan_grain(net, i, parts);
  }
  /* At most one redist for every input of every layer. */
  p->layer
    = h3d_new((size_t)net->layers * (1 + H3D_INPUTS_MAX), sizeof *p->layer);
  place = h3d_new((size_t)net->layers, sizeof *place);
  for (int i = 0; i < net->layers; i++) {
    if (net->layer[i].inputs == 0) {
      net->layer[i].y_dist = input_dist(net, grid, batch, p->grain);
    }
    place_layer(p, net, i, place);
  }
  p->output = place[net->output];
  p->loss = place[net->loss];
  h3d_free(place);
  return H3D_OK;
}

void
h3d_plan_free(h3d_plan *p)
{
  for (int i = 0; i < p->layers; i++) {
    h3d_free(p->layer[i].option);
    h3d_free(p->layer[i].state);
  }
  h3d_free(p->layer);
  memset(p, 0, sizeof *p);
}
