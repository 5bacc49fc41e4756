/* Batch norm: the loss of the training data in evaluation, with running
 * statistics, agrees with that in training, with the batch's own, once a few
 * epochs have gone by.  (Statistics that lag behind the weights have made
 * evaluation explode elsewhere.)
 */
#include "config.h"

#include "model/run_net.h"
#include "tap.h"

#include "base/mem.h"

#include <math.h>

TAP_RANKS("1 2 4")

/* Mean loss over all samples, in batches of the run's size. */
static double
loss_of_all(run_state *s, int training)
{
  int64_t n = s->spec->samples, batch = s->spec->batch;
  int64_t *order = h3d_new((size_t)n, sizeof *order);
  double sum = 0;

  for (int64_t i = 0; i < n; i++) {
    order[i] = i;
  }
  for (int64_t i = 0; i < n; i += batch) {
    int64_t count = n - i < batch ? n - i : batch;

    sum += run_forward(s, order + i, count, training, 0) * (double)count;
  }
  h3d_free(order);
  return sum / (double)n;
}

static void
test_agrees(const char *optimizer, double lr)
{
  run_spec spec = { .shape = { 16, 8, 1, 0, "fn=leaky" },
                    .space = { tap_size > 1 ? 2 : 1, 1, 1 },
                    .device = "ref",
                    .type = H3D_F64,
                    .optimizer = optimizer,
                    .lr = lr,
                    .samples = 32,
                    .batch = 8,
                    .epochs = 6 };
  run_result r = { 0 };
  run_state s;
  int opened = run_open(MPI_COMM_WORLD, &spec, &s) == H3D_OK;

  ok(opened, "%s: a model", optimizer);
  for (int e = 0; opened && e < spec.epochs; e++) {
    double eval, train;

    run_epochs(&s, e, e + 1, &r);
    eval = loss_of_all(&s, 0);
    train = loss_of_all(&s, 1); /* moves the statistics, so it comes last */
    /* Two epochs are 8 steps, 0.9^8 = 0.43 of the statistics are older.  The
     * deepest ones are over 64 numbers in training, so evaluation, which has
     * less noise, may be much the better one; what must not be is more. */
    ok(isfinite(eval) && (e < 2 || (eval < 1.5 * train && eval > train / 4)),
       "%s, epoch %d: training %.4f, evaluation %.4f", optimizer, e + 1, train,
       eval);
  }
  ok(r.train[5] < 0.9 * r.train[0], "%s: it learns, %.4f to %.4f", optimizer,
     r.train[0], r.train[5]);
  h3d_free(r.gradient);
  run_close(&s);
}

void
tap_main(void)
{
  test_agrees("adam", 0.001);
  test_agrees("sgd", 0.0005);
}
