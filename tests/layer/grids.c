/* Every kind on every grid gives what one rank computes alone, fp64. */
#include "config.h"

#include "model/model.h"
#include "model/parts.h"
#include "model/shard.h"

#include "small.h"
#include "tap.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TAP_RANKS("1 2 3 4")

static const double bound = 1e-11;

typedef struct run {
  h3d_device dev;
  h3d_grid *grid;
  h3d_model *m;
  double loss, metric, evaluation;
} run;

/* Number of the cell in [sample][c][d][h][w], whoever holds it. */
static double
cell(int64_t s, int64_t c, int64_t d, int64_t h, int64_t w)
{
  h3d_rng r = h3d_rng_init(1, H3D_RNG_TEST, 0, 0);
  int64_t i = (((s * SMALL_C + c) * SMALL_D + d) * SMALL_H + h) * SMALL_W + w;

  return h3d_rng_normal(&r, (uint64_t)i);
}

static void
fill(h3d_model *m, int64_t total)
{
  h3d_box b = h3d_model_block(m);
  const int64_t *at = b.start, *len = b.len;
  int64_t voxels = h3d_box_voxels(&b), i = 0, n, first;
  h3d_rng r = h3d_rng_init(1, H3D_RNG_TEST, 1, 0);
  double *x, t[SMALL_BATCH * SMALL_TARGETS];

  h3d_model_begin(m, total);
  n = h3d_model_count(m);
  first = h3d_model_first(m);
  x = h3d_new((size_t)(n * voxels * SMALL_C), sizeof *x);
  for (int64_t v = 0; v < n * voxels; v++) {
    int64_t w = v % len[4], h = v / len[4] % len[3];
    int64_t d = v / len[4] / len[3] % len[2];

    for (int64_t c = 0; c < SMALL_C; c++) {
      x[i++] = cell(first + v / voxels, c, at[2] + d, at[3] + h, at[4] + w);
    }
  }
  for (int64_t k = 0; k < n * SMALL_TARGETS; k++) {
    t[k] = h3d_rng_normal(&r, (uint64_t)(first * SMALL_TARGETS + k));
  }
  h3d_model_put_input(m, x);
  h3d_model_put_target(m, t);
  h3d_free(x);
}

static h3d_status
make(run *r, MPI_Comm comm, const int space[3], const char *text)
{
  return parts_open(&(parts){ &r->grid, &r->dev, &r->m }, comm, space, "ref",
                    H3D_F64, text, small_spec);
}

static void
drop(run *r)
{
  parts_close(&(parts){ &r->grid, &r->dev, &r->m });
}

static void
step(run *r, int64_t total)
{
  fill(r->m, total);
  r->loss = h3d_model_forward(r->m, 1, 3);
  r->metric = h3d_model_metric(r->m);
  h3d_model_backward(r->m);
}

static double
differ(double a, double b)
{
  return fabs(a - b) / fmax(fabs(b), 1e-3);
}

/* The greatest difference of any value and gradient, over the norm of the
 * gradient of that parameter; rank 0 of the many knows, the others say 0. */
static double
compare(run *many, run *one)
{
  const h3d_model_param *list, *mine;
  int n = h3d_model_params(many->m, &list);
  double worst = 0;

  if (h3d_model_params(one->m, &mine) != n) {
    return HUGE_VAL;
  }
  for (int i = 0; i < n; i++) {
    int64_t size = h3d_shard_total(list[i].param);
    double *a = h3d_new((size_t)size, sizeof *a);
    double *b = h3d_new((size_t)size, sizeof *b), norm = 1e-3;
    int state = list[i].param->role == H3D_ROLE_STATE;
    int j = 0;

    while (j < n
           && (mine[j].layer_index != list[i].layer_index
               || strcmp(mine[j].param->name, list[i].param->name))) {
      j++;
    }
    for (int pass = 0; pass < 2 - state; pass++) {
      h3d_model_gather(many->m, i,
                       pass ? h3d_model_gradients(many->m)
                            : h3d_model_base(many->m, i),
                       tap_rank == 0 ? a : NULL);
      h3d_model_gather(
        one->m, j,
        pass ? h3d_model_gradients(one->m) : h3d_model_base(one->m, j), b);
      for (int64_t k = 0; k < size; k++) {
        norm = fmax(norm, fabs(b[k]));
      }
      for (int64_t k = 0; k < size && tap_rank == 0; k++) {
        worst = fmax(worst, fabs(a[k] - b[k]) / norm);
      }
    }
    h3d_free(a);
    h3d_free(b);
  }
  return worst;
}

static void
check_one(const small *s, const int space[3], int64_t total)
{
  static const int alone[3] = { 1, 1, 1 };
  run many = { 0 }, one = { 0 };
  char text[1024];
  double loss, worst, evaluation;
  h3d_status st;

  snprintf(text, sizeof text, "%s%s%s", SMALL_BEFORE, s->layers, SMALL_AFTER);
  st = make(&one, MPI_COMM_SELF, alone, text);
  if (st == H3D_OK) {
    st = make(&many, MPI_COMM_WORLD, space, text);
  }
  if (!ok(st == H3D_OK, "%s on %dx%dx%d: planned", s->what, space[0], space[1],
          space[2])) {
    printf("# %s\n", h3d_why());
  } else {
    step(&one, total);
    step(&many, total);
    loss = fmax(differ(many.loss, one.loss), differ(many.metric, one.metric));
    worst = compare(&many, &one);
    evaluation = differ(h3d_model_forward(many.m, 0, 4),
                        h3d_model_forward(one.m, 0, 4));
    ok(loss < bound && worst < bound && evaluation < bound,
       "%s on %dx%dx%d, %d samples: loss %.0e, gradients %.0e, evaluation "
       "%.0e",
       s->what, space[0], space[1], space[2], (int)total, loss, worst,
       evaluation);
  }
  drop(&many);
  drop(&one);
}

void
tap_main(void)
{
  static const int grids[][3]
    = { { 1, 1, 1 }, { 2, 1, 1 }, { 1, 2, 1 }, { 1, 1, 2 }, { 3, 1, 1 },
        { 1, 1, 3 }, { 4, 1, 1 }, { 2, 2, 1 }, { 1, 2, 2 } };

  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
    int ranks = grids[g][0] * grids[g][1] * grids[g][2];

    if (tap_size % ranks == 0) {
      for (int i = 0; i < SMALLS; i++) {
        /* Two groups of a batch of one: a group without samples. */
        check_one(&smalls[i], grids[g], i % 2 ? SMALL_BATCH : 1 + i % 4 / 2);
      }
    }
  }
}
