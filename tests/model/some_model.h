/* some_model.h: a small network with all that planning can do to one, on any
 * grid and device. */
#ifndef TESTS_MODEL_SOME_MODEL_H
#define TESTS_MODEL_SOME_MODEL_H

#include "model/model.h"
#include "model/parts.h"
#include "model/shard.h"

#include "base/mem.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

enum { C = 2, D = 12, H = 9, W = 10, TARGETS = 3, BATCH = 5 };

/* D ends its cut early on some grids, the last pool leaves odd extents, and
 * two dense layers: one sharded, one copied. */
static const char text[] = "input x - channels=data\n"
                           "conv c1 x out=3\n"
                           "norm n1 c1 decay=0.9\n"
                           "act a1 n1 fn=leaky\n"
                           "pool p1 a1 op=max kernel=3 stride=2 padding=1\n"
                           "conv c2 p1 out=4 kernel=3 stride=1x2x1 bias=no\n"
                           "act a2 c2 fn=tanh\n"
                           "pool p2 a2 op=mean kernel=2 stride=2x1x2\n"
                           "dropout d1 p2 drop=0.3\n"
                           "dense f1 d1 out=5\n"
                           "act b1 f1 fn=tanh\n"
                           "dense y b1 out=targets\n"
                           "mse loss y\n";

/* What start plans; a test may name another one. */
static const char *network = text;

static const int alone[3] = { 1, 1, 1 };

typedef struct run {
  h3d_device dev;
  h3d_grid *grid;
  h3d_model *m;
  char what[64];
} run;

static inline h3d_status
start(run *r, MPI_Comm comm, const int space[3], const char *device,
      h3d_type type, int inference)
{
  h3d_model_spec s = { .data = { C, { D, H, W }, TARGETS },
                       .batch = BATCH,
                       .seed = 7,
                       .inference = inference,
                       .accumulate = !inference };

  snprintf(r->what, sizeof r->what, "%s %s on %dx%dx%d", device,
           h3d_type_name(type), space[0], space[1], space[2]);
  return parts_open(&(parts){ &r->grid, &r->dev, &r->m }, comm, space, device,
                    type, network, s);
}

static inline void
stop(run *r)
{
  parts_close(&(parts){ &r->grid, &r->dev, &r->m });
}

/* A batch of total samples by global index, behind so many others. */
static inline void
fill_part(run *r, int64_t before, int64_t total, double *x)
{
  h3d_box b = h3d_model_block(r->m);
  h3d_rng rng = h3d_rng_init(2, H3D_RNG_TEST, 0, 0);
  float *f = (float *)x;
  int64_t i = 0, n;

  h3d_model_begin_part(r->m, before, total);
  b = h3d_model_block(r->m);
  n = h3d_box_voxels(&b);
  for (int64_t s = b.start[0]; s < b.start[0] + b.len[0]; s++) {
    for (int64_t v = 0; v < n; v++) {
      int64_t w = b.start[4] + v % b.len[4];
      int64_t h = b.start[3] + v / b.len[4] % b.len[3];
      int64_t d = b.start[2] + v / b.len[4] / b.len[3];

      for (int64_t c = 0; c < C; c++, i++) {
        int64_t at = ((((before + s) * D + d) * H + h) * W + w) * C + c;
        double value = h3d_rng_normal(&rng, (uint64_t)at);

        if (r->dev.type == H3D_F64) {
          x[i] = value;
        } else {
          f[i] = (float)value;
        }
      }
    }
  }
  h3d_model_put_input(r->m, x);
  for (i = 0; i < h3d_model_count(r->m) * TARGETS; i++) {
    int64_t at = i + (before + h3d_model_first(r->m)) * TARGETS;
    double value = (double)at / 7;

    if (r->dev.type == H3D_F64) {
      x[i] = value;
    } else {
      f[i] = (float)value;
    }
  }
  h3d_model_put_target(r->m, x);
}

static inline void
fill(run *r, int64_t total, double *x)
{
  fill_part(r, 0, total, x);
}

/* A host buffer for fill, of either type. */
static inline double *
new_batch(void)
{
  return h3d_new(BATCH * D * H * W * C, sizeof(double));
}

/* Calls f for each grid that these ranks can form: the same network on all
 * ranks and on one. */
static inline void
on_grids(const char *device, h3d_type type,
         void (*f)(run *many, run *one, const int space[3]))
{
  static const int grids[][3] = { { 1, 1, 1 }, { 2, 1, 1 }, { 3, 1, 1 },
                                  { 1, 1, 4 }, { 1, 2, 2 }, { 2, 2, 2 } };

  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
    run many = { 0 }, one = { 0 };
    h3d_status st;

    if (tap_size % (grids[g][0] * grids[g][1] * grids[g][2]) != 0) {
      continue;
    }
    st = start(&many, MPI_COMM_WORLD, grids[g], device, type, 0);
    if (st == H3D_OK) {
      st = start(&one, MPI_COMM_SELF, alone, device, type, 0);
    }
    if (ok(st == H3D_OK, "%s is planned", many.what)) {
      f(&many, &one, grids[g]);
    } else {
      printf("# %s\n", h3d_why());
    }
    stop(&many);
    stop(&one);
  }
}

/* Is this device in the build? */
static inline int
has_device(const char *device)
{
  for (int i = 0; h3d_backends[i]; i++) {
    if (strcmp(h3d_backends[i]->name, device) == 0) {
      return 1;
    }
  }
  return 0;
}

#endif /* TESTS_MODEL_SOME_MODEL_H */
