/* Gradients of several batches, added up, are those of one large batch. */
#include "config.h"

#include "model/model.h"

#include "some_model.h"
#include "tap.h"

#include <math.h>

TAP_RANKS("1 2 3 4 8")

/* No norm, whose batches see only themselves; a dropout, whose masks must
 * belong to the step. */
static const char plain[] = "input x - channels=data\n"
                            "conv c1 x out=3 kernel=3 stride=2\n"
                            "act a1 c1 fn=tanh\n"
                            "dropout d1 a1 drop=0.3\n"
                            "dense f1 d1 out=5\n"
                            "act b1 f1 fn=tanh\n"
                            "dense y b1 out=targets\n"
                            "mse loss y\n";

enum { PARAMS_MAX = 8 };

/* BATCH samples in batches of size, as one step: a gradient's norm for each
 * parameter; the mean loss. */
static double
step(run *r, int64_t size, double *x, double norm[PARAMS_MAX])
{
  const h3d_model_param *p;
  int n = h3d_model_params(r->m, &p);
  double loss = 0;

  for (int64_t at = 0; at < BATCH; at += size) {
    int64_t some = size < BATCH - at ? size : BATCH - at;

    fill_part(r, at, some, x);
    loss += h3d_model_forward(r->m, 1, 3) * (double)some / BATCH;
    h3d_model_backward_part(r->m, (double)some / BATCH, at == 0,
                            at + some == BATCH);
  }
  for (int i = 0; i < n; i++) {
    norm[i] = h3d_model_param_gradient_norm(r->m, i);
  }
  return loss;
}

static void
test_parts(run *many, run *one, const int space[3])
{
  const h3d_model_param *p;
  int n = h3d_model_params(one->m, &p);
  double *x = new_batch(), want[PARAMS_MAX], got[PARAMS_MAX], loss, far = 0;
  size_t calls;

  (void)space;
  fill(one, BATCH, x);
  loss = h3d_model_forward(one->m, 1, 3);
  h3d_model_backward(one->m);
  for (int i = 0; i < n; i++) {
    want[i] = h3d_model_param_gradient_norm(one->m, i);
  }
  calls = h3d_mem_calls();
  for (int64_t size = 1; size <= BATCH; size++) {
    far = fmax(far, fabs(step(many, size, x, got) / loss - 1));
    for (int i = 0; i < n; i++) {
      far = fmax(far, fabs(got[i] / want[i] - 1));
    }
  }
  ok(far < 1e-11, "%s: batches of 1 to %d added up: within %.0e", many->what,
     BATCH, far);
  ok(h3d_mem_calls() == calls, "%s: without memory", many->what);
  h3d_free(x);
}

void
tap_main(void)
{
  network = plain;
  on_grids("ref", H3D_F64, test_parts);
}
