/* some.h: chance that all ranks share, and tensors of any rank, for tests of
 * the tensor floor.  One pick on one rank is one pick on all of them. */
#ifndef TESTS_TENSOR_SOME_H
#define TESTS_TENSOR_SOME_H

#include "backend/backend.h"
#include "base/mem.h"
#include "base/rng.h"
#include "dist/grid.h"

#include <string.h>

static uint64_t some_next;

/* 0..most-1. */
static inline int
some(int most)
{
  h3d_rng r = h3d_rng_init(11, H3D_RNG_TEST, 1, 0);

  return (int)(h3d_rng_word(&r, some_next++) % (uint32_t)most);
}

/* A number of -4..4 for this index; seed tells tensors apart. */
static inline double
small_integer(uint64_t seed, int64_t i)
{
  h3d_rng r = h3d_rng_init(seed, H3D_RNG_TEST, 2, 0);

  return (double)(h3d_rng_word(&r, (uint64_t)i) % 9) - 4;
}

/* Any way to spread ranks over groups, D, H and W. */
static inline void
some_space(int ranks, int space[3])
{
  int order = some(6), axis[3];

  axis[0] = order % 3;
  axis[1] = (axis[0] + 1 + order / 3) % 3;
  axis[2] = 3 - axis[0] - axis[1];
  for (int i = 0; i < 3; i++) {
    int p = 1 + some(ranks);

    while (ranks % p != 0) {
      p--;
    }
    space[axis[i]] = p;
    ranks /= p;
  }
}

/* n voxels in parts or copied, cut where a layer of some stride above left
 * the cut: blocks of unlike sizes, of one voxel, of none. */
static inline h3d_cut
some_cut(int64_t n, int parts, int copied)
{
  int64_t stride = 1 + some(3);
  h3d_cut c = h3d_cut_init(n * stride - some((int)stride), copied ? 1 : parts,
                           1 + some(3));

  return h3d_cut_down(&c, n, stride);
}

static inline int64_t
some_grid_cell(const int64_t n[H3D_AXES], const int64_t v[H3D_AXES])
{
  int64_t i = v[H3D_AXIS_N];

  i = i * n[H3D_AXIS_D] + v[H3D_AXIS_D];
  i = i * n[H3D_AXIS_H] + v[H3D_AXIS_H];
  i = i * n[H3D_AXIS_W] + v[H3D_AXIS_W];
  return i * n[H3D_AXIS_C] + v[H3D_AXIS_C];
}

/* Cell number i of a dense buffer of box b, [n][d][h][w][c], in global
 * voxels. */
static inline void
some_voxel(const h3d_box *b, int64_t i, int64_t v[H3D_AXES])
{
  static const int order[H3D_AXES]
    = { H3D_AXIS_C, H3D_AXIS_W, H3D_AXIS_H, H3D_AXIS_D, H3D_AXIS_N };

  for (int k = 0; k < H3D_AXES; k++) {
    v[order[k]] = b->start[order[k]] + i % b->len[order[k]];
    i /= b->len[order[k]];
  }
}

/* n doubles to and from a device of either type. */
static inline void
some_put(h3d_device *dev, int64_t n, const double *x, void *mem)
{
  float *f = h3d_new((size_t)n, sizeof *f);

  for (int64_t i = 0; i < n; i++) {
    f[i] = (float)x[i];
  }
  dev->be->put(dev, mem, dev->type == H3D_F64 ? (const void *)x : f,
               (size_t)n * h3d_type_size(dev->type));
  h3d_free(f);
}

static inline void
some_get(h3d_device *dev, int64_t n, const void *mem, double *x)
{
  float *f = h3d_new((size_t)n, sizeof *f);

  dev->be->get(dev, dev->type == H3D_F64 ? (void *)x : f, mem,
               (size_t)n * h3d_type_size(dev->type));
  for (int64_t i = 0; i < n && dev->type == H3D_F32; i++) {
    x[i] = f[i];
  }
  h3d_free(f);
}

#endif /* TESTS_TENSOR_SOME_H */
