/* Boxes move to where they are wanted: each voxel holds its global index, so
 * that any misplaced one is seen.  And the adjoint is one, exactly. */
#include "config.h"

#include "tensor/redist.h"

#include "some.h"
#include "tap.h"

#include <stdio.h>

TAP_RANKS("1 2 3 4 8")

static const double poison = -7;

/* One redist under test; the wanted boxes are a dist's, with margins. */
typedef struct trial {
  int number;
  h3d_device dev;
  h3d_grid *grid;
  h3d_dist own, to;
  int64_t n[H3D_AXES];                   /* global extents */
  int64_t low[H3D_AXES], high[H3D_AXES]; /* margins */
  int wrap[H3D_AXES];
  int64_t samples, now; /* planned, and of this step in my group */
  h3d_redist *redist;
  h3d_box mine, wanted; /* with the samples of this step */
  void *src, *dst;
  int64_t src_size, dst_size; /* of the buffers, in reals */
} trial;

static int misplaced, untrue, loud, miscounted, spilt;

static h3d_box
want(const void *ctx, const int at[H3D_AXES])
{
  const trial *t = ctx;
  h3d_box b = h3d_dist_box(&t->to, at);

  for (int a = 0; a < H3D_AXES; a++) {
    int64_t begin = b.start[a] - t->low[a];
    int64_t end = b.start[a] + b.len[a] + t->high[a];

    if (b.len[a] == 0) {
      continue;
    }
    if (!t->wrap[a]) {
      begin = begin < 0 ? 0 : begin;
      end = end > t->n[a] ? t->n[a] : end;
    }
    b.start[a] = begin;
    b.len[a] = end - begin;
  }
  return b;
}

static void
complain(const trial *t, const char *what)
{
  char own[128], to[128];

  fprintf(stderr, "# rank %d: trial %d, grid %dx%dx%dx%d, %s -> %s: %s\n",
          tap_rank, t->number, t->grid->n[0], t->grid->n[2], t->grid->n[3],
          t->grid->n[4], h3d_dist_text(&t->own, own, sizeof own),
          h3d_dist_text(&t->to, to, sizeof to), what);
}

/* Where N stays, samples count within the group. */
static h3d_box
with_samples(const trial *t, h3d_box b)
{
  if (t->samples > 0) {
    b.start[H3D_AXIS_N] = 100 * t->grid->at[H3D_AXIS_N];
    b.len[H3D_AXIS_N] = t->now;
  }
  return b;
}

static int64_t
room(const trial *t, const h3d_box *b)
{
  return t->samples > 0 ? t->samples * b->len[H3D_AXIS_C] * h3d_box_voxels(b)
                        : h3d_box_size(b);
}

static void
choose(trial *t)
{
  int space[3], stays = some(2);

  some_space(tap_size, space);
  h3d_grid_new(MPI_COMM_WORLD, space, &t->grid);
  for (int a = 0; a < H3D_AXES; a++) {
    int parts = t->grid->n[a], wraps = a >= H3D_AXIS_D && some(3) == 0;

    t->n[a] = a == H3D_AXIS_C ? 1 + some(3) : 1 + some(9);
    t->own.cut[a] = some_cut(t->n[a], parts, some(3) == 0);
    t->to.cut[a] = some_cut(t->n[a], parts, some(2));
    if (a >= H3D_AXIS_D && some(2)) {
      t->wrap[a] = wraps;
      t->low[a] = some(wraps ? 2 * (int)t->n[a] + 2 : 5);
      t->high[a] = some(wraps ? 2 * (int)t->n[a] + 2 : 5);
    }
  }
  t->samples = stays ? 1 + some(3) : 0;
  for (int g = 0; g < t->grid->n[H3D_AXIS_N]; g++) {
    int n = stays ? some((int)t->samples + 1) : 0; /* 0 of them often */

    t->now = g == t->grid->at[H3D_AXIS_N] ? n : t->now;
  }
}

static void
open(trial *t)
{
  h3d_redist_spec s = { .grid = t->grid,
                        .dev = &t->dev,
                        .transport = &h3d_transport_mpi,
                        .own = &t->own,
                        .want = want,
                        .ctx = t,
                        .samples = t->samples };
  size_t real;

  h3d_device_open("ref", some(2) ? H3D_F64 : H3D_F32, &t->dev);
  real = h3d_type_size(t->dev.type);
  s.cell = (size_t)t->n[H3D_AXIS_C] * real;
  memcpy(s.wrap, t->wrap, sizeof s.wrap);
  if (h3d_redist_new(&s, &t->redist) != H3D_OK) {
    complain(t, h3d_why());
    misplaced++;
  }
  t->mine = with_samples(t, h3d_dist_box(&t->own, t->grid->at));
  t->wanted = with_samples(t, want(t, t->grid->at));
  t->src_size = room(t, &t->mine);
  t->dst_size = room(t, &t->wanted);
  t->dev.be->alloc(&t->dev, (size_t)t->src_size * real, &t->src);
  t->dev.be->alloc(&t->dev, (size_t)t->dst_size * real, &t->dst);
}

static void
shut(trial *t)
{
  h3d_redist_free(&t->redist);
  t->dev.be->release(&t->dev, t->src);
  t->dev.be->release(&t->dev, t->dst);
  h3d_device_close(&t->dev);
  h3d_grid_free(&t->grid);
}

/* The index of a wanted cell, wrapped into the domain. */
static double
index_of(const trial *t, const h3d_box *b, int64_t i)
{
  int64_t v[H3D_AXES];

  some_voxel(b, i, v);
  for (int a = H3D_AXIS_D; a < H3D_AXES; a++) {
    v[a] = (v[a] % t->n[a] + t->n[a]) % t->n[a];
  }
  return (double)some_grid_cell(t->n, v);
}

static void
check_indices(trial *t)
{
  double *x = h3d_new((size_t)t->src_size, sizeof *x);
  double *y = h3d_new((size_t)t->dst_size, sizeof *y);
  int64_t got = h3d_box_size(&t->wanted);
  size_t calls;
  int bad = 0, spilling = 0;

  for (int64_t i = 0; i < h3d_box_size(&t->mine); i++) {
    x[i] = index_of(t, &t->mine, i);
  }
  for (int64_t i = 0; i < t->dst_size; i++) {
    y[i] = poison;
  }
  some_put(&t->dev, t->src_size, x, t->src);
  some_put(&t->dev, t->dst_size, y, t->dst);
  calls = h3d_mem_calls();
  h3d_redist_begin(t->redist, t->now, t->src, t->dst);
  h3d_redist_end(t->redist);
  loud += h3d_mem_calls() != calls;
  some_get(&t->dev, t->dst_size, t->dst, y);
  for (int64_t i = 0; i < got; i++) {
    bad += y[i] != index_of(t, &t->wanted, i);
  }
  for (int64_t i = got; i < t->dst_size; i++) {
    spilling += y[i] != poison;
  }
  if (bad || spilling) {
    complain(t, bad ? "misplaced" : "spilt");
  }
  misplaced += bad;
  spilt += spilling;
  h3d_free(x);
  h3d_free(y);
}

static double
dot(int64_t n, const double *a, const double *b)
{
  double sum = 0;

  for (int64_t i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* <R x, y> = <x, R* y> over all ranks, each with numbers of its own. */
static void
check_adjoint(trial *t)
{
  int64_t nx = h3d_box_size(&t->mine), ny = h3d_box_size(&t->wanted);
  double *x = h3d_new((size_t)t->src_size, sizeof *x);
  double *y = h3d_new((size_t)t->dst_size, sizeof *y);
  double *z = h3d_new((size_t)(t->src_size + t->dst_size), sizeof *z);
  double both[2], all[2];
  size_t calls;

  for (int64_t i = 0; i < nx; i++) {
    x[i] = small_integer(1, i * tap_size + tap_rank);
  }
  for (int64_t i = 0; i < ny; i++) {
    y[i] = small_integer(2, i * tap_size + tap_rank);
  }
  some_put(&t->dev, nx, x, t->src);
  h3d_redist_begin(t->redist, t->now, t->src, t->dst);
  h3d_redist_end(t->redist);
  some_get(&t->dev, ny, t->dst, z);
  both[0] = dot(ny, z, y);
  some_put(&t->dev, ny, y, t->dst);
  calls = h3d_mem_calls();
  h3d_redist_adjoint(t->redist, t->now, t->dst, t->src);
  loud += h3d_mem_calls() != calls;
  some_get(&t->dev, nx, t->src, z);
  both[1] = dot(nx, x, z);
  h3d_grid_sum(t->grid->world, 2, both, all);
  if (all[0] != all[1]) {
    complain(t, "no adjoint");
    untrue++;
  }
  h3d_free(x);
  h3d_free(y);
  h3d_free(z);
}

/* What the plan says of itself: what I lack comes from others. */
static void
check_about(trial *t)
{
  h3d_box one = t->wanted, own = t->mine;
  int64_t lacking = 0, in = h3d_redist_bytes(t->redist);
  double same, moves;

  if (t->samples > 0) {
    one.len[H3D_AXIS_N] = own.len[H3D_AXIS_N] = 1;
  }
  for (int64_t i = 0; i < h3d_box_size(&one); i++) {
    int64_t v[H3D_AXES];
    int mine = 1;

    some_voxel(&one, i, v);
    for (int a = 0; a < H3D_AXES; a++) {
      int64_t w = t->wrap[a] ? (v[a] % t->n[a] + t->n[a]) % t->n[a] : v[a];

      mine = mine && w >= own.start[a] && w < own.start[a] + own.len[a];
    }
    lacking += !mine;
  }
  lacking *= (int64_t)h3d_type_size(t->dev.type);
  same = (h3d_box_is_empty(&one) && h3d_box_is_empty(&own))
         || memcmp(&one, &own, sizeof one) == 0;
  moves = h3d_grid_max(t->grid->world, !same);
  if (lacking != in || h3d_redist_is_nothing(t->redist) != (moves == 0)
      || h3d_redist_memory(t->redist) < (size_t)in) {
    complain(t, "says wrong of itself");
    miscounted++;
  }
}

static void
test_trials(int trials)
{
  int wrapped = 0, idle = 0;

  for (int i = 0; i < trials; i++) {
    trial t = { .number = i };

    choose(&t);
    open(&t);
    check_indices(&t);
    check_adjoint(&t);
    check_about(&t);
    wrapped += t.wrap[H3D_AXIS_D] && t.low[H3D_AXIS_D] > t.n[H3D_AXIS_D];
    idle += t.samples > 0 && t.now == 0;
    shut(&t);
  }
  ok(misplaced == 0, "%d redists: every voxel where it is wanted", trials);
  ok(spilt == 0, "nothing behind the step's samples is touched");
  ok(untrue == 0, "the adjoint is one, exactly");
  ok(miscounted == 0, "bytes, and whether there is anything to do");
  ok(loud == 0, "no memory is asked for after planning");
  ok(wrapped > 0 && h3d_grid_max(MPI_COMM_WORLD, idle) > 0,
     "%d wrapped around the whole axis, some groups were idle", wrapped);
}

/* The end of a cut by h3d_redist_between: every rank gets the whole axis, and
 * the adjoint adds all of them. */
static void
test_end_of_cut(void)
{
  int space[3] = { tap_size, 1, 1 }, n = tap_size + 3, right = 1;
  double x[16], y[16];
  h3d_grid *g = NULL;
  h3d_device dev;
  h3d_dist own, to;
  h3d_redist *r = NULL;
  h3d_box b;
  void *src, *dst;

  h3d_grid_new(MPI_COMM_WORLD, space, &g);
  h3d_device_open("ref", H3D_F64, &dev);
  for (int a = 0; a < H3D_AXES; a++) {
    to.cut[a] = h3d_cut_init(a == H3D_AXIS_D ? n : 1, 1, 1);
  }
  own = to;
  own.cut[H3D_AXIS_D].parts = tap_size;
  b = h3d_dist_box(&own, g->at);
  dev.be->alloc(&dev, (size_t)b.len[H3D_AXIS_D] * sizeof *x, &src);
  dev.be->alloc(&dev, (size_t)n * sizeof *x, &dst);
  h3d_redist_between(&(h3d_redist_spec){ .grid = g,
                                         .dev = &dev,
                                         .transport = &h3d_transport_mpi,
                                         .own = &own,
                                         .cell = sizeof *x,
                                         .samples = 1 },
                     &to, &r);
  for (int64_t i = 0; i < b.len[H3D_AXIS_D]; i++) {
    x[i] = (double)(b.start[H3D_AXIS_D] + i);
  }
  dev.be->put(&dev, src, x, (size_t)b.len[H3D_AXIS_D] * sizeof *x);
  h3d_redist_begin(r, 1, src, dst);
  h3d_redist_end(r);
  dev.be->get(&dev, y, dst, (size_t)n * sizeof *y);
  for (int i = 0; i < n; i++) {
    right = right && y[i] == i;
  }
  ok(right, "a cut ends: all voxels on all ranks");
  h3d_redist_adjoint(r, 1, dst, src);
  dev.be->get(&dev, x, src, (size_t)b.len[H3D_AXIS_D] * sizeof *x);
  for (int64_t i = 0; i < b.len[H3D_AXIS_D]; i++) {
    right = right && x[i] == (double)(tap_size * (b.start[H3D_AXIS_D] + i));
  }
  ok(right, "its adjoint adds all copies");
  h3d_redist_free(&r);
  dev.be->release(&dev, src);
  dev.be->release(&dev, dst);
  h3d_device_close(&dev);
  h3d_grid_free(&g);
}

void
tap_main(void)
{
  test_end_of_cut();
  test_trials(tap_size < 8 ? 200 : 80);
}
