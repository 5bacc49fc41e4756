/* loader.h: batches from a dataset, each rank its own block.
 *
 * For every sample of its group a rank reads the part of the volume that its
 * block of the network's input covers, moved (augment.h) and cast
 * (cast.h).  No rank reads for another and nothing is exchanged.
 *
 * What was read is kept as stored, up to a limit: without moves a rank's own
 * blocks; with moves, where a block comes from anywhere in the sample, whole
 * samples, and then only if all that training reads (train and validation)
 * fits, otherwise every epoch reads again.
 */
#ifndef H3D_DATA_LOADER_H
#define H3D_DATA_LOADER_H

#include "data/cast.h"
#include "dist/grid.h"

typedef struct h3d_loader h3d_loader;

typedef struct h3d_loader_spec {
  h3d_dataset *dataset; /* borrowed, as grid */
  const h3d_grid *grid;
  h3d_box block;   /* h3d_model_block */
  int64_t samples; /* most samples of a group in one batch */
  h3d_type type;   /* the device's */
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

/* H3D_ERR_MEMORY.  Not collective. */
h3d_status h3d_loader_new(const h3d_loader_spec *spec, h3d_loader **out);
void h3d_loader_free(h3d_loader **l);

/* Read n samples of my group (n may be 0), by index in the dataset.  epoch
 * keys the moves; less than 0: none (validation, inference).  Collective over
 * the grid: all ranks leave with one verdict.  H3D_ERR_FILE from the dataset,
 * or where a voxel or target is not finite, naming the sample. */
h3d_status h3d_loader_read(h3d_loader *l, int64_t n, const int64_t *sample,
                           int64_t epoch);
/* What was read last, reals of the type: [n][d][h][w][c] and [n][targets].
 * Borrowed. */
const void *h3d_loader_input(const h3d_loader *l);
const void *h3d_loader_target(const h3d_loader *l);

typedef enum h3d_keep {
  H3D_KEEP_NOTHING, /* moves, and the samples do not fit */
  H3D_KEEP_BLOCKS,
  H3D_KEEP_SAMPLES
} h3d_keep;

typedef struct h3d_loader_about {
  h3d_keep keep;
  size_t limit, kept;     /* bytes on this rank */
  int64_t reads, hits;    /* samples read from files, found in memory */
  int64_t asked, touched; /* bytes; see h3d_dataset_traffic */
} h3d_loader_about;
void h3d_loader_ask(const h3d_loader *l, h3d_loader_about *about);

/* Bytes that a loader of this spec takes on this rank: at once, and at most
 * for what it keeps.  Pure. */
typedef struct h3d_loader_need {
  h3d_keep keep;
  size_t batch; /* of a batch, and of reading a sample */
  size_t kept;
} h3d_loader_need;
void h3d_loader_plan(const h3d_loader_spec *spec, h3d_loader_need *need);

/* A quarter of the node's memory, shared by its ranks.  Collective over the
 * grid. */
size_t h3d_loader_limit(const h3d_grid *grid);

#endif /* H3D_DATA_LOADER_H */
