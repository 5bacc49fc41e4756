/* The block of weights: order, memory, initial values. */
#include "config.h"

#include "base/mem.h"
#include "base/rng.h"
#include "model/model_impl.h"
#include "model/shard.h"

#include <math.h>

enum { ALIGN = 16 }; /* reals: 64 bytes of fp32 */

static void
list_some(h3d_model *m, int states)
{
  for (int i = 0; i < m->plan.layers; i++) {
    h3d_layer *l = &m->plan.layer[i];

    for (int k = 0; k < l->params; k++) {
      if ((l->param[k].role == H3D_ROLE_STATE) == states) {
        m->param = h3d_grow(m->param, (size_t)m->params + 1, sizeof *m->param);
        m->param[m->params++]
          = (h3d_model_param){ l->name, l->index, &l->param[k] };
      }
    }
  }
}

/* Add to the block, or to the states, what is summed over these ranks. */
static void
lay_out_bucket(h3d_model *m, unsigned sum)
{
  h3d_bucket *b = &m->bucket[m->buckets];

  *b = (h3d_bucket){ sum, m->block, m->block };
  for (int i = 0; i < m->params; i++) {
    const h3d_param *p = m->param[i].param;
    int64_t room = (p->size + ALIGN - 1) / ALIGN * ALIGN;

    if (p->role != H3D_ROLE_STATE && p->sum == sum) {
      m->offset[i] = m->block;
      m->block += room;
    } else if (p->role == H3D_ROLE_STATE && sum == 0) {
      m->offset[i] = m->states;
      m->states += room;
    }
  }
  b->end = m->block;
  m->buckets += b->end > b->begin;
}

static void
lay_out(h3d_model *m)
{
  m->offset = h3d_new((size_t)m->params + 1, sizeof *m->offset);
  m->bucket = h3d_new((1u << H3D_AXES) + 1, sizeof *m->bucket);
  for (unsigned sum = 0; sum < 1u << H3D_AXES; sum++) {
    lay_out_bucket(m, sum);
  }
}

static h3d_status
alloc_blocks(h3d_model *m)
{
  h3d_device *dev = m->spec.dev;
  size_t real = h3d_model_real(m);
  h3d_status st;

  H3D_TRY(dev->be->alloc(dev, (size_t)m->block * real, &m->weights));
  H3D_TRY(dev->be->alloc(dev, (size_t)m->states * real, &m->state));
  if (m->spec.inference) {
    goto done;
  }
  H3D_TRY(dev->be->alloc(dev, (size_t)m->block * real, &m->gradients));
  if (m->spec.accumulate) {
    H3D_TRY(dev->be->alloc(dev, (size_t)m->block * real, &m->kept));
  }
  for (int i = 0; i < m->buckets; i++) {
    const h3d_bucket *b = &m->bucket[i];
    size_t bytes = m->spec.transport->sum_work(
      h3d_grid_comm(m->spec.grid, b->sum), dev->type, b->end - b->begin);

    m->sum_bytes = bytes > m->sum_bytes ? bytes : m->sum_bytes;
  }
  H3D_TRY(dev->be->alloc(dev, m->sum_bytes, &m->sum_work));
done:
  return st;
}

const h3d_layer *
h3d_model_owner(const h3d_model *m, int i)
{
  const h3d_layer *l = m->plan.layer;

  while (m->param[i].param < l->param
         || m->param[i].param >= l->param + l->params) {
    l++;
  }
  return l;
}

static double
initial(const h3d_param *p, const h3d_rng *rng, int64_t index)
{
  switch (p->init) {
  case H3D_INIT_GLOROT_UNIFORM:
    return sqrt(6 / (p->fan_in + p->fan_out))
           * (2 * h3d_rng_uniform(rng, (uint64_t)index) - 1);
  case H3D_INIT_HE_NORMAL:
    return sqrt(2 / p->fan_in) * h3d_rng_normal(rng, (uint64_t)index);
  case H3D_INIT_CONSTANT:
    break;
  }
  return p->value;
}

/* Every number from its global index, so any rank can make its share. */
static void
set_initial(h3d_model *m, int i)
{
  const h3d_model_param *q = &m->param[i];
  int k = (int)(q->param - h3d_model_owner(m, i)->param);
  h3d_rng rng = h3d_rng_init(m->spec.seed, H3D_RNG_WEIGHT,
                             (uint64_t)q->layer_index, (uint64_t)k);
  double *value = h3d_new((size_t)q->param->size, sizeof *value);

  for (int64_t j = 0; j < q->param->size; j++) {
    value[j] = initial(q->param, &rng, h3d_shard_index(q->param, j));
  }
  h3d_shard_put(m->spec.dev, q->param->size, value, q->param->w);
  h3d_free(value);
}

h3d_status
h3d_model_make_params(h3d_model *m)
{
  size_t real = h3d_model_real(m);
  h3d_status st;

  list_some(m, 0);
  list_some(m, 1);
  lay_out(m);
  st = alloc_blocks(m);
  if (st != H3D_OK) {
    return st;
  }
  for (int i = 0; i < m->params; i++) {
    h3d_param *p = m->param[i].param;
    size_t at = (size_t)m->offset[i] * real;

    if (m->spec.dev->dry) {
      continue;
    }
    p->w = (char *)(p->role == H3D_ROLE_STATE ? m->state : m->weights) + at;
    p->g = p->role == H3D_ROLE_STATE || m->spec.inference
             ? NULL
             : (char *)m->gradients + at;
    set_initial(m, i);
  }
  return H3D_OK;
}

void
h3d_model_free_params(h3d_model *m)
{
  void *mem[] = { m->weights, m->gradients, m->kept, m->state, m->sum_work };

  for (int i = 0; i < 5; i++) {
    if (mem[i]) {
      m->spec.dev->be->release(m->spec.dev, mem[i]);
    }
  }
  h3d_free(m->param);
  h3d_free(m->offset);
  h3d_free(m->bucket);
}

int
h3d_model_params(const h3d_model *m, const h3d_model_param **list)
{
  *list = m->param;
  return m->params;
}

int64_t
h3d_model_block_size(const h3d_model *m)
{
  return m->block;
}

void *
h3d_model_weights(h3d_model *m)
{
  return m->weights;
}

void *
h3d_model_gradients(h3d_model *m)
{
  return m->gradients;
}

void *
h3d_model_base(h3d_model *m, int i)
{
  return m->param[i].param->role == H3D_ROLE_STATE ? m->state : m->weights;
}
