#include "config.h"

#include "model/optim.h"

static int
states(const h3d_optim_spec *s)
{
  return s->momentum > 0;
}

static h3d_status
check(const h3d_optim_spec *s)
{
  if (s->momentum < 0 || s->momentum >= 1) {
    return h3d_fail(H3D_ERR_USAGE,
                    "sgd: momentum %g is out of range; give 0 (none) or more "
                    "and less than 1",
                    s->momentum);
  }
  if (s->nesterov && s->momentum == 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "sgd: Nesterov's step needs momentum; give --momentum, "
                    "0.9 for instance");
  }
  return H3D_OK;
}

static void
update(const h3d_update *u)
{
  h3d_sgd_shape s = { .lr = u->lr,
                      .momentum = u->spec->momentum,
                      .decay = u->decay,
                      .nesterov = u->spec->nesterov };

  u->dev->be->sgd(u->dev, &s, u->size, u->g, u->state[0], u->w);
}

const h3d_optim_kind h3d_optim_sgd
  = { .name = "sgd",
      .help = "stochastic gradient descent, with momentum",
      .state = { "m" },
      .states = states,
      .check = check,
      .update = update };
