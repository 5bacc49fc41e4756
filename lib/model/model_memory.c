/* One arena for all activations and their gradients. */
#include "config.h"

#include "base/mem.h"
#include "model/arena.h"
#include "model/model_impl.h"

#include <string.h>

/* While the tenants are found.  y and g: the tenant of layer i's output and
 * of its gradient, -1 for none.  Layer i's forward is moment i, its backward
 * moment 2L-1-i. */
typedef struct finder {
  h3d_model *m;
  int *y, *g, *readers;
  int tenants;
  h3d_tenant *t;
} finder;

static const h3d_layer *
layer_at(const finder *f, int i)
{
  return &f->m->plan.layer[i];
}

static int
moment_back(const finder *f, int i)
{
  return 2 * f->m->plan.layers - 1 - i;
}

int64_t
h3d_model_layer_size(const h3d_model *m, int i, int64_t samples)
{
  const h3d_layer *l = &m->plan.layer[i];
  h3d_box b = h3d_dist_box(&l->y_dist, m->spec.grid->at);

  return samples * l->y_shape.c * h3d_box_voxels(&b);
}

/* May layer i write over what it reads? */
static int
is_in_place(const finder *f, int i)
{
  const h3d_layer *l = layer_at(f, i);
  const h3d_layer *x = l->inputs == 1 ? layer_at(f, l->input[0]) : NULL;

  return x && l->kind->in_place && x->inputs > 0 && !x->kind->needs_y
         && f->readers[l->input[0]] == 1;
}

static int
new_tenant(finder *f, size_t bytes, int from, int to)
{
  f->t[f->tenants] = (h3d_tenant){ .bytes = bytes, .from = from, .to = to };
  return f->tenants++;
}

static void
stretch(finder *f, int tenant, int moment)
{
  h3d_tenant *t = &f->t[tenant];

  t->from = moment < t->from ? moment : t->from;
  t->to = moment > t->to ? moment : t->to;
}

static size_t
bytes_of(const finder *f, int i)
{
  return (size_t)h3d_model_layer_size(f->m, i, f->m->env.samples)
         * h3d_model_real(f->m);
}

static void
find_outputs(finder *f)
{
  int back = !f->m->spec.inference, loss = f->m->plan.loss;

  for (int i = 0; i < loss; i++) {
    const h3d_layer *l = layer_at(f, i);

    f->y[i] = is_in_place(f, i) ? f->y[l->input[0]]
                                : new_tenant(f, bytes_of(f, i), i, i);
    stretch(f, f->y[i], i);
    if (back && l->kind->needs_y) {
      stretch(f, f->y[i], moment_back(f, i));
    }
    for (int k = 0; k < l->inputs; k++) {
      stretch(f, f->y[l->input[k]], i);
      if (back && !l->kind->drops_x && !l->drops_x) {
        stretch(f, f->y[l->input[k]], moment_back(f, i));
      }
    }
  }
  /* A batch that was put in serves any number of passes.  Predictions are
   * read after the step, the loss reads them in it. */
  stretch(f, f->y[0], 2 * f->m->plan.layers);
  stretch(f, f->y[f->m->plan.output], 2 * f->m->plan.layers);
}

/* A gradient lives from its last reader's backward to its own layer's. */
static void
find_gradients(finder *f)
{
  for (int i = f->m->plan.loss; i >= 0; i--) {
    const h3d_layer *l = layer_at(f, i);

    for (int k = 0; k < l->inputs; k++) {
      int x = l->input[k];
      int same = f->g[i] >= 0 && l->kind->in_place && l->inputs == 1
                 && f->readers[x] == 1;

      if (!l->want_dx[k]) {
        continue;
      }
      if (f->g[x] < 0) {
        f->g[x] = same ? f->g[i]
                       : new_tenant(f, bytes_of(f, x), moment_back(f, i),
                                    moment_back(f, i));
      }
      stretch(f, f->g[x], moment_back(f, i));
      stretch(f, f->g[x], moment_back(f, x));
    }
  }
}

/* Room for the gradient of a second reader until it is added. */
static int
find_extra(finder *f)
{
  size_t most = 0;

  for (int i = 0; i < f->m->plan.loss; i++) {
    if (f->readers[i] > 1 && bytes_of(f, i) > most) {
      most = bytes_of(f, i);
    }
  }
  return most == 0 || f->m->spec.inference
           ? -1
           : new_tenant(f, most, f->m->plan.layers, 2 * f->m->plan.layers);
}

static void
set_addresses(finder *f, int extra)
{
  h3d_model *m = f->m;
  char *mem = m->arena;

  for (int i = 0; i < m->plan.layers; i++) {
    h3d_layer *l = &m->plan.layer[i];

    l->y = f->y[i] >= 0 ? mem + f->t[f->y[i]].offset : NULL;
    m->grad[i] = f->g[i] >= 0 ? mem + f->t[f->g[i]].offset : NULL;
    l->dy = m->grad[i];
    for (int k = 0; k < l->inputs; k++) {
      l->x[k] = m->plan.layer[l->input[k]].y;
      l->dx[k] = l->want_dx[k] ? m->grad[l->input[k]] : NULL;
    }
  }
  m->extra = extra >= 0 ? mem + f->t[extra].offset : NULL;
}

h3d_status
h3d_model_make_arena(h3d_model *m)
{
  size_t n = (size_t)m->plan.layers;
  finder f = { .m = m };
  int extra;
  h3d_status st;

  f.y = h3d_new(n, sizeof *f.y);
  f.g = h3d_new(n, sizeof *f.g);
  f.readers = h3d_new(n, sizeof *f.readers);
  f.t = h3d_new(2 * n + 1, sizeof *f.t);
  for (size_t i = 0; i < n; i++) {
    f.y[i] = f.g[i] = -1;
    for (int k = 0; k < m->plan.layer[i].inputs; k++) {
      f.readers[m->plan.layer[i].input[k]]++;
    }
  }
  find_outputs(&f);
  if (!m->spec.inference) {
    find_gradients(&f);
  }
  extra = find_extra(&f);
  m->arena_bytes = h3d_arena_pack(f.tenants, f.t);
  st = m->spec.dev->be->alloc(m->spec.dev, m->arena_bytes, &m->arena);
  m->grad = h3d_new(n, sizeof *m->grad);
  m->writers = h3d_new(n, sizeof *m->writers);
  if (st == H3D_OK && !m->spec.dev->dry) {
    set_addresses(&f, extra);
  }
  h3d_free(f.y);
  h3d_free(f.g);
  h3d_free(f.readers);
  h3d_free(f.t);
  return st;
}
