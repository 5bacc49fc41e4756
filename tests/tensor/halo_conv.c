/* A convolution over a grid is the convolution of one rank, number by number;
 * integers, so that no order of summation matters. */
#include "config.h"

#include "tensor/halo.h"

#include "tap.h"
#include "trial.h"

TAP_RANKS("1 2 3 4 8")

static int untrue, loud, unlike_y, unlike_dx, unlike_dw;

/* A layer's forward and backward. */
static void
convolve(const trial *t, side *s)
{
  const h3d_backend *be = s->dev.be;
  const void *in, *dy;
  size_t calls = h3d_mem_calls();

  h3d_halo_input_begin(s->halo, t->now, s->mem_x);
  in = h3d_halo_input_end(s->halo);
  be->conv_forward(&s->dev, s->conv, t->now, in, s->mem_w, NULL, s->mem_y);
  h3d_halo_gradient_begin(s->halo, t->now, s->mem_dy, s->tap, s->work);
  be->conv_backward_weights(&s->dev, s->conv, t->now, h3d_halo_input(s->halo),
                            s->mem_dy, s->mem_dw, s->mem_db);
  dy = h3d_halo_gradient_end(s->halo, NULL);
  be->conv_backward_data(&s->dev, s->conv, t->now, dy, s->mem_w, s->mem_dx);
  loud += h3d_mem_calls() != calls;
}

/* A block of the many against the same voxels of the one. */
static int
differ(const h3d_box *b, int64_t c, const int64_t n[3], const double *mine,
       const double *whole)
{
  int64_t ext[H3D_AXES] = { 0, c, n[0], n[1], n[2] }, v[H3D_AXES];
  int bad = 0;

  for (int64_t i = 0; i < h3d_box_size(b); i++) {
    some_voxel(b, i, v);
    bad += mine[i] != whole[some_grid_cell(ext, v)];
  }
  return bad;
}

/* Weight gradients of blocks, summed over the ranks that share a sample. */
static int
differ_weights(const trial *t)
{
  unsigned cuts = h3d_dist_cuts(&t->many.spec.y) & H3D_MASK_SPACE;
  MPI_Comm comm = h3d_grid_comm(t->many.grid, cuts);
  int64_t n = weights(t);
  double *sum = h3d_new((size_t)(n + t->k), sizeof *sum);
  const double *dw = t->one.mem_dw, *db = t->one.mem_db;
  int bad = 0;

  h3d_grid_sum(comm, (int)n, t->many.mem_dw, sum);
  h3d_grid_sum(comm, (int)t->k, t->many.mem_db, sum + n);
  for (int64_t i = 0; i < n; i++) {
    bad += sum[i] != dw[i];
  }
  for (int64_t i = 0; i < t->k; i++) {
    bad += sum[n + i] != db[i];
  }
  h3d_free(sum);
  return bad;
}

static void
check_same(trial *t)
{
  side *m = &t->many, *o = &t->one;
  int y, dx, dw;

  convolve(t, m);
  convolve(t, o);
  y = differ(&m->y, t->k, t->out, m->mem_y, o->mem_y);
  dx = differ(&m->x, t->c, t->n, m->mem_dx, o->mem_dx);
  dw = differ_weights(t);
  if (y || dx || dw) {
    complain(t, y ? "outputs" : dx ? "input gradients" : "weight gradients");
  }
  unlike_y += y != 0;
  unlike_dx += dx != 0;
  unlike_dw += dw != 0;
}

/* <conv x, dy> = <x, conv* dy>, over all ranks: small integers, exact. */
static void
check_adjoint(trial *t)
{
  const side *m = &t->many;
  const double *x = m->mem_x, *y = m->mem_y, *dx = m->mem_dx, *dy = m->mem_dy;
  double both[2] = { 0, 0 }, all[2];

  for (int64_t i = 0; i < h3d_box_size(&m->y); i++) {
    both[0] += y[i] * dy[i];
  }
  for (int64_t i = 0; i < h3d_box_size(&m->x); i++) {
    both[1] += x[i] * dx[i];
  }
  h3d_grid_sum(m->grid->world, 2, both, all);
  if (all[0] != all[1]) {
    complain(t, "no adjoint");
    untrue++;
  }
}

void
tap_main(void)
{
  int trials = trials_for(tap_size);

  for (int i = 0; i < trials; i++) {
    trial t;

    begin(&t, i);
    check_same(&t);
    check_adjoint(&t);
    end(&t);
  }
  ok(refused == 0, "%d layers are planned", trials);
  ok(unlike_y == 0, "outputs are those of one rank");
  ok(unlike_dx == 0, "input gradients are those of one rank");
  ok(unlike_dw == 0, "weight gradients are those of one rank");
  ok(untrue == 0, "backward is the adjoint of forward, exactly");
  ok(loud == 0, "no memory is asked for after planning");
}
