/* optim.h: from gradients to weights.
 *
 * An optimizer kind is one file that ends in a constant table (sgd.c, adam.c).
 * Its state is up to two blocks laid out as the model's weights, so the same
 * code runs over them on any grid.  A step: clip the gradient by its global
 * norm, then update all weights.
 */
#ifndef H3D_MODEL_OPTIM_H
#define H3D_MODEL_OPTIM_H

#include "model/model.h"

typedef struct h3d_optim h3d_optim;

typedef struct h3d_optim_spec {
  const char *kind; /* "adam", "adamw", "sgd" */
  double momentum;  /* sgd */
  int nesterov;
  double beta1, beta2, eps; /* adam, adamw */
  double decay;             /* see h3d_sgd_shape and h3d_adam_shape */
  int decay_all; /* 0: weights decay; 1: biases, scales and shifts too */
  double clip;   /* the gradient's largest global norm; 0: any */
} h3d_optim_spec;
/* adam, 0.9, 0.999, 1e-8; momentum 0.9; no decay, no clipping. */
h3d_optim_spec h3d_optim_spec_init(void);

enum { H3D_OPTIM_STATES_MAX = 2 };

/* What one call of update works on: a run of weights that decay alike. */
typedef struct h3d_update {
  const h3d_optim_spec *spec;
  h3d_device *dev;
  double lr, decay;
  int64_t step; /* 1, 2, ... */
  int64_t size;
  void *w, *g, *state[H3D_OPTIM_STATES_MAX];
} h3d_update;

typedef struct h3d_optim_kind {
  const char *name, *help;
  const char *state[H3D_OPTIM_STATES_MAX]; /* names, "m"; NULL: no more */
  /* How many states this spec needs; NULL: all that have a name. */
  int (*states)(const h3d_optim_spec *spec);
  h3d_status (*check)(const h3d_optim_spec *spec);
  void (*update)(const h3d_update *u);
} h3d_optim_kind;

extern const h3d_optim_kind h3d_optim_sgd, h3d_optim_adam, h3d_optim_adamw;
/* Ends with NULL. */
extern const h3d_optim_kind *const h3d_optim_kinds[];

/* Borrows the model, which must outlive it; copies spec.  Collective over the
 * grid.  H3D_ERR_USAGE for an unknown kind (the nearest is named) or a number
 * out of range, H3D_ERR_MEMORY. */
h3d_status h3d_optim_new(const h3d_optim_spec *spec, h3d_model *m,
                         h3d_optim **out);
void h3d_optim_free(h3d_optim **o);

/* One update from the model's complete gradients, which clipping may scale.
 * Returns their norm before clipping, or -1 where there is no clipping and
 * nobody needed it.  Collective over the grid. */
double h3d_optim_step(h3d_optim *o, double lr);

int64_t h3d_optim_steps(const h3d_optim *o); /* updates so far */
void h3d_optim_set_steps(h3d_optim *o, int64_t steps);
const char *h3d_optim_name(const h3d_optim *o);
int h3d_optim_states(const h3d_optim *o);
const char *h3d_optim_state_name(const h3d_optim *o, int i);
void *h3d_optim_state(const h3d_optim *o, int i); /* a block, see model.h */
size_t h3d_optim_memory(const h3d_optim *o);

#endif /* H3D_MODEL_OPTIM_H */
