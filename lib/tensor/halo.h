/* halo.h: what a sliding-window layer needs of its neighbours.
 *
 * Forward: a buffer with the inputs that this rank's outputs read.  Backward:
 * a buffer with the output gradients whose windows read this rank's inputs,
 * so that the data gradient of own inputs is computed exactly, in the same
 * order of summation as on one rank.  Outside the domain nothing is stored:
 * the local windows (h3d_local) have the padding.  On a periodic axis the
 * buffer holds the wrapped voxels instead, on an uncut axis the rank's own far
 * side.
 */
#ifndef H3D_TENSOR_HALO_H
#define H3D_TENSOR_HALO_H

#include "tensor/redist.h"

typedef struct h3d_halo h3d_halo;

typedef struct h3d_halo_spec {
  const h3d_grid *grid;
  h3d_device *dev;
  const h3d_transport *transport;
  h3d_dist x, y;        /* of the layer's input and output */
  h3d_window window[3]; /* D H W */
  int periodic;
  int64_t samples; /* most samples of a group */
  int64_t cx, cy;  /* channels of input and output */
  int tap;      /* 1: int32 taps [cy] travel with the gradient (max pooling) */
  int backward; /* 0: the gradient's side is not wanted */
} h3d_halo_spec;

/* Collective over the grid.  Refuses for want of memory, and (H3D_ERR_SHAPE)
 * periodic axes whose extent the stride does not divide. */
h3d_status h3d_halo_new(const h3d_halo_spec *spec, h3d_halo **out);
void h3d_halo_free(h3d_halo **h);

/* Local windows: forward over the input buffer, backward over the gradient
 * buffer (see h3d_conv_shape). */
const h3d_local *h3d_halo_forward_local(const h3d_halo *h);
const h3d_local *h3d_halo_backward_local(const h3d_halo *h);

/* The input buffer for n samples of x: x itself where no rank needs anything
 * else, otherwise the halo's own memory, which stays valid until the next
 * call (the weight gradient reads it).  begin starts, end waits. */
void h3d_halo_input_begin(h3d_halo *h, int64_t n, const void *x);
const void *h3d_halo_input_end(h3d_halo *h);
/* 1: the input buffer is the halo's own on every rank, x is not read again. */
int h3d_halo_copies(const h3d_halo *h);
/* The buffer of the last input_end. */
const void *h3d_halo_input(const h3d_halo *h);

/* The buffers of output gradients and taps.  dy itself where nothing else is
 * needed, otherwise work, h3d_halo_work bytes of device memory. */
size_t h3d_halo_work(const h3d_halo *h);
void h3d_halo_gradient_begin(h3d_halo *h, int64_t n, const void *dy,
                             const int32_t *tap, void *work);
const void *h3d_halo_gradient_end(h3d_halo *h, const int32_t **tap);

/* Bytes received per sample forward and backward; memory of the halo. */
void h3d_halo_about(const h3d_halo *h, int64_t *forward, int64_t *backward,
                    size_t *memory);

#endif /* H3D_TENSOR_HALO_H */
