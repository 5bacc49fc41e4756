/* Any grid gives the numbers of one rank: a narrow CosmoFlow in fp64 on ref,
 * with batch norm and dropout, three epochs of SGD and of Adam.
 */
#include "config.h"

#include "model/run_net.h"
#include "tap.h"

#include "base/mem.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

TAP_RANKS("1 2 3 4 8")

static const struct {
  int ranks, space[3];
} grids[] = {
  { 1, { 1, 1, 1 } }, { 2, { 2, 1, 1 } }, { 2, { 1, 1, 1 } },
  { 3, { 3, 1, 1 } }, { 3, { 1, 1, 3 } }, { 4, { 1, 2, 2 } },
  { 4, { 1, 1, 4 } }, { 4, { 2, 1, 1 } }, { 8, { 2, 2, 2 } },
  { 8, { 8, 1, 1 } }, { 8, { 2, 1, 2 } },
};

static double
worst(const run_result *a, const run_result *b, int epochs)
{
  double most = fabs(a->eval - b->eval) / fabs(b->eval);

  for (int e = 0; e < epochs; e++) {
    double d = fabs(a->train[e] - b->train[e]) / fabs(b->train[e]);

    most = d > most ? d : most;
  }
  return most;
}

static void
test_grids(int64_t size, const char *optimizer, double lr)
{
  /* 7 samples in batches of 3: a partial batch, fewer samples than groups. */
  run_spec spec = { .shape = { size, 8, 1, 0.2, "fn=leaky" },
                    .space = { 1, 1, 1 },
                    .device = "ref",
                    .type = H3D_F64,
                    .optimizer = optimizer,
                    .lr = lr,
                    .samples = 7,
                    .batch = 3,
                    .epochs = 3 };
  run_result one, r;

  run_net_alone(&spec, &one);
  ok(one.st == H3D_OK && one.train[2] < 0.9 * one.train[0],
     "%s, %d voxels: the loss falls from %.4f to %.4f", optimizer, (int)size,
     one.train[0], one.train[2]);
  for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
    double d;

    if (grids[i].ranks != tap_size) {
      continue;
    }
    memcpy(spec.space, grids[i].space, sizeof spec.space);
    run_net(MPI_COMM_WORLD, &spec, &r);
    d = worst(&r, &one, 3);
    ok(r.st == H3D_OK && d < 1e-10,
       "%s, %d voxels, grid %dx%dx%d: relative difference %.1e %s", optimizer,
       (int)size, spec.space[0], spec.space[1], spec.space[2], d,
       r.st == H3D_OK ? "" : h3d_why());
    h3d_free(r.gradient);
  }
  h3d_free(one.gradient);
}

void
tap_main(void)
{
  test_grids(16, "sgd", 0.002);
  test_grids(16, "adam", 0.003);
  test_grids(32, "sgd", 0.002);
  test_grids(32, "adam", 0.003);
}
