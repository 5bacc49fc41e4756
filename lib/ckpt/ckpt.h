/* ckpt.h: all that a run needs to go on, in one HDF5 file.
 *
 * Weights are stored whole, in framework-neutral order (format.md), so a file
 * loads on any grid, any number of ranks and any backend.  Reals are stored in
 * the type of the run (float32 or float64), the optimizer's states too: a
 * resumed run on the same grid goes on with the same bits.  The file
 * has a seal (io/h5.h): a byte that changed is refused, not read.  It is
 * written under another name, synced and renamed.
 */
#ifndef H3D_CKPT_CKPT_H
#define H3D_CKPT_CKPT_H

#include "io/dataset.h"
#include "model/optim.h"

enum { H3D_CKPT_FORMAT = 2, H3D_CKPT_PATH_MAX = 1024 };

/* What the network was trained on; enough to feed it other data in the same
 * way and to read its answers. */
typedef struct h3d_ckpt_data {
  char *path;
  uint64_t identity;
  int channels;
  char **channel_name; /* [channels] */
  int64_t extent[3];   /* D H W */
  h3d_recipe recipe;
  int standardize;
  h3d_channel_stats *stats; /* [channels] */
  int targets;
  char **target_name, **target_unit;    /* [targets] */
  double *target_offset, *target_scale; /* physical = offset + scale * x */
  /* The trivial predictor: means (normalised) over the training subset, and
   * its mean squared error there. */
  double *target_mean;
  double trivial;
} h3d_ckpt_data;

/* Where the run stands. */
typedef struct h3d_ckpt_order {
  uint64_t seed;
  int64_t epoch;    /* epochs done */
  int64_t position; /* batches done of the next one */
  int64_t batch;    /* samples in a batch */
  int64_t step;     /* updates done */
  /* Of the epoch under way: sums over samples, seconds. */
  double loss_sum, metric_sum, seconds;
  int64_t samples;
  double best_loss; /* lowest validation loss so far, NaN: none */
  int64_t best_epoch;
} h3d_ckpt_order;

typedef struct h3d_ckpt {
  char *version, *config, *net, *history; /* texts */
  char *optimizer;
  h3d_type type;
  h3d_ckpt_data data;
  h3d_ckpt_order order;
} h3d_ckpt;

/* Empty texts and arrays of this size; free with h3d_ckpt_free. */
h3d_ckpt *h3d_ckpt_new(int channels, int targets);
void h3d_ckpt_free(h3d_ckpt **c);
/* Replace one of the texts; copies. */
void h3d_ckpt_set_text(char **text, const char *value);

/* Write everything to path, replacing a file of that name when it is
 * complete.  optim NULL: no states.  Collective over the model's grid; rank 0
 * writes.  H3D_ERR_FILE. */
h3d_status h3d_ckpt_write(const char *path, const h3d_ckpt *c, h3d_model *m,
                          h3d_optim *optim);

/* All but the weights.  Collective over the grid; every rank reads, rank 0
 * all of the file, for its seal.
 * H3D_ERR_FILE for a file that is missing, damaged, no checkpoint, or of
 * another format. */
h3d_status h3d_ckpt_read(const h3d_grid *g, const char *path, h3d_ckpt **out);
/* The same by one rank, the seal included. */
h3d_status h3d_ckpt_read_alone(const char *path, h3d_ckpt **out);

/* Weights and running statistics into the model; states into optim unless
 * NULL, which must be of the kind that the file names.  Collective over the
 * model's grid; rank 0 reads.  H3D_ERR_FILE names what is missing or has
 * another shape. */
h3d_status h3d_ckpt_load(const char *path, h3d_model *m, h3d_optim *optim);

/* First weights for another network: each layer whose arrays, running
 * statistics among them, are all in the file under the same names and with the
 * same shapes takes them; the other layers stay as they are.  *report says on
 * rank 0 which took theirs, which did not and why, and what the file has
 * besides; h3d_free it (NULL when refused).  Collective over the model's grid;
 * rank 0 reads.  H3D_ERR_SHAPE when no layer matches, H3D_ERR_FILE. */
h3d_status h3d_ckpt_init(const char *path, h3d_model *m, char **report);

/* FOLDER/checkpoint-NNNNNN.h5 for so many epochs done, into out. */
void h3d_ckpt_name(const char *folder, int64_t epoch,
                   char out[H3D_CKPT_PATH_MAX]);
/* Read all of a file: its seal and each array.  One rank. */
h3d_status h3d_ckpt_check(const char *path);
/* The newest checkpoint of a folder that is whole; damaged ones are named in
 * a warning.  Collective over the grid.  H3D_ERR_FILE if there is none. */
h3d_status h3d_ckpt_pick(const h3d_grid *g, const char *folder,
                         char out[H3D_CKPT_PATH_MAX]);
/* Remove all but the keep newest.  Rank 0 of the world works, others return.
 */
void h3d_ckpt_prune(const char *folder, int64_t keep);

#endif /* H3D_CKPT_CKPT_H */
