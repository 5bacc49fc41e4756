/* redist.h: moving a tensor from the ranks that own it to those that want it.
 *
 * One primitive serves halos, the ends of cuts, gradients' neighbours and any
 * change of dist.  Every rank owns a box of a global tensor, in a dense buffer
 * [n][d][h][w][c], and wants a box, in another dense buffer.  The boxes of all
 * ranks follow from pure functions, so the two sides of a message agree by
 * construction; corners come along in the same message.
 *
 * Where the source is copied along an axis of the grid, a rank reads from the
 * copy that shares its coordinate there.
 */
#ifndef H3D_TENSOR_REDIST_H
#define H3D_TENSOR_REDIST_H

#include "backend/backend.h"
#include "backend/transport.h"
#include "dist/grid.h"

typedef struct h3d_redist h3d_redist;

/* The box that the rank at these coordinates wants. */
typedef h3d_box (*h3d_redist_want)(const void *ctx, const int at[H3D_AXES]);

typedef struct h3d_redist_spec {
  const h3d_grid *grid; /* borrowed, as all here */
  h3d_device *dev;
  const h3d_transport *transport;
  const h3d_dist *own;  /* who owns what; copied into the plan */
  h3d_redist_want want; /* clipped to the domain, but on wrapped axes */
  const void *ctx;
  int wrap[H3D_AXES]; /* 1: the axis is periodic, want may leave 0..n-1 */
  size_t cell;        /* bytes a voxel: all channels */
  int64_t samples;    /* > 0: N stays where it is, this many samples at most
                         in a group, the number is given to begin.
                         0: N moves too, as own and want say */
} h3d_redist_spec;

/* Collective over the grid.  Refuses for want of memory. */
h3d_status h3d_redist_new(const h3d_redist_spec *spec, h3d_redist **out);
/* From dist own to dist to; to's extents are own's. */
h3d_status h3d_redist_between(const h3d_redist_spec *spec, const h3d_dist *to,
                              h3d_redist **out);
void h3d_redist_free(h3d_redist **r);

/* Collective over the ranks that share the tensor.  n: this group's samples
 * (ignored when N moves).  src and dst are the buffers of begin; they must
 * not be touched before end. */
void h3d_redist_begin(h3d_redist *r, int64_t n, const void *src, void *dst);
void h3d_redist_end(h3d_redist *r);

/* The adjoint: src gets the sum of all that was read from it; src is zeroed
 * first, shares are added in rank order, my own among them.  cell must be
 * reals of the device's type. */
void h3d_redist_adjoint(h3d_redist *r, int64_t n, const void *dst, void *src);

/* Bytes that this rank receives from others per sample, for the plan. */
int64_t h3d_redist_bytes(const h3d_redist *r);
/* 1 if no rank of the grid moves anything: own box = wanted box everywhere. */
int h3d_redist_is_nothing(const h3d_redist *r);
/* Bytes of message buffers. */
size_t h3d_redist_memory(const h3d_redist *r);

#endif /* H3D_TENSOR_REDIST_H */
