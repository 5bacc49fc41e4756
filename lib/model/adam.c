#include "config.h"

#include "model/optim.h"

static h3d_status
check(const h3d_optim_spec *s)
{
  if (s->beta1 < 0 || s->beta1 >= 1 || s->beta2 < 0 || s->beta2 >= 1) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s: beta1 %g or beta2 %g is out of range; give 0 or more "
                    "and less than 1",
                    s->kind, s->beta1, s->beta2);
  }
  if (s->eps <= 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s: eps %g must be positive, 1e-8 for instance", s->kind,
                    s->eps);
  }
  return H3D_OK;
}

static void
step(const h3d_update *u, int decoupled)
{
  h3d_adam_shape s = { .lr = u->lr,
                       .beta1 = u->spec->beta1,
                       .beta2 = u->spec->beta2,
                       .eps = u->spec->eps,
                       .decay = u->decay,
                       .decoupled = decoupled,
                       .step = u->step };

  u->dev->be->adam(u->dev, &s, u->size, u->g, u->state[0], u->state[1], u->w);
}

static void
adam(const h3d_update *u)
{
  step(u, 0);
}

static void
adamw(const h3d_update *u)
{
  step(u, 1);
}

const h3d_optim_kind h3d_optim_adam
  = { .name = "adam",
      .help = "Adam; decay is added to the gradient",
      .state = { "m", "v" },
      .check = check,
      .update = adam };

const h3d_optim_kind h3d_optim_adamw = { .name = "adamw",
                                         .help = "Adam with decoupled decay",
                                         .state = { "m", "v" },
                                         .check = check,
                                         .update = adamw };
