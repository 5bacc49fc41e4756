/* store.h: samples in memory, spread over the ranks.
 *
 * The group that reads a sample first keeps it: each of its ranks holds its
 * own block, as stored, until the program ends.  A group that wants the sample
 * later gets it from its holder, moved (augment.h) or not: every rank asks for
 * the boxes that its block of the moved volume consists of, from the ranks
 * that hold them; without moves that is one message, between peers.  So a
 * sample is read from the files once (the store of arXiv 2007.12856).
 *
 * Who holds what follows from the batches planned so far and from the groups'
 * room, which are the same on every rank: both sides of a message are worked
 * out, nothing is asked.  A group has room for as many samples as the least
 * room of its ranks allows, first come, first kept; what is not kept is the
 * caller's to read, every time.
 *
 * A batch: plan, read into the rooms, begin, (a step), end, pieces.
 */
#ifndef H3D_DATA_STORE_H
#define H3D_DATA_STORE_H

#include "backend/transport.h"
#include "data/augment.h"
#include "data/cast.h"
#include "dist/grid.h"

typedef struct h3d_store h3d_store;

typedef struct h3d_store_spec {
  const h3d_grid *grid;           /* borrowed, as transport */
  const h3d_transport *transport; /* of host memory */
  const h3d_dataset_info *info;   /* borrowed */
  int64_t start[3], len[3];       /* my block of a volume, D H W */
  size_t limit;                   /* bytes that this rank may keep */
} h3d_store_spec;

/* Collective over the grid.  The blocks of a space make up the volume; where
 * ranks along an axis all have the same block, each serves its own. */
void h3d_store_new(const h3d_store_spec *spec, h3d_store **out);
/* Collective where something is in flight, which it ends.  NULL is allowed. */
void h3d_store_free(h3d_store **s);

/* A batch of total samples (0 is allowed) by index in the dataset, spread over
 * groups as h3d_order_share says, and their moves.  Both are copied.  Decides
 * what is kept and allocates what moves it; where a rank has no memory to keep
 * a block, no rank keeps more from now on.  Collective over the grid;
 * H3D_ERR_MEMORY on this rank alone, which is begin's to spread. */
h3d_status h3d_store_plan(h3d_store *s, int64_t total, const int64_t *sample,
                          const h3d_move *move);
/* Where my block of my group's j-th sample, not moved, is to be read to,
 * [c][d][h][w] as stored; NULL where nothing is to be read for the store. */
void *h3d_store_room(const h3d_store *s, int64_t j);
/* The rooms are full, or mine says why not.  Blocks travel from here to end.
 * Collective over the grid, one verdict; if it is a refusal nothing travels
 * and nothing of this batch is kept. */
h3d_status h3d_store_begin(h3d_store *s, h3d_status mine);
/* Wait for what others send.  Collective over the grid. */
void h3d_store_end(h3d_store *s);

/* A box of a stored sample in memory, and its place in my moved block. */
typedef struct h3d_store_piece {
  h3d_piece piece;
  h3d_cast_from from;
} h3d_store_piece;

/* The pieces of my block of my group's j-th sample; valid until the next plan.
 * Returns how many, or -1 if the sample is not in the store. */
int h3d_store_pieces(const h3d_store *s, int64_t j,
                     const h3d_store_piece **piece);

typedef struct h3d_store_about {
  int64_t room;  /* samples that all groups together may keep */
  int64_t held;  /* samples that they keep */
  size_t kept;   /* bytes of blocks on this rank */
  int64_t moved; /* bytes received from other ranks */
} h3d_store_about;
void h3d_store_ask(const h3d_store *s, h3d_store_about *about);

#endif /* H3D_DATA_STORE_H */
