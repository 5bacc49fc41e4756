/* Loss and error against the predictions; what a loss refuses. */
#include "config.h"

#include "model/model.h"

#include "tap.h"

#include <math.h>
#include <string.h>

TAP_RANKS("1 2")

enum { C = 1, N = 4, BATCH = 3, TARGETS = 2 };

static h3d_status
make(const h3d_grid *grid, h3d_device *dev, const char *text, h3d_model **m)
{
  h3d_model_spec spec = { .grid = grid,
                          .dev = dev,
                          .batch = BATCH,
                          .seed = 5,
                          .transport = &h3d_transport_mpi,
                          .data = { C, { N, N, N }, TARGETS } };
  h3d_net *net = NULL;
  h3d_status st = h3d_net_parse("mse", text, &spec.data, &net);

  return st == H3D_OK ? h3d_model_new(&spec, &net, m) : st;
}

static void
check_loss(h3d_model *m, int64_t total)
{
  h3d_box b = h3d_model_block(m);
  double x[BATCH * N * N * N * C], t[BATCH * TARGETS];
  double y[BATCH * TARGETS] = { 0 }, squares = 0, errors = 0, loss;
  int64_t first, n;

  h3d_model_begin(m, total);
  first = h3d_model_first(m);
  n = h3d_model_count(m);
  for (int64_t i = 0; i < n * C * h3d_box_voxels(&b); i++) {
    x[i] = sin((double)(i + 7 * b.start[H3D_AXIS_D] + first));
  }
  for (int64_t i = 0; i < n * TARGETS; i++) {
    t[i] = 0.3 * (double)(first * TARGETS + i);
  }
  h3d_model_put_input(m, x);
  h3d_model_put_target(m, t);
  loss = h3d_model_forward(m, 1, 0);
  h3d_model_predictions(m, y);
  for (int64_t i = 0; i < total * TARGETS; i++) {
    double d = y[i] - 0.3 * (double)i;

    squares += d * d / (double)(total * TARGETS);
    errors += fabs(d) / (double)(total * TARGETS);
  }
  ok(fabs(loss / squares - 1) < 1e-13, "%d samples: the mean of squares",
     (int)total);
  ok(fabs(h3d_model_metric(m) / errors - 1) < 1e-13
       && strcmp(h3d_model_metric_name(m), "mae") == 0,
     "%d samples: the mean of errors", (int)total);
}

void
tap_main(void)
{
  static const char good[] = "input x - channels=data\n"
                             "dense y x out=targets\n"
                             "mse loss y\n";
  static const char wide[] = "input x - channels=data\n"
                             "dense y x out=3\n"
                             "mse loss y\n";
  for (int parts = 1; parts <= tap_size; parts++) {
    const int space[3] = { parts, 1, 1 };
    h3d_device dev = { 0 };
    h3d_grid *grid = NULL;
    h3d_model *m = NULL;

    ok(h3d_grid_new(MPI_COMM_WORLD, space, &grid) == H3D_OK
         && h3d_device_open("ref", H3D_F64, &dev) == H3D_OK,
       "a sample in %d parts", parts);
    ok(make(grid, &dev, wide, &m) == H3D_ERR_SHAPE && m == NULL
         && strstr(h3d_why(), "3 numbers") && strstr(h3d_why(), "2 targets")
         && strstr(h3d_why(), "out=targets"),
       "3 outputs for 2 targets are refused: %s", h3d_why());
    ok(make(grid, &dev, good, &m) == H3D_OK, "a model is made");
    check_loss(m, BATCH);
    check_loss(m, 1);
    h3d_model_free(&m);
    h3d_device_close(&dev);
    h3d_grid_free(&grid);
  }
}
