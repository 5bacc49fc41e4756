/* model_impl.h: the inside of a model, for the files of model. */
#ifndef H3D_MODEL_MODEL_IMPL_H
#define H3D_MODEL_MODEL_IMPL_H

#include "model/model.h"
#include "model/plan.h"

/* Weights whose gradients are summed over the same ranks, side by side. */
typedef struct h3d_bucket {
  unsigned sum;
  int64_t begin, end; /* in the block */
} h3d_bucket;

struct h3d_model {
  h3d_model_spec spec;
  h3d_plan plan;
  char *text;
  h3d_env env;

  int params;
  h3d_model_param *param; /* trained ones, then states, as in the network */
  int64_t *offset;        /* in the block; of a state: in the states */
  int64_t block;          /* reals */
  int64_t states;
  void *weights, *gradients, *state;
  void *kept; /* gradients of a step's batches so far, NULL without parts */
  int buckets;
  h3d_bucket *bucket;
  void *sum_work;

  void *arena; /* activations and their gradients */
  size_t arena_bytes, halo_bytes, sum_bytes;
  size_t plan_bytes; /* of all that the layers' plans made on the device */
  void *extra;       /* a second reader's dx, before it is added */
  int *writers; /* of layer i's gradient, in the backward pass under way */
  void **grad;  /* layer i's output gradient, NULL where not wanted */
  void *target;
  void *host; /* of predictions */
};

static inline size_t
h3d_model_real(const h3d_model *m)
{
  return h3d_type_size(m->spec.dev->type);
}

/* Reals of layer i's output on this rank, for samples samples. */
int64_t h3d_model_layer_size(const h3d_model *m, int i, int64_t samples);

/* model_memory.c: the arena.  model_param.c: blocks, initial values. */
h3d_status h3d_model_make_arena(h3d_model *m);
h3d_status h3d_model_make_params(h3d_model *m);
void h3d_model_free_params(h3d_model *m);
/* The layer that parameter i belongs to. */
const h3d_layer *h3d_model_owner(const h3d_model *m, int i);

#endif /* H3D_MODEL_MODEL_IMPL_H */
