/* loader.h: batches from a dataset, each rank its own block.
 *
 * A sample is read from the files once, by the group that wants it first, each
 * rank its own block, and kept as stored (store.h), up to a limit.  From then
 * on a rank gets what its block of the moved volume (augment.h) consists of
 * from memory: its own or other ranks'.  What exceeds the limit is read again
 * each time, by the rank that wants it.  Voxels are cast (cast.h) in the end.
 *
 * begin lets a batch travel while a step runs.  There is no thread behind it:
 * an MPI without progress of its own (Open MPI on one node) moves the bytes
 * when it is called, within the step's exchanges and in read.
 */
#ifndef H3D_DATA_LOADER_H
#define H3D_DATA_LOADER_H

#include "backend/transport.h"
#include "data/augment.h"
#include "data/cast.h"
#include "dist/grid.h"

typedef struct h3d_loader h3d_loader;

typedef struct h3d_loader_spec {
  h3d_dataset *dataset; /* borrowed, as grid */
  const h3d_grid *grid;
  const h3d_transport *transport; /* of host memory; borrowed */
  h3d_box block;                  /* h3d_model_block */
  int64_t samples;                /* most samples of a group in one batch */
  h3d_type type;                  /* the device's */
  /* The scaling of the training data: a checkpoint's, which need not be that
   * of the dataset that is read. */
  h3d_recipe recipe;
  int standardize;
  const h3d_channel_stats *stats; /* [channels], copied */
  int targets;                    /* of a sample; 0: none are read */
  const int *target; /* [targets], their places in the dataset; copied */
  h3d_augment augment;
  uint64_t seed; /* of moves */
  size_t limit;  /* bytes that this rank may keep */
} h3d_loader_spec;

/* Collective over the grid, one verdict: H3D_ERR_MEMORY. */
h3d_status h3d_loader_new(const h3d_loader_spec *spec, h3d_loader **out);
/* Collective after a begin without its read. */
void h3d_loader_free(h3d_loader **l);

/* A batch of total samples (0 is allowed), by index in the dataset; it falls
 * to groups as h3d_order_share says.  epoch keys the moves; less than 0: none
 * (validation, inference).  begin reads what is to be kept and lets the rest
 * come; read of the same batch then waits for it and casts.  Without its begin
 * read does all; another begin or read forgets what was begun.  read's result
 * stays until the next read.  Collective over the grid: all ranks leave with
 * one verdict.  H3D_ERR_FILE from the dataset, or where a voxel or target is
 * not finite, naming the sample; H3D_ERR_MEMORY. */
h3d_status h3d_loader_begin(h3d_loader *l, int64_t total,
                            const int64_t *sample, int64_t epoch);
h3d_status h3d_loader_read(h3d_loader *l, int64_t total, const int64_t *sample,
                           int64_t epoch);
/* What was read last of my group's samples, reals of the type:
 * [n][d][h][w][c] and [n][targets].  Borrowed. */
const void *h3d_loader_input(const h3d_loader *l);
const void *h3d_loader_target(const h3d_loader *l);

typedef enum h3d_keep {
  H3D_KEEP_NOTHING, /* the limit holds no block */
  H3D_KEEP_BLOCKS
} h3d_keep;

/* This rank's, but for room, held and distinct, which all ranks share. */
typedef struct h3d_loader_about {
  size_t limit, kept;     /* bytes; see h3d_store_about for the next three */
  int64_t room, held;     /* samples */
  int64_t moved;          /* bytes */
  int64_t distinct;       /* samples that were asked for at least once */
  int64_t reads, hits;    /* samples read from files, found in memory */
  int64_t asked, touched; /* bytes; see h3d_dataset_traffic */
} h3d_loader_about;
void h3d_loader_ask(const h3d_loader *l, h3d_loader_about *about);

/* Bytes that a loader of this spec takes on this rank: at once, and at most
 * for what it keeps and for what travels.  Pure. */
typedef struct h3d_loader_need {
  h3d_keep keep;
  size_t batch; /* of a batch, and of reading a sample */
  size_t kept;
  size_t travel; /* of a batch, as stored */
} h3d_loader_need;
void h3d_loader_plan(const h3d_loader_spec *spec, h3d_loader_need *need);

/* The sums over all ranks.  Ideally asked is once, the bytes of distinct
 * samples.  Collective over the grid. */
typedef struct h3d_loader_total {
  double kept, moved, asked, touched, once; /* bytes */
} h3d_loader_total;
void h3d_loader_sum(const h3d_loader *l, h3d_loader_total *total);

/* A quarter of the node's memory, shared by its ranks.  Collective over the
 * grid. */
size_t h3d_loader_limit(const h3d_grid *grid);

#endif /* H3D_DATA_LOADER_H */
