/* Running statistics of a norm against sums over all samples and voxels. */
#include "config.h"

#include "model/model.h"
#include "model/parts.h"

#include "tap.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TAP_RANKS("1 2 3")

enum { C = 2, D = 5, H = 2, W = 3, BATCH = 3, TARGETS = 1 };
static const double decay = 0.9, eps = 1e-5;

typedef struct run {
  h3d_device dev;
  h3d_grid *grid;
  h3d_model *m;
} run;

/* Far from 0, where sums of squares would lose their digits. */
static double
cell(int step, int64_t i, int64_t c)
{
  h3d_rng r = h3d_rng_init(3, H3D_RNG_TEST, (uint64_t)step, (uint64_t)c);

  return step < 0 ? h3d_rng_normal(&r, (uint64_t)i)
                  : 1e4 * (double)(c + 1) + h3d_rng_normal(&r, (uint64_t)i);
}

static h3d_status
make(run *r, const int space[3], const char *layer)
{
  h3d_model_spec spec
    = { .batch = BATCH, .seed = 5, .data = { C, { D, H, W }, TARGETS } };
  char text[256];

  snprintf(text, sizeof text,
           "input x - channels=data\n%s\ndense y z out=targets\nmse loss y\n",
           layer);
  return parts_open(&(parts){ &r->grid, &r->dev, &r->m }, MPI_COMM_WORLD,
                    space, "ref", H3D_F64, text, spec);
}

static void
drop(run *r)
{
  parts_close(&(parts){ &r->grid, &r->dev, &r->m });
}

static double
forward(run *r, int step, int64_t total, int training, double factor)
{
  h3d_box b = h3d_model_block(r->m);
  int64_t voxels = h3d_box_voxels(&b), at = 0, first, n;
  double *x, t[BATCH * TARGETS] = { 0 };

  h3d_model_begin(r->m, total);
  first = h3d_model_first(r->m);
  n = h3d_model_count(r->m);
  x = h3d_new((size_t)(n * voxels * C), sizeof *x);
  for (int64_t v = 0; v < n * voxels; v++) {
    int64_t w = b.start[4] + v % b.len[4];
    int64_t h = b.start[3] + v / b.len[4] % b.len[3];
    int64_t d = b.start[2] + v / b.len[4] / b.len[3] % b.len[2];
    int64_t i = (((first + v / voxels) * D + d) * H + h) * W + w;

    for (int64_t c = 0; c < C; c++) {
      x[at++] = factor * cell(step, i, c);
    }
  }
  h3d_model_put_input(r->m, x);
  h3d_model_put_target(r->m, t);
  h3d_free(x);
  return h3d_model_forward(r->m, training, step);
}

/* Mean and unbiased variance of channel c, in long double. */
static void
statistics(int step, int64_t total, int64_t c, double *mean, double *var)
{
  int64_t n = total * D * H * W;
  long double sum = 0, squares = 0;

  for (int64_t i = 0; i < n; i++) {
    sum += (long double)cell(step, i, c);
  }
  for (int64_t i = 0; i < n; i++) {
    long double d = (long double)cell(step, i, c) - sum / (long double)n;

    squares += d * d;
  }
  *mean = (double)(sum / (long double)n);
  *var = (double)(squares / (long double)(n - 1));
}

static void
get_state(run *r, const char *name, double *out)
{
  const h3d_model_param *list;
  int n = h3d_model_params(r->m, &list);

  for (int i = 0; i < n; i++) {
    if (strcmp(list[i].param->name, name) == 0) {
      h3d_model_gather(r->m, i, h3d_model_base(r->m, i), out);
    }
  }
}

static void
check_running(const int space[3])
{
  run r = { 0 };
  double mean[C] = { 0 }, var[C] = { 0 }, steps[1] = { -1 }, worst = 0;

  ok(make(&r, space, "norm z x decay=0.9") == H3D_OK, "a model is made");
  forward(&r, 0, BATCH, 1, 1);
  forward(&r, 1, BATCH - 1, 1, 1);
  forward(&r, 2, BATCH, 0, 1);
  get_state(&r, "running_mean", mean);
  get_state(&r, "running_var", var);
  get_state(&r, "steps", steps);
  for (int64_t c = 0; c < C && tap_rank == 0; c++) {
    double m0, v0, m1, v1;

    statistics(0, BATCH, c, &m0, &v0);
    statistics(1, BATCH - 1, c, &m1, &v1);
    m1 = (1 - decay) * (decay * m0 + m1);
    v1 = (1 - decay) * (decay * v0 + v1);
    worst = fmax(worst, fabs(mean[c] / m1 - 1));
    worst = fmax(worst, fabs(var[c] / v1 - 1));
  }
  ok(worst < 1e-9, "%dx%dx%d: running averages within %.0e", space[0],
     space[1], space[2], worst);
  ok(tap_rank > 0 || steps[0] == 2,
     "two training steps are counted, evaluation is not");
  drop(&r);
}

static void
check_untrained(const int space[3])
{
  run norm = { 0 }, none = { 0 };
  double a, b;

  ok(make(&norm, space, "norm z x") == H3D_OK
       && make(&none, space, "act z x fn=leaky slope=1") == H3D_OK,
     "with and without a norm");
  a = forward(&norm, -1, BATCH, 0, 1);
  b = forward(&none, -1, BATCH, 0, 1 / sqrt(1 + eps));
  ok(fabs(a / b - 1) < 1e-12,
     "before training, evaluation takes mean 0 and variance 1");
  drop(&norm);
  drop(&none);
}

void
tap_main(void)
{
  static const int alone[3] = { 1, 1, 1 };
  const int cut[3] = { tap_size, 1, 1 };

  check_running(cut);
  check_untrained(cut);
  if (tap_size > 1) {
    check_running(alone);
  }
}
