/* store_impl.h: what the files of store share. */
#ifndef H3D_DATA_STORE_IMPL_H
#define H3D_DATA_STORE_IMPL_H

#include "data/store.h"

/* D H W of a stored volume. */
typedef struct block {
  int64_t start[3], len[3];
} block;

/* A box that goes from one rank to another, or stays. */
typedef struct item {
  int64_t place; /* in the batch */
  int peer;      /* rank of the grid; me: it stays */
  int whole;     /* it is my block: sent without a copy */
  block box;
  size_t at;       /* bytes into the buffer */
  h3d_piece piece; /* where it lands; of what comes in */
} item;

typedef struct items {
  int n, room;
  item *item;
  int messages;
  h3d_message *message; /* [room] */
  size_t bytes, buffer; /* of the batch; of mem */
  void *mem;
} items;

struct h3d_store {
  h3d_store_spec spec;
  int groups, space; /* ranks of a space */
  int copied[3];     /* 1: all ranks along D, H or W have the same block */
  block *block;      /* [ranks of the grid] */
  size_t voxel;      /* bytes of a voxel, all channels */
  int64_t *left;     /* [groups] samples that a group may still keep */
  int *holder;       /* [samples] group, -1: not held */
  void **kept;       /* [samples] my block, if my group holds it */

  int64_t total, room; /* of the batch; of the arrays */
  int64_t *sample;
  h3d_move *move;
  int *fresh;       /* 1: held since this batch */
  int64_t first, n; /* my group's */
  items in, out;
  h3d_store_piece *piece; /* [in.room] */
  int *from;              /* [n + 1] pieces of my j-th sample: from[j].. */
  h3d_exchange *exchange;
  int in_flight;
  h3d_store_about about;
};

size_t store_bytes(const h3d_store *s, const int64_t len[3]);

/* Fill in and out for the batch; H3D_ERR_MEMORY, this rank alone. */
h3d_status store_list(h3d_store *s);
/* Begin to send and to receive. */
void store_post(h3d_store *s);
/* Pieces of what has come and of what was here. */
void store_place(h3d_store *s);

#endif /* H3D_DATA_STORE_IMPL_H */
