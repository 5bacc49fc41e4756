/* A step: batch in, loss and gradients out.  No refusals, no memory, no logs.
 */
#include "config.h"

#include "base/check.h"
#include "base/clock.h"
#include "data/order.h"
#include "model/model_impl.h"

#include <string.h>

void
h3d_model_share(const h3d_model *m, int64_t total, int g, int64_t *first,
                int64_t *n)
{
  h3d_order_share(total, m->spec.grid->n[H3D_AXIS_N], g, first, n);
}

void
h3d_model_begin(h3d_model *m, int64_t total)
{
  h3d_model_begin_part(m, 0, total);
}

void
h3d_model_begin_part(h3d_model *m, int64_t before, int64_t total)
{
  m->env.before = before;
  m->env.total = total;
  h3d_model_share(m, total, m->spec.grid->at[H3D_AXIS_N], &m->env.first,
                  &m->env.n);
}

int64_t
h3d_model_first(const h3d_model *m)
{
  return m->env.first;
}

int64_t
h3d_model_count(const h3d_model *m)
{
  return m->env.n;
}

void
h3d_model_put_input(h3d_model *m, const void *host)
{
  size_t bytes
    = (size_t)h3d_model_layer_size(m, 0, m->env.n) * h3d_model_real(m);

  m->spec.dev->be->put(m->spec.dev, m->plan.layer[0].y, host, bytes);
}

void
h3d_model_put_target(h3d_model *m, const void *host)
{
  size_t bytes = (size_t)(m->env.n * m->spec.data.targets) * h3d_model_real(m);

  m->spec.dev->be->put(m->spec.dev, m->target, host, bytes);
}

/* Time of one call, without what it spent in halos. */
static void
charge(h3d_env *e, h3d_span span, double start, double halo)
{
  e->seconds[span] += h3d_clock() - start - (e->seconds[H3D_SPAN_HALO] - halo);
}

static void
forward_layer(h3d_model *m, int i)
{
  h3d_layer *l = &m->plan.layer[i];

  if (l->kind->forward) {
    l->kind->forward(l, &m->env);
  }
}

double
h3d_model_forward(h3d_model *m, int training, int64_t step)
{
  h3d_env *e = &m->env;
  double start = h3d_clock(), halo = e->seconds[H3D_SPAN_HALO];

  e->training = training;
  e->step = step;
  for (int i = 0; i < m->plan.layers; i++) {
    forward_layer(m, i);
  }
  m->spec.dev->be->sync(m->spec.dev);
  charge(e, H3D_SPAN_FORWARD, start, halo);
  return e->loss;
}

double
h3d_model_metric(const h3d_model *m)
{
  return m->env.metric;
}

const char *
h3d_model_metric_name(const h3d_model *m)
{
  return m->plan.layer[m->plan.loss].kind->metric;
}

/* The first reader's backward writes the gradient, the others' is added. */
static void
backward_layer(h3d_model *m, int i)
{
  h3d_layer *l = &m->plan.layer[i];
  h3d_device *dev = m->spec.dev;

  for (int k = 0; k < l->inputs; k++) {
    int x = l->input[k];

    if (l->dx[k] && m->writers[x] > 0) {
      l->dx[k] = m->extra;
    }
  }
  l->kind->backward(l, &m->env);
  for (int k = 0; k < l->inputs; k++) {
    int x = l->input[k];

    if (l->dx[k] && m->writers[x]++ > 0) {
      dev->be->add(dev, h3d_model_layer_size(m, x, m->env.n), m->extra,
                   m->grad[x]);
      l->dx[k] = m->grad[x];
    }
  }
}

static void
reduce(h3d_model *m)
{
  size_t real = h3d_model_real(m);
  double start = h3d_clock();

  for (int i = 0; i < m->buckets; i++) {
    const h3d_bucket *b = &m->bucket[i];

    m->spec.transport->sum(h3d_grid_comm(m->spec.grid, b->sum),
                           m->spec.dev->type, b->end - b->begin,
                           (char *)m->gradients + (size_t)b->begin * real,
                           m->sum_work);
  }
  m->env.seconds[H3D_SPAN_REDUCE] += h3d_clock() - start;
}

/* Of this rank's samples alone. */
static void
backward(h3d_model *m)
{
  h3d_env *e = &m->env;
  double start = h3d_clock(), halo = e->seconds[H3D_SPAN_HALO];

  memset(m->writers, 0, (size_t)m->plan.layers * sizeof *m->writers);
  for (int i = m->plan.loss; i > 0; i--) {
    if (m->plan.layer[i].kind->backward) {
      backward_layer(m, i);
    }
  }
  m->spec.dev->be->sync(m->spec.dev);
  charge(e, H3D_SPAN_BACKWARD, start, halo);
}

void
h3d_model_backward(h3d_model *m)
{
  backward(m);
  reduce(m);
}

void
h3d_model_backward_part(h3d_model *m, double share, int first, int last)
{
  h3d_device *dev = m->spec.dev;
  double start;

  H3D_ASSERT(m->kept != NULL || (first && last));
  backward(m);
  start = h3d_clock();
  if (share < 1) {
    h3d_model_scale_gradients(m, share);
  }
  if (last && !first) {
    dev->be->add(dev, m->block, m->kept, m->gradients);
  } else if (!last) {
    if (first) {
      dev->be->zero(dev, m->kept, (size_t)m->block * h3d_model_real(m));
    }
    dev->be->add(dev, m->block, m->gradients, m->kept);
  }
  dev->be->sync(dev);
  m->env.seconds[H3D_SPAN_BACKWARD] += h3d_clock() - start;
  if (last) {
    reduce(m);
  }
}
