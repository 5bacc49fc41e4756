/* redist_impl.h: the inside of a redist, for its planning and its moving. */
#ifndef H3D_TENSOR_REDIST_IMPL_H
#define H3D_TENSOR_REDIST_IMPL_H

#include "tensor/redist.h"

/* A box that goes from one rank to one rank; N D H W. */
typedef struct h3d_redist_piece {
  int peer; /* in the grid; may be this rank */
  int64_t len[4], src_at[4], dst_at[4];
  int64_t voxels; /* of one sample where N stays */
} h3d_redist_piece;

/* All pieces of one direction, by peer, and their messages. */
typedef struct h3d_redist_pieces {
  int n, messages;
  h3d_redist_piece *piece;
  h3d_message *message;
  int64_t *per_sample; /* bytes of each message for one sample */
  int64_t bytes;       /* of all messages for one sample */
  void *mem;
} h3d_redist_pieces;

struct h3d_redist {
  const h3d_grid *grid;
  h3d_device *dev;
  const h3d_transport *transport;
  size_t cell;
  int64_t samples;
  int nothing;
  h3d_box own, want; /* mine */
  h3d_redist_pieces out, in;
  h3d_exchange *exchange;
  /* Between begin and end. */
  int64_t n;
  const void *src;
  void *dst;
};

/* With one sample for all where N stays. */
h3d_box h3d_redist_own_box(const h3d_redist_spec *s, const int at[H3D_AXES]);
h3d_box h3d_redist_want_box(const h3d_redist_spec *s, const int at[H3D_AXES]);

#endif /* H3D_TENSOR_REDIST_IMPL_H */
