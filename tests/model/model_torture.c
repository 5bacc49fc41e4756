/* Device memory that ends at each place where a model asks for it, on one
 * rank alone: all ranks refuse together, nobody waits, nothing is left. */
#include "config.h"

#include "model/model.h"

#include "some_model.h"
#include "tap.h"

TAP_RANKS("1 2 3 4")

static h3d_backend poor; /* ref, but for its memory */
static h3d_status (*rich)(h3d_device *dev, size_t bytes, void **mem);
static int left; /* requests that succeed; -1: all */

static h3d_status
alloc(h3d_device *dev, size_t bytes, void **mem)
{
  if (left == 0) {
    *mem = NULL;
    return h3d_fail(H3D_ERR_MEMORY, "rank %d has no %zu bytes", tap_rank,
                    bytes);
  }
  left -= left > 0;
  return rich(dev, bytes, mem);
}

/* 1 if the model was made, 0 if all refused as they should, -1 else. */
static int
try_once(h3d_grid *g, h3d_device *dev, int inference, int at, int who)
{
  h3d_model_spec s = { .grid = g,
                       .dev = dev,
                       .transport = &h3d_transport_mpi,
                       .data = { C, { D, H, W }, TARGETS },
                       .batch = BATCH,
                       .seed = 7,
                       .inference = inference };
  h3d_net *net = NULL;
  h3d_model *m = NULL;
  h3d_status st = h3d_net_parse("text", text, &s.data, &net);
  int made;

  left = tap_rank == who ? at : -1;
  st = st == H3D_OK ? h3d_model_new(&s, &net, &m) : st;
  made = m != NULL;
  if ((st == H3D_OK) != made || net != NULL
      || (st != H3D_OK && st != H3D_ERR_MEMORY)) {
    made = -1;
  }
  h3d_model_free(&m);
  return made;
}

static void
torture(const int space[3], int inference, int who)
{
  h3d_grid *g = NULL;
  const h3d_backend *ref;
  h3d_device dev;
  int at = 0, made = 0, all = 0;
  size_t blocks;

  h3d_grid_new(MPI_COMM_WORLD, space, &g);
  h3d_device_open("ref", H3D_F64, &dev);
  ref = dev.be;
  poor = *ref;
  rich = poor.alloc;
  poor.alloc = alloc;
  dev.be = &poor;
  blocks = h3d_mem_count();
  for (; made == 0 && at < 500; at++) {
    double both[2];

    made = try_once(g, &dev, inference, at, who);
    made = h3d_mem_count() != blocks ? -1 : made;
    both[0] = h3d_grid_max(g->world, made);
    both[1] = -h3d_grid_max(g->world, -made);
    all += both[0] != both[1];
    made = (int)both[1] < 0 ? -1 : (int)both[0];
  }
  ok(made == 1 && all == 0 && at > 5,
     "%dx%dx%d%s: rank %d refuses in each of %d places", space[0], space[1],
     space[2], inference ? ", inference" : "", who, at - 1);
  dev.be = ref;
  h3d_device_close(&dev);
  h3d_grid_free(&g);
}

void
tap_main(void)
{
  static const int grids[][3]
    = { { 1, 1, 1 }, { 2, 1, 1 }, { 3, 1, 1 }, { 1, 1, 4 }, { 1, 2, 2 } };

  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
    if (tap_size % (grids[g][0] * grids[g][1] * grids[g][2]) == 0) {
      torture(grids[g], 0, 0);
      torture(grids[g], 0, tap_size - 1);
      torture(grids[g], 1, tap_size / 2);
    }
  }
}
