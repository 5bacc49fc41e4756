/* run_net.h: train a made-up CosmoFlow on any grid, for tests that compare
 * grids with one rank.
 *
 * Data come from counter-based numbers at global indices, so every rank of
 * every grid sees the same samples: voxels are noise whose mean and width
 * follow two targets.
 */
#ifndef H3D_TESTS_MODEL_RUN_NET_H
#define H3D_TESTS_MODEL_RUN_NET_H

#include "model/model.h"
#include "model/optim.h"

/* The networks of arXiv 2007.12856 at any size that is a power of two, 16 to
 * 128, with the channels divided. */
typedef struct run_shape {
  int64_t size;
  int divide;      /* 8: an eighth of the channels and of the dense layers */
  int norm;        /* batch norm */
  double drop;     /* dropout, 0 for none */
  const char *act; /* "fn=leaky slope=0.01" */
} run_shape;

typedef struct run_spec {
  run_shape shape;
  int space[3]; /* of the grid */
  const char *device;
  h3d_type type;
  const char *optimizer; /* "sgd" or "adam" */
  double lr;
  int64_t samples, batch;
  int epochs;
} run_spec;

enum { RUN_EPOCHS = 8, RUN_PARAMS = 64 };

typedef struct run_result {
  h3d_status st;
  double train[RUN_EPOCHS]; /* mean loss of each epoch */
  double eval;              /* of the training data after the last one */
  double first_loss;
  int params;
  double norm, param_norm[RUN_PARAMS]; /* of the first gradient */
  double *gradient;                    /* of all weights, on rank 0, or NULL */
  int64_t size[RUN_PARAMS];            /* numbers of each in it */
} run_result;

/* Text of the network; free with h3d_free. */
char *run_net_text(const run_shape *shape);

/* Collective over comm.  Free r->gradient with h3d_free. */
void run_net(MPI_Comm comm, const run_spec *spec, run_result *r);
/* The same on rank 0 of MPI_COMM_WORLD alone, told to everyone but for
 * r->gradient. */
void run_net_alone(const run_spec *spec, run_result *r);

/* The device, grid and model of a run, for tests that do their own steps. */
typedef struct run_state {
  const run_spec *spec;
  h3d_grid *grid;
  h3d_device dev;
  h3d_model *model;
  h3d_optim *optim;
  void *input, *target; /* host, of my block and group */
} run_state;
h3d_status run_open(MPI_Comm comm, const run_spec *spec, run_state *s);
void run_close(run_state *s);
/* Put samples order[0..n-1] in, forward, return the loss. */
double run_forward(run_state *s, const int64_t *order, int64_t n, int training,
                   int64_t step);
void run_update(run_state *s);
/* Epochs first to last-1 into r->train. */
void run_epochs(run_state *s, int first, int last, run_result *r);

#endif /* H3D_TESTS_MODEL_RUN_NET_H */
