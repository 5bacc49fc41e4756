/* Steps: any number of samples, no memory, and where a NaN came from. */
#include "config.h"

#include "model/model.h"

#include "some_model.h"
#include "tap.h"

#include <math.h>
#include <string.h>

TAP_RANKS("1 2 3 4 8")

static void
test_shares(run *r)
{
  int groups = r->grid->n[H3D_AXIS_N], bad = 0;
  int64_t most = (BATCH + groups - 1) / groups;

  for (int64_t total = 1; total <= BATCH; total++) {
    int64_t next = 0, first, n;

    for (int g = 0; g < groups; g++) {
      h3d_model_share(r->m, total, g, &first, &n);
      bad += first != next || n < 0 || n > most;
      next = first + n;
      if (g == r->grid->at[H3D_AXIS_N]) {
        h3d_model_begin(r->m, total);
        bad += h3d_model_first(r->m) != first || h3d_model_count(r->m) != n;
      }
    }
    bad += next != total;
  }
  ok(bad == 0, "%s: groups share 1 to %d samples out", r->what, BATCH);
}

/* Every number of samples: more groups than samples leave some idle. */
static void
test_batches(run *many, run *one)
{
  double *x = new_batch();
  double a[BATCH * TARGETS], b[BATCH * TARGETS], worst = 0;
  int idle = 0;

  for (int64_t total = BATCH; total >= 1; total--) {
    double y, z;

    fill(many, total, x);
    fill(one, total, x);
    y = h3d_model_forward(many->m, 1, total);
    z = h3d_model_forward(one->m, 1, total);
    worst = fmax(worst, fabs(y - z) / z);
    h3d_model_predictions(many->m, a);
    h3d_model_predictions(one->m, b);
    for (int i = 0; i < total * TARGETS; i++) {
      worst = fmax(worst, fabs(a[i] - b[i]));
    }
    h3d_model_backward(many->m);
    h3d_model_backward(one->m);
    y = h3d_model_gradient_norm(many->m);
    z = h3d_model_gradient_norm(one->m);
    worst = fmax(worst, fabs(y - z) / z);
    idle += h3d_model_count(many->m) == 0;
  }
  ok(worst < 1e-11, "%s: losses, predictions, norms of 1 to %d samples: %.0e",
     many->what, BATCH, worst);
  ok(h3d_grid_max(MPI_COMM_WORLD, idle) > 0 || many->grid->n[0] == 1,
     "%s: groups without samples", many->what);
  h3d_free(x);
}

static void
test_step_allocates_nothing(run *r)
{
  double *x = new_batch();
  size_t calls = 0;

  for (int64_t step = 0; step < 3; step++) {
    calls = step == 1 ? h3d_mem_calls() : calls;
    fill(r, step == 2 ? 1 : BATCH, x);
    h3d_model_forward(r->m, 1, step);
    h3d_model_backward(r->m);
    h3d_model_gradient_norm(r->m);
  }
  ok(h3d_mem_calls() == calls, "%s: steps allocate nothing", r->what);
  h3d_free(x);
}

/* A NaN among the weights shows first in the layer that has them. */
static void
test_nonfinite(run *r)
{
  const h3d_model_param *p;
  int n = h3d_model_params(r->m, &p), i = 0;
  double *x = new_batch(), *w;
  const char *name;
  size_t size;

  fill(r, BATCH, x);
  h3d_model_forward(r->m, 1, 0);
  name = h3d_model_nonfinite_layer(r->m);
  ok(name == NULL, "%s: all layers are finite", r->what);
  while (i + 1 < n && strcmp(p[i].layer, "c2") != 0) {
    i++;
  }
  size = (size_t)h3d_shard_total(p[i].param);
  w = h3d_new(size, sizeof *w);
  w[size / 2] = NAN;
  h3d_model_scatter(r->m, i, tap_rank ? NULL : w, h3d_model_base(r->m, i));
  fill(r, BATCH, x);
  h3d_model_forward(r->m, 1, 0);
  name = h3d_model_nonfinite_layer(r->m);
  ok(name && strcmp(name, "c2") == 0, "%s: the first that is not is %s",
     r->what, name ? name : "none");
  h3d_free(w);
  h3d_free(x);
}

static void
exact(run *many, run *one, const int space[3])
{
  (void)space;
  test_shares(many);
  test_batches(many, one);
  test_step_allocates_nothing(many);
  test_nonfinite(many);
}

static void
single(run *many, run *one, const int space[3])
{
  (void)space;
  (void)one;
  test_step_allocates_nothing(many);
}

void
tap_main(void)
{
  on_grids("ref", H3D_F64, exact);
  if (has_device("cpu")) {
    on_grids("cpu", H3D_F32, single);
  }
}
