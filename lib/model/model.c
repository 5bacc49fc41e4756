#include "config.h"

#include "model/model.h"

#include "base/mem.h"
#include "model/model_impl.h"

#include <string.h>

static void
set_env(h3d_model *m)
{
  int groups = m->spec.grid->n[H3D_AXIS_N];

  m->env.grid = m->spec.grid;
  m->env.dev = m->spec.dev;
  m->env.transport = m->spec.transport;
  m->env.inference = m->spec.inference;
  m->env.targets = m->spec.data.targets;
  m->env.batch = m->spec.batch;
  m->env.samples = m->spec.batch / groups + (m->spec.batch % groups != 0);
  m->env.seed = m->spec.seed;
}

/* A layer needs a gradient if it, or one that it reads, has weights. */
static void
want_gradients(h3d_model *m, int i, const int *trained)
{
  h3d_layer *l = &m->plan.layer[i];

  for (int k = 0; k < l->inputs; k++) {
    l->want_dx[k] = trained[l->input[k]] && !m->spec.inference;
  }
}

static h3d_status
plan_layers(h3d_model *m)
{
  int *trained = h3d_new((size_t)m->plan.layers, sizeof *trained);
  size_t before = m->spec.dev->bytes;
  h3d_status st = H3D_OK;

  for (int i = 0; i < m->plan.layers && st == H3D_OK; i++) {
    h3d_layer *l = &m->plan.layer[i];

    want_gradients(m, i, trained);
    l->state = h3d_new(1, l->kind->state_size + 1);
    if (l->kind->plan) {
      st = h3d_grid_agree(m->spec.grid, l->kind->plan(l, &m->env));
    }
    for (int k = 0; k < l->inputs; k++) {
      trained[i] |= trained[l->input[k]];
    }
    for (int k = 0; k < l->params; k++) {
      trained[i] |= l->param[k].role != H3D_ROLE_STATE;
    }
    m->halo_bytes += l->memory;
  }
  m->plan_bytes = m->spec.dev->bytes - before;
  h3d_free(trained);
  return st;
}

static h3d_status
make_memory(h3d_model *m)
{
  h3d_device *dev = m->spec.dev;
  size_t targets
    = (size_t)(m->env.samples * m->spec.data.targets) * h3d_model_real(m);
  h3d_status st;

  H3D_TRY(h3d_model_make_params(m));
  H3D_TRY(h3d_model_make_arena(m));
  H3D_TRY(dev->be->alloc(dev, m->env.work_size, &m->env.work));
  H3D_TRY(dev->be->alloc(dev, targets, &m->target));
  m->env.target = m->target;
  m->host = h3d_new(targets + 1, 1);
done:
  return st;
}

h3d_status
h3d_model_new(const h3d_model_spec *spec, h3d_net **net, h3d_model **out)
{
  h3d_model *m = h3d_new(1, sizeof *m);
  h3d_status st;

  m->spec = *spec;
  m->text = h3d_strdup((*net)->text);
  set_env(m);
  st = h3d_grid_agree(spec->grid,
                      h3d_plan_new(*net, spec->grid, spec->batch, &m->plan));
  h3d_net_free(net);
  if (st == H3D_OK) {
    st = plan_layers(m);
  }
  if (st == H3D_OK) {
    st = h3d_grid_agree(spec->grid, make_memory(m));
  }
  if (st != H3D_OK) {
    h3d_model_free(&m);
  }
  *out = m;
  return st;
}

void
h3d_model_free(h3d_model **pm)
{
  h3d_model *m = *pm;
  void *mem[3];

  if (!m) {
    return;
  }
  for (int i = 0; i < m->plan.layers; i++) {
    h3d_layer *l = &m->plan.layer[i];

    if (l->kind->release && l->state) {
      l->kind->release(l, &m->env);
    }
  }
  mem[0] = m->arena;
  mem[1] = m->env.work;
  mem[2] = m->target;
  for (int i = 0; i < 3; i++) {
    if (mem[i]) {
      m->spec.dev->be->release(m->spec.dev, mem[i]);
    }
  }
  h3d_model_free_params(m);
  h3d_plan_free(&m->plan);
  h3d_free(m->text);
  h3d_free(m->grad);
  h3d_free(m->writers);
  h3d_free(m->host);
  h3d_free(m);
  *pm = NULL;
}

h3d_box
h3d_model_block(const h3d_model *m)
{
  h3d_box b = h3d_dist_box(&m->plan.layer[0].y_dist, m->spec.grid->at);

  b.start[H3D_AXIS_N] = m->env.first;
  b.len[H3D_AXIS_N] = m->env.n;
  return b;
}

const h3d_env *
h3d_model_env(const h3d_model *m)
{
  return &m->env;
}

double *
h3d_model_seconds(h3d_model *m)
{
  return m->env.seconds;
}

const char *
h3d_model_text(const h3d_model *m)
{
  return m->text;
}

void
h3d_model_memory_about(const h3d_model *m, h3d_model_memory *out)
{
  size_t real = h3d_model_real(m);

  *out = (h3d_model_memory){
    .weights = (size_t)(m->block + m->states) * real,
    .gradients
    = (size_t)(m->block * ((m->gradients != NULL) + (m->kept != NULL))) * real,
    .activations = m->arena_bytes,
    .halos = m->halo_bytes,
    .scratch = m->plan_bytes - m->halo_bytes,
    .work = m->env.work_size
            + (size_t)(m->env.samples * m->spec.data.targets) * real,
    .sums = m->sum_bytes,
  };
  out->total = out->weights + out->gradients + out->activations + out->halos
               + out->scratch + out->work + out->sums;
}
