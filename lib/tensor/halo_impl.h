/* halo_impl.h: the inside of a halo, for its planning and its moving. */
#ifndef H3D_TENSOR_HALO_IMPL_H
#define H3D_TENSOR_HALO_IMPL_H

#include "tensor/halo.h"

/* One direction: what is exchanged, and where it lands. */
typedef struct h3d_halo_side {
  int busy[3]; /* axis needs voxels of others, or its own far side */
  h3d_redist *redist, *tap; /* NULL: the owner's tensor serves as it is */
  int64_t voxels;           /* of the buffer, per sample */
} h3d_halo_side;

struct h3d_halo {
  h3d_halo_spec spec;
  h3d_halo_side in, grad;
  h3d_local fwd[3], bwd[3];
  void *mem; /* of the input buffer */
  size_t mem_bytes;
  const void *input;
  /* Of the gradient under way. */
  const void *dy;
  const int32_t *dy_tap;
  void *work;
};

#endif /* H3D_TENSOR_HALO_IMPL_H */
