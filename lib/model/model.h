/* model.h: a network, planned and in memory, on a grid.
 *
 * A step is: begin, put_input, put_target, forward, backward, then an
 * optimizer (optim.h).  All of these are collective over the grid and take no
 * part in refusals: what could be refused was refused by h3d_model_new.
 */
#ifndef H3D_MODEL_MODEL_H
#define H3D_MODEL_MODEL_H

#include "model/net.h"

typedef struct h3d_model h3d_model;

typedef struct h3d_model_spec {
  const h3d_grid *grid; /* borrowed, as dev and transport */
  h3d_device *dev;
  const h3d_transport *transport;
  h3d_data_shape data;
  int64_t batch;  /* most samples in a global batch */
  uint64_t seed;  /* of weights and dropout */
  int inference;  /* 1: no gradients are kept or computed */
  int accumulate; /* 1: backward_part is called: one more block of gradients */
} h3d_model_spec;

/* On a dry device (backend.h) the model is a plan: its text and its memory can
 * be asked, an optimizer be made for it, and nothing else.
 * Collective over the grid.  Takes the net (frees it, also when it refuses;
 * *net is NULL after).  Weights get their initial values.  H3D_ERR_SHAPE
 * where a grid cannot serve the network (naming grids that can),
 * H3D_ERR_MEMORY. */
h3d_status h3d_model_new(const h3d_model_spec *spec, h3d_net **net,
                         h3d_model **out);
void h3d_model_free(h3d_model **m);

/* A batch of total samples (1..batch).  My group's are [first, first+n) of
 * the batch, n may be 0. */
void h3d_model_begin(h3d_model *m, int64_t total);
int64_t h3d_model_first(const h3d_model *m);
int64_t h3d_model_count(const h3d_model *m);
/* How total samples fall to group g, for planning reads ahead. */
void h3d_model_share(const h3d_model *m, int64_t total, int g, int64_t *first,
                     int64_t *n);

/* The same for a batch that is one of several of a step, before samples of
 * which went by: masks of dropout are those of one large batch. */
void h3d_model_begin_part(h3d_model *m, int64_t before, int64_t total);

/* My block of the input, global voxels; the same for every sample. */
h3d_box h3d_model_block(const h3d_model *m);
/* Host memory of the device's type: my block [n][d][h][w][c]; my group's
 * targets [n][targets]. */
void h3d_model_put_input(h3d_model *m, const void *host);
void h3d_model_put_target(h3d_model *m, const void *host);

/* Loss over the global batch.  training: dropout on, batch statistics.  step
 * keys dropout. */
double h3d_model_forward(h3d_model *m, int training, int64_t step);
double h3d_model_metric(const h3d_model *m); /* the loss layer's: mae */
const char *h3d_model_metric_name(const h3d_model *m);
/* Gradients, complete: summed over the ranks that share each weight. */
void h3d_model_backward(h3d_model *m);
/* The same for one of several batches of a step, whose gradients are added up:
 * share is its part of the step's samples; first begins anew; after last the
 * gradients are complete.  Before, they are of this rank and batch alone. */
void h3d_model_backward_part(h3d_model *m, double share, int first, int last);

/* The network's output for the whole global batch on every rank:
 * [total][targets] doubles. */
void h3d_model_predictions(h3d_model *m, double *out);

/* All weights in the network's order, the same on any grid, states last.
 * Names are LAYER and param->name. */
typedef struct h3d_model_param {
  const char *layer;
  int layer_index;
  h3d_param *param;
} h3d_model_param;
int h3d_model_params(const h3d_model *m, const h3d_model_param **list);
/* Blocks: all trained weights, and all gradients, of this rank, contiguous. */
int64_t h3d_model_block_size(const h3d_model *m);
void *h3d_model_weights(h3d_model *m);
void *h3d_model_gradients(h3d_model *m);

/* Global norm of the gradient: shards once each, copies once. */
double h3d_model_gradient_norm(h3d_model *m);
/* The same of one parameter's gradient. */
double h3d_model_param_gradient_norm(h3d_model *m, int i);
void h3d_model_scale_gradients(h3d_model *m, double a);
/* 1 if the gradients are finite on all ranks. */
int h3d_model_gradients_are_finite(h3d_model *m);
/* 1 if the weights, and the states, are finite on all ranks. */
int h3d_model_weights_are_finite(h3d_model *m);
/* The first layer whose output is not finite, on any rank, or NULL. */
const char *h3d_model_nonfinite_layer(h3d_model *m);

/* A parameter-shaped block on this rank (weights, gradients, optimizer
 * states: base is the start of the block, laid out as h3d_model_weights)
 * assembled in framework-neutral order, float64 on rank 0 of the grid: out
 * there, [product of param->n]; others pass NULL.  Collective. */
void h3d_model_gather(h3d_model *m, int i, const void *base, double *out);
/* The reverse: rank 0 brings in, every rank takes its share.  Collective. */
void h3d_model_scatter(h3d_model *m, int i, const double *in, void *base);
/* base for the parameter's own values (weights or state). */
void *h3d_model_base(h3d_model *m, int i);

const h3d_env *h3d_model_env(const h3d_model *m);
/* Seconds of the step under way, [H3D_SPANS], added to by forward and
 * backward; the caller zeroes them, and adds input and update. */
double *h3d_model_seconds(h3d_model *m);
const char *h3d_model_text(const h3d_model *m); /* the network's */

/* The plan as text: a line per layer with shapes, parts, halos, redists,
 * algorithms, and memory per rank.  Free with h3d_free. */
char *h3d_model_plan_text(const h3d_model *m);

/* Bytes on this rank. */
typedef struct h3d_model_memory {
  size_t weights; /* and running statistics */
  size_t gradients;
  size_t activations; /* and their gradients, by lifetime */
  size_t halos;       /* their buffers, messages, and what layers keep */
  size_t scratch;     /* of convolutions */
  size_t work;        /* of layers, one at a time; targets */
  size_t sums;        /* messages of the gradients' sums */
  size_t total;
} h3d_model_memory;
void h3d_model_memory_about(const h3d_model *m, h3d_model_memory *out);

#endif /* H3D_MODEL_MODEL_H */
