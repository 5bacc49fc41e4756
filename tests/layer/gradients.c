/* Gradients of every kind against central differences of the loss, fp64. */
#include "config.h"

#include "model/model.h"
#include "model/parts.h"

#include "small.h"
#include "tap.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TAP_RANKS("1")

enum { SINGLES = 24 }; /* weights that are tried one by one */
/* Along all weights at once the step is longer, and so is its error. */
static const double step = 1e-5, bound = 1e-9, bound_all = 1e-6;

typedef struct check {
  h3d_device dev;
  h3d_grid *grid;
  h3d_model *m;
  int64_t size;
  double *w, *g, *v; /* weights, gradient, weights tried */
  int training;
} check;

static void
fill(h3d_model *m)
{
  h3d_rng r = h3d_rng_init(1, H3D_RNG_TEST, 0, 0);
  int64_t size = SMALL_BATCH * SMALL_C * SMALL_D * SMALL_H * SMALL_W;
  double *x = h3d_new((size_t)size, sizeof *x);
  double t[SMALL_BATCH * SMALL_TARGETS];

  for (int64_t i = 0; i < size; i++) {
    x[i] = h3d_rng_normal(&r, (uint64_t)i);
  }
  for (int i = 0; i < SMALL_BATCH * SMALL_TARGETS; i++) {
    t[i] = h3d_rng_normal(&r, (uint64_t)(size + i));
  }
  h3d_model_begin(m, SMALL_BATCH);
  h3d_model_put_input(m, x);
  h3d_model_put_target(m, t);
  h3d_free(x);
}

static h3d_status
make(check *c, const char *text)
{
  static const int space[3] = { 1, 1, 1 };
  h3d_status st;

  H3D_TRY(parts_open(&(parts){ &c->grid, &c->dev, &c->m }, MPI_COMM_SELF,
                     space, "ref", H3D_F64, text, small_spec));
  c->size = h3d_model_block_size(c->m);
  c->w = h3d_new((size_t)c->size, sizeof *c->w);
  c->g = h3d_new((size_t)c->size, sizeof *c->g);
  c->v = h3d_new((size_t)c->size, sizeof *c->v);
  c->dev.be->get(&c->dev, c->w, h3d_model_weights(c->m),
                 (size_t)c->size * sizeof *c->w);
  fill(c->m);
done:
  return st;
}

static void
drop(check *c)
{
  h3d_free(c->w);
  h3d_free(c->g);
  h3d_free(c->v);
  parts_close(&(parts){ &c->grid, &c->dev, &c->m });
}

/* Loss at w + a * direction (NULL: the unit vector of weight i). */
static double
loss_at(check *c, double a, const double *direction, int64_t i)
{
  for (int64_t j = 0; j < c->size; j++) {
    c->v[j] = c->w[j] + (direction ? a * direction[j] : 0);
  }
  if (!direction) {
    c->v[i] += a;
  }
  c->dev.be->put(&c->dev, h3d_model_weights(c->m), c->v,
                 (size_t)c->size * sizeof *c->v);
  return h3d_model_forward(c->m, c->training, 3);
}

static double
slope(check *c, const double *direction, int64_t i)
{
  return (loss_at(c, step, direction, i) - loss_at(c, -step, direction, i))
         / (2 * step);
}

/* The greatest difference between slopes and gradient, over its norm. */
static double
worst_single(check *c, double norm)
{
  int64_t stride = c->size / SINGLES + 1;
  double worst = 0;

  for (int64_t i = 0; i < c->size; i += stride) {
    worst = fmax(worst, fabs(slope(c, NULL, i) - c->g[i]) / norm);
  }
  return worst;
}

/* All weights at once, along random signs: any wrong number shows. */
static double
worst_direction(check *c, double norm)
{
  h3d_rng r = h3d_rng_init(2, H3D_RNG_TEST, 0, 0);
  double *u = h3d_new((size_t)c->size, sizeof *u), worst = 0;

  for (uint64_t k = 0; k < 4; k++) {
    double dot = 0;

    for (int64_t i = 0; i < c->size; i++) {
      u[i] = h3d_rng_uniform(&r, k << 32 | (uint64_t)i) < 0.5 ? -1 : 1;
      dot += u[i] * c->g[i];
    }
    worst = fmax(worst, fabs(slope(c, u, 0) - dot) / norm);
  }
  h3d_free(u);
  return worst;
}

static void
check_one(const small *s, int training)
{
  check c = { .training = training };
  char text[1024];
  double norm, single, whole;

  snprintf(text, sizeof text, "%s%s%s", SMALL_BEFORE, s->layers, SMALL_AFTER);
  if (!ok(make(&c, text) == H3D_OK, "%s: a model is made", s->what)) {
    printf("# %s\n", h3d_why());
    drop(&c);
    return;
  }
  /* Running statistics, where there are any, of one step. */
  h3d_model_forward(c.m, 1, 3);
  h3d_model_forward(c.m, training, 3);
  h3d_model_backward(c.m);
  c.dev.be->get(&c.dev, c.g, h3d_model_gradients(c.m),
                (size_t)c.size * sizeof *c.g);
  norm = h3d_model_gradient_norm(c.m);
  single = worst_single(&c, norm);
  whole = worst_direction(&c, norm);
  ok(norm > 1e-3 && single < bound && whole < bound_all,
     "%s, %s: gradient of norm %.3g within %.1e and %.1e", s->what,
     training ? "training" : "evaluation", norm, single, whole);
  drop(&c);
}

/* A kind that learns or passes gradients stands in some small network. */
static void
check_all_are_there(void)
{
  for (int k = 0; h3d_layer_kinds[k] != NULL; k++) {
    const h3d_layer_kind *kind = h3d_layer_kinds[k];
    int there = kind->internal || kind->is_loss || kind->inputs == 0;

    for (int i = 0; i < SMALLS && !there; i++) {
      const char *at = strstr(smalls[i].layers, kind->name);

      there = at == smalls[i].layers || (at != NULL && at[-1] == '\n');
    }
    ok(there, "%s has a gradient check", kind->name);
  }
}

void
tap_main(void)
{
  check_all_are_there();
  for (int i = 0; i < SMALLS; i++) {
    check_one(&smalls[i], 1);
    if (strstr(smalls[i].layers, "norm") || strstr(smalls[i].layers, "drop")) {
      check_one(&smalls[i], 0);
    }
  }
}
