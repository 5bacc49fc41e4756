/* trial.h: a window layer with its halo on any grid, and the same on one rank.
 */
#ifndef TESTS_TENSOR_TRIAL_H
#define TESTS_TENSOR_TRIAL_H

#include "tensor/halo.h"

#include "some.h"
#include "tap.h"

#include <stdio.h>

enum { EDGE = 10, SIZE = 64 }; /* room for an axis */

/* A layer on a grid: on all ranks, or the same on one. */
typedef struct side {
  h3d_grid *grid;
  h3d_device dev;
  h3d_halo *halo;
  h3d_halo_spec spec;
  h3d_box x, y; /* own blocks with the group's samples */
  h3d_conv *conv;
  void *mem_x, *mem_y, *mem_dy, *mem_dx, *mem_w, *mem_dw, *mem_db, *work;
  int32_t *tap;
} side;

typedef struct trial {
  int number, periodic;
  int64_t n[3], out[3], c, k, now, samples;
  h3d_window window[3];
  side many, one;
} trial;

static int refused;

static inline void
complain(const trial *t, const char *what)
{
  const int *n = t->many.grid->n;

  fprintf(stderr, "# rank %d: trial %d, grid %dx%dx%dx%d%s: %s\n", tap_rank,
          t->number, n[0], n[2], n[3], n[4], t->periodic ? " periodic" : "",
          what);
  for (int a = 0; a < 3; a++) {
    const h3d_window *w = &t->window[a];

    fprintf(stderr,
            "#  %d voxels: kernel %d stride %d dilation %d padding "
            "%d %d, grain %d\n",
            (int)t->n[a], w->kernel, w->stride, w->dilation, w->before,
            w->after, (int)t->many.spec.x.cut[H3D_AXIS_D + a].grain);
  }
}

/* A window that leaves at least one output of n voxels. */
static inline h3d_window
some_window(int64_t n, int periodic, int most)
{
  h3d_window w;

  do {
    int reach;

    w.kernel = 1 + some(most);
    w.stride = 1 + some(3);
    w.dilation = 1 + some(2);
    reach = (w.kernel - 1) * w.dilation;
    w.before = periodic ? reach / 2 : some(reach + 1);
    w.after = periodic ? reach - reach / 2 : some(reach + 1);
  } while (h3d_window_outputs(&w, n) < 1
           || (periodic && (n % w.stride || w.after > n)));
  return w;
}

static inline void
choose(trial *t)
{
  int space[3];

  some_space(tap_size, space);
  h3d_grid_new(MPI_COMM_WORLD, space, &t->many.grid);
  t->periodic = some(3) == 0;
  t->c = 1 + some(2);
  t->k = 1 + some(2);
  t->samples = 1 + some(2);
  for (int g = 0; g < t->many.grid->n[H3D_AXIS_N]; g++) {
    int64_t n = some((int)t->samples + 1);

    t->now = g == t->many.grid->at[H3D_AXIS_N] ? n : t->now;
  }
  for (int a = 0; a < 3; a++) {
    t->n[a] = 1 + some(EDGE);
    /* One wide axis at a time: the sums of one rank stay quick. */
    t->window[a]
      = some_window(t->n[a], t->periodic, a == t->number % 3 ? 7 : 3);
    t->out[a] = h3d_window_outputs(&t->window[a], t->n[a]);
  }
}

static inline void
spread(const trial *t, side *s, int copied)
{
  s->spec = (h3d_halo_spec){ .grid = s->grid,
                             .dev = &s->dev,
                             .transport = &h3d_transport_mpi,
                             .periodic = t->periodic,
                             .samples = t->samples,
                             .cx = t->c,
                             .cy = t->k,
                             .tap = 1,
                             .backward = 1 };
  memcpy(s->spec.window, t->window, sizeof t->window);
  s->spec.x.cut[H3D_AXIS_N] = h3d_cut_init(99, 1, 1);
  s->spec.x.cut[H3D_AXIS_C] = h3d_cut_init(t->c, 1, 1);
  s->spec.y = s->spec.x;
  s->spec.y.cut[H3D_AXIS_C] = h3d_cut_init(t->k, 1, 1);
  for (int a = 0; a < 3; a++) {
    int axis = H3D_AXIS_D + a;
    h3d_cut *c = &s->spec.x.cut[axis];

    *c = s == &t->one ? h3d_cut_init(t->n[a], 1, 1)
                      : some_cut(t->n[a], s->grid->n[axis], copied == a);
    s->spec.y.cut[axis] = h3d_cut_down(c, t->out[a], t->window[a].stride);
    if (c->parts == 1) {
      s->spec.y.cut[axis] = h3d_cut_init(t->out[a], 1, 1);
    }
  }
  s->x = h3d_dist_box(&s->spec.x, s->grid->at);
  s->y = h3d_dist_box(&s->spec.y, s->grid->at);
  s->x.start[H3D_AXIS_N] = s->y.start[H3D_AXIS_N] = 0;
  s->x.len[H3D_AXIS_N] = s->y.len[H3D_AXIS_N] = t->now;
}

static inline void *
memory(side *s, int64_t reals)
{
  void *mem = NULL;

  s->dev.be->alloc(&s->dev, (size_t)reals * h3d_type_size(s->dev.type), &mem);
  return mem;
}

static inline int64_t
weights(const trial *t)
{
  return t->k * t->c * t->window[0].kernel * t->window[1].kernel
         * t->window[2].kernel;
}

static inline void
open(trial *t, side *s)
{
  h3d_conv_shape c
    = { .n = t->samples, .cin = t->c, .cout = t->k, .data_gradient = 1 };

  h3d_device_open("ref", H3D_F64, &s->dev);
  spread(t, s, some(8));
  c.bias = 1;
  if (h3d_halo_new(&s->spec, &s->halo) != H3D_OK) {
    complain(t, h3d_why());
    refused++;
    return;
  }
  memcpy(c.fwd, h3d_halo_forward_local(s->halo), sizeof c.fwd);
  memcpy(c.bwd, h3d_halo_backward_local(s->halo), sizeof c.bwd);
  refused += s->dev.be->conv_plan(&s->dev, &c, &s->conv) != H3D_OK;
  s->mem_x = memory(s, t->samples * t->c * h3d_box_voxels(&s->x));
  s->mem_dx = memory(s, t->samples * t->c * h3d_box_voxels(&s->x));
  s->mem_y = memory(s, t->samples * t->k * h3d_box_voxels(&s->y));
  s->mem_dy = memory(s, t->samples * t->k * h3d_box_voxels(&s->y));
  s->mem_w = memory(s, weights(t));
  s->mem_dw = memory(s, weights(t));
  s->mem_db = memory(s, t->k);
  s->work = NULL;
  s->dev.be->alloc(&s->dev, h3d_halo_work(s->halo), &s->work);
  s->tap = h3d_new((size_t)h3d_box_size(&s->y), sizeof *s->tap);
}

static inline void
shut(side *s)
{
  void *mem[] = { s->mem_x, s->mem_y,  s->mem_dy, s->mem_dx,
                  s->mem_w, s->mem_dw, s->mem_db, s->work };

  for (size_t i = 0; i < sizeof mem / sizeof mem[0]; i++) {
    s->dev.be->release(&s->dev, mem[i]);
  }
  s->dev.be->conv_release(&s->dev, s->conv);
  h3d_halo_free(&s->halo);
  h3d_free(s->tap);
  h3d_device_close(&s->dev);
  h3d_grid_free(&s->grid);
}

/* Numbers by global index; samples of groups differ. */
static inline double
value(const trial *t, uint64_t seed, int64_t c, const int64_t n[3],
      const int64_t v[H3D_AXES])
{
  int64_t ext[H3D_AXES] = { 0, c, n[0], n[1], n[2] }, w[H3D_AXES];

  memcpy(w, v, sizeof w);
  w[H3D_AXIS_N] += 100 * t->many.grid->at[H3D_AXIS_N];
  return small_integer(seed, some_grid_cell(ext, w));
}

static inline void
fill(const trial *t, side *s)
{
  int64_t nx = h3d_box_size(&s->x), ny = h3d_box_size(&s->y), v[H3D_AXES];
  double *x = h3d_new((size_t)(nx + ny + weights(t)), sizeof *x);

  for (int64_t i = 0; i < nx; i++) {
    some_voxel(&s->x, i, v);
    x[i] = value(t, 1, t->c, t->n, v);
  }
  some_put(&s->dev, nx, x, s->mem_x);
  for (int64_t i = 0; i < ny; i++) {
    some_voxel(&s->y, i, v);
    x[i] = value(t, 2, t->k, t->out, v);
    s->tap[i] = (int32_t)value(t, 3, t->k, t->out, v);
  }
  some_put(&s->dev, ny, x, s->mem_dy);
  for (int64_t i = 0; i < weights(t); i++) {
    x[i] = small_integer(4, i);
  }
  some_put(&s->dev, weights(t), x, s->mem_w);
  h3d_free(x);
}

/* Both sides of trial number i, filled. */
static inline void
begin(trial *t, int i)
{
  static const int alone[3] = { 1, 1, 1 };

  *t = (trial){ .number = i };
  choose(t);
  h3d_grid_new(MPI_COMM_SELF, alone, &t->one.grid);
  open(t, &t->many);
  open(t, &t->one);
  fill(t, &t->many);
  fill(t, &t->one);
}

static inline void
end(trial *t)
{
  shut(&t->many);
  shut(&t->one);
}

static inline int
trials_for(int ranks)
{
  return ranks == 1 ? 200 : ranks < 8 ? 120 : 50;
}

#endif /* TESTS_TENSOR_TRIAL_H */
