#include "config.h"

#include "model/optim.h"

#include "base/mem.h"
#include "base/opt.h"

#include <string.h>

/* Weights [first, first + size) of the block. */
typedef struct run {
  int64_t first, size;
  int decays;
} run;

struct h3d_optim {
  h3d_optim_spec spec;
  const h3d_optim_kind *kind;
  h3d_model *model;
  h3d_device *dev;
  int states;
  void *state[H3D_OPTIM_STATES_MAX];
  int runs;
  run *run;
  int64_t steps;
};

const h3d_optim_kind *const h3d_optim_kinds[]
  = { &h3d_optim_adam, &h3d_optim_adamw, &h3d_optim_sgd, NULL };

h3d_optim_spec
h3d_optim_spec_init(void)
{
  return (h3d_optim_spec){
    .kind = "adam", .momentum = 0.9, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8
  };
}

static h3d_status
find(const char *name, const h3d_optim_kind **out)
{
  const char *names[8] = { NULL }, *near;
  int n = 0;

  for (; h3d_optim_kinds[n]; n++) {
    names[n] = h3d_optim_kinds[n]->name;
    if (strcmp(name, names[n]) == 0) {
      *out = h3d_optim_kinds[n];
      return H3D_OK;
    }
  }
  near = h3d_nearest(name, names);
  return h3d_fail(H3D_ERR_USAGE,
                  "optimizer: \"%s\" is not known%s%s; there are adam, adamw "
                  "and sgd",
                  name, near ? ", perhaps " : "", near ? near : "");
}

/* Neighbours that decay alike are updated in one call. */
static void
find_runs(h3d_optim *o)
{
  const size_t real = h3d_type_size(o->dev->type);
  const char *base = h3d_model_weights(o->model);
  const h3d_model_param *list;
  int n = h3d_model_params(o->model, &list);

  o->run = h3d_new((size_t)n, sizeof *o->run);
  for (int i = 0; i < n; i++) {
    const h3d_param *p = list[i].param;
    run r, *last = o->runs > 0 ? &o->run[o->runs - 1] : NULL;

    if (p->role == H3D_ROLE_STATE || p->size == 0) {
      continue;
    }
    r.first = (int64_t)((size_t)((const char *)p->w - base) / real);
    r.size = p->size;
    r.decays = o->spec.decay_all || p->role == H3D_ROLE_WEIGHT;
    if (last && last->decays == r.decays
        && last->first + last->size == r.first) {
      last->size += r.size;
    } else {
      o->run[o->runs++] = r;
    }
  }
}

static h3d_status
check(const h3d_optim_spec *s)
{
  if (s->decay < 0 || s->clip < 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "optimizer: decay %g and clip %g may not be negative; 0 "
                    "turns each off",
                    s->decay, s->clip);
  }
  return H3D_OK;
}

h3d_status
h3d_optim_new(const h3d_optim_spec *spec, h3d_model *m, h3d_optim **out)
{
  const h3d_env *env = h3d_model_env(m);
  h3d_optim *o = h3d_new(1, sizeof *o);
  h3d_status st = H3D_OK;
  size_t bytes;

  *out = NULL;
  o->spec = *spec;
  o->model = m;
  o->dev = env->dev;
  bytes = (size_t)h3d_model_block_size(m) * h3d_type_size(o->dev->type);
  H3D_TRY(find(spec->kind, &o->kind));
  o->spec.kind = o->kind->name;
  H3D_TRY(check(spec));
  H3D_TRY(o->kind->check(spec));
  while (o->states < H3D_OPTIM_STATES_MAX && o->kind->state[o->states]) {
    o->states++;
  }
  if (o->kind->states) {
    o->states = o->kind->states(spec);
  }
  for (int i = 0; i < o->states && st == H3D_OK; i++) {
    st = o->dev->be->alloc(o->dev, bytes, &o->state[i]);
  }
  /* Memory may end on one rank alone. */
  H3D_TRY(h3d_grid_agree(env->grid, st));
  if (!o->dev->dry) {
    find_runs(o);
  }
done:
  if (st != H3D_OK) {
    h3d_optim_free(&o);
  }
  *out = o;
  return st;
}

void
h3d_optim_free(h3d_optim **out)
{
  h3d_optim *o = *out;

  if (!o) {
    return;
  }
  for (int i = 0; i < o->states; i++) {
    if (o->state[i]) {
      o->dev->be->release(o->dev, o->state[i]);
    }
  }
  h3d_free(o->run);
  h3d_free(o);
  *out = NULL;
}

double
h3d_optim_step(h3d_optim *o, double lr)
{
  const size_t real = h3d_type_size(o->dev->type);
  char *w = h3d_model_weights(o->model), *g = h3d_model_gradients(o->model);
  double norm = -1;

  if (o->spec.clip > 0) {
    norm = h3d_model_gradient_norm(o->model);
    if (norm > o->spec.clip) {
      h3d_model_scale_gradients(o->model, o->spec.clip / norm);
    }
  }
  o->steps++;
  for (int i = 0; i < o->runs; i++) {
    const run *r = &o->run[i];
    size_t at = (size_t)r->first * real;
    h3d_update u = { .spec = &o->spec,
                     .dev = o->dev,
                     .lr = lr,
                     .decay = r->decays ? o->spec.decay : 0,
                     .step = o->steps,
                     .size = r->size,
                     .w = w + at,
                     .g = g + at };

    for (int k = 0; k < o->states; k++) {
      u.state[k] = (char *)o->state[k] + at;
    }
    o->kind->update(&u);
  }
  return norm;
}

int64_t
h3d_optim_steps(const h3d_optim *o)
{
  return o->steps;
}

void
h3d_optim_set_steps(h3d_optim *o, int64_t steps)
{
  o->steps = steps;
}

const char *
h3d_optim_name(const h3d_optim *o)
{
  return o->kind->name;
}

int
h3d_optim_states(const h3d_optim *o)
{
  return o->states;
}

const char *
h3d_optim_state_name(const h3d_optim *o, int i)
{
  return o->kind->state[i];
}

void *
h3d_optim_state(const h3d_optim *o, int i)
{
  return o->state[i];
}

size_t
h3d_optim_memory(const h3d_optim *o)
{
  return (size_t)o->states * (size_t)h3d_model_block_size(o->model)
         * h3d_type_size(o->dev->type);
}
