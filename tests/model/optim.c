/* Updates against closed forms and the papers' formulas. */
#include "config.h"

#include "model/optim.h"
#include "some_model.h"
#include "tap.h"

#include <math.h>

TAP_RANKS("1")

static h3d_device dev;

static int
near(double a, double b)
{
  return fabs(a - b) <= 1e-15 + 1e-12 * fabs(b);
}

/* One number, steps updates with gradient g(w) = slope * w + level. */
static double
descend(const h3d_optim_kind *kind, const h3d_optim_spec *spec, double lr,
        double slope, double level, int steps)
{
  double w = 1, g, m = 0, v = 0;
  h3d_update u = { .spec = spec,
                   .dev = &dev,
                   .lr = lr,
                   .decay = spec->decay,
                   .size = 1,
                   .w = &w,
                   .g = &g,
                   .state = { &m, &v } };

  if (kind == &h3d_optim_sgd && spec->momentum == 0) {
    u.state[0] = NULL;
  }
  for (int i = 0; i < steps; i++) {
    g = slope * w + level;
    u.step = i + 1;
    kind->update(&u);
  }
  return w;
}

static void
test_sgd(void)
{
  h3d_optim_spec s = h3d_optim_spec_init();

  s.momentum = 0;
  ok(near(descend(&h3d_optim_sgd, &s, 0.1, 2, 0, 5), pow(0.8, 5)),
     "sgd on w^2 shrinks w by 1 - 2 lr a step");
  s.decay = 0.5;
  ok(near(descend(&h3d_optim_sgd, &s, 0.1, 0, 0, 4), pow(0.95, 4)),
     "decay alone shrinks w by 1 - lr decay a step");
  s.decay = 0;
  s.momentum = 0.5;
  /* m = 1, 1.5, 1.75. */
  ok(near(descend(&h3d_optim_sgd, &s, 0.1, 0, 1, 3), 1 - 0.1 * 4.25),
     "momentum gathers a constant gradient");
  s.nesterov = 1;
  /* g + momentum m = 1.5, 1.75, 1.875. */
  ok(near(descend(&h3d_optim_sgd, &s, 0.1, 0, 1, 3), 1 - 0.1 * 5.125),
     "Nesterov looks one step ahead");
}

/* Adam as in the paper's algorithm 1. */
static double
paper(const h3d_optim_spec *s, double lr, double slope, double level,
      int steps, int decoupled)
{
  double w = 1, m = 0, v = 0;

  for (int t = 1; t <= steps; t++) {
    double g = slope * w + level + (decoupled ? 0 : s->decay * w);

    w -= decoupled ? lr * s->decay * w : 0;
    m = s->beta1 * m + (1 - s->beta1) * g;
    v = s->beta2 * v + (1 - s->beta2) * g * g;
    w -= lr * (m / (1 - pow(s->beta1, t)))
         / (sqrt(v / (1 - pow(s->beta2, t))) + s->eps);
  }
  return w;
}

static void
test_adam(void)
{
  h3d_optim_spec s = h3d_optim_spec_init();

  s.eps = 0.25;
  /* Bias-corrected moments of a constant gradient g are g and g^2. */
  ok(near(descend(&h3d_optim_adam, &s, 0.01, 0, 3, 7),
          1 - 7 * 0.01 * 3 / (3 + 0.25)),
     "a constant gradient moves w by lr g / (|g| + eps) a step");
  s.eps = 1e-8;
  ok(near(descend(&h3d_optim_adam, &s, 0.1, 2, -0.5, 20),
          paper(&s, 0.1, 2, -0.5, 20, 0)),
     "adam as the paper writes it");
  s.decay = 0.3;
  ok(near(descend(&h3d_optim_adam, &s, 0.1, 2, -0.5, 20),
          paper(&s, 0.1, 2, -0.5, 20, 0)),
     "adam's decay goes through the gradient");
  ok(near(descend(&h3d_optim_adamw, &s, 0.1, 2, -0.5, 20),
          paper(&s, 0.1, 2, -0.5, 20, 1)),
     "adamw's decay does not");
  ok(!near(paper(&s, 0.1, 2, -0.5, 20, 0), paper(&s, 0.1, 2, -0.5, 20, 1)),
     "and the two differ");
}

static void
test_checks(void)
{
  h3d_optim_spec s = h3d_optim_spec_init();

  ok(h3d_optim_adam.check(&s) == H3D_OK && h3d_optim_sgd.check(&s) == H3D_OK,
     "presets are fine");
  s.momentum = 1;
  ok(h3d_optim_sgd.check(&s) == H3D_ERR_USAGE, "%s", h3d_why());
  s.momentum = 0;
  s.nesterov = 1;
  ok(h3d_optim_sgd.check(&s) == H3D_ERR_USAGE, "%s", h3d_why());
  s.beta2 = 1;
  ok(h3d_optim_adam.check(&s) == H3D_ERR_USAGE, "%s", h3d_why());
  s.beta2 = 0.99;
  s.eps = 0;
  ok(h3d_optim_adamw.check(&s) == H3D_ERR_USAGE, "%s", h3d_why());
}

/* All gradients g, all weights 1, one step of plain descent at rate 1. */
static h3d_status
step_model(run *r, const h3d_optim_spec *s, double g, double *norm)
{
  int64_t n = h3d_model_block_size(r->m);
  size_t bytes = (size_t)n * sizeof(double);
  double *x = h3d_new((size_t)n, sizeof *x);
  h3d_optim *o = NULL;
  h3d_status st = h3d_optim_new(s, r->m, &o);

  if (st == H3D_OK) {
    for (int64_t i = 0; i < n; i++) {
      x[i] = 1;
    }
    r->dev.be->put(&r->dev, h3d_model_weights(r->m), x, bytes);
    for (int64_t i = 0; i < n; i++) {
      x[i] = g;
    }
    r->dev.be->put(&r->dev, h3d_model_gradients(r->m), x, bytes);
    *norm = h3d_optim_step(o, 1);
  }
  h3d_optim_free(&o);
  h3d_free(x);
  return st;
}

/* Every number of a trained parameter that decays, or does not, is this. */
static int
all_are(run *r, int decays, double want)
{
  const h3d_model_param *list;
  int n = h3d_model_params(r->m, &list), right = 1;

  for (int i = 0; i < n; i++) {
    const h3d_param *p = list[i].param;
    double *x;

    if (p->role == H3D_ROLE_STATE || (p->role == H3D_ROLE_WEIGHT) != decays) {
      continue;
    }
    x = h3d_new((size_t)p->size, sizeof *x);
    r->dev.be->get(&r->dev, x, p->w, (size_t)p->size * sizeof *x);
    for (int64_t k = 0; k < p->size; k++) {
      right = right && near(x[k], want);
    }
    h3d_free(x);
  }
  return right;
}

static void
test_model(void)
{
  h3d_optim_spec s = h3d_optim_spec_init();
  const h3d_model_param *list;
  double norm = 0, count;
  int n;
  run r = { 0 };

  ok(start(&r, MPI_COMM_WORLD, alone, "ref", H3D_F64, 0) == H3D_OK, "a model");
  s.kind = "sgd";
  s.momentum = 0;
  s.decay = 0.25;
  ok(step_model(&r, &s, 0.5, &norm) == H3D_OK && norm == -1
       && all_are(&r, 1, 0.25) && all_are(&r, 0, 0.5),
     "decay is for weights, not for biases, scales and shifts");
  s.decay_all = 1;
  ok(step_model(&r, &s, 0.5, &norm) == H3D_OK && all_are(&r, 1, 0.25)
       && all_are(&r, 0, 0.25),
     "or for all");
  s.decay = 0;
  s.clip = 2;
  n = h3d_model_params(r.m, &list);
  count = 0;
  for (int i = 0; i < n; i++) {
    const h3d_param *p = list[i].param;

    count += p->role == H3D_ROLE_STATE ? 0 : (double)p->size;
  }
  ok(step_model(&r, &s, 0.5, &norm) == H3D_OK && near(norm, 0.5 * sqrt(count))
       && all_are(&r, 1, 1 - 2 / sqrt(count))
       && all_are(&r, 0, 1 - 2 / sqrt(count)),
     "a long gradient is cut to length 2");
  s.clip = 1000;
  ok(step_model(&r, &s, 0.5, &norm) == H3D_OK && all_are(&r, 1, 0.5),
     "a short one is not");
  s.kind = "adamx";
  ok(step_model(&r, &s, 0.5, &norm) == H3D_ERR_USAGE, "%s", h3d_why());
  s.kind = "adam";
  s.clip = -1;
  ok(step_model(&r, &s, 0.5, &norm) == H3D_ERR_USAGE, "%s", h3d_why());
  stop(&r);
}

void
tap_main(void)
{
  if (!ok(h3d_device_open("ref", H3D_F64, &dev) == H3D_OK, "ref opens")) {
    return;
  }
  test_sgd();
  test_adam();
  test_checks();
  test_model();
  h3d_device_close(&dev);
}
