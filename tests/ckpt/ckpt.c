/* What one grid saves, any other loads, bit by bit. */
#include "config.h"

#include "base/mem.h"
#include "rig.h"
#include "tap.h"

#include <math.h>
#include <string.h>

TAP_RANKS("1 2 3 4")

static char folder[64];

static int
same_about(const h3d_ckpt *a, const h3d_ckpt *b)
{
  const h3d_ckpt_data *x = &a->data, *y = &b->data;
  const h3d_ckpt_order *o = &a->order, *p = &b->order;

  return !strcmp(a->config, b->config) && !strcmp(a->net, b->net)
         && !strcmp(a->history, b->history) && !strcmp(a->version, b->version)
         && !strcmp(a->optimizer, b->optimizer) && a->type == b->type
         && !strcmp(x->path, y->path) && x->identity == y->identity
         && x->channels == y->channels && x->targets == y->targets
         && !strcmp(x->channel_name[1], y->channel_name[1])
         && !strcmp(x->target_name[0], y->target_name[0])
         && !strcmp(x->target_unit[0], y->target_unit[0])
         && !memcmp(x->extent, y->extent, sizeof x->extent)
         && x->recipe == y->recipe && x->standardize == y->standardize
         && x->stats[1].dev == y->stats[1].dev
         && x->stats[1].max == y->stats[1].max
         && x->target_offset[0] == y->target_offset[0]
         && x->target_scale[0] == y->target_scale[0]
         && x->target_mean[0] == y->target_mean[0] && x->trivial == y->trivial
         && o->seed == p->seed && o->epoch == p->epoch
         && o->position == p->position && o->batch == p->batch
         && o->step == p->step && o->loss_sum == p->loss_sum
         && o->metric_sum == p->metric_sum && o->seconds == p->seconds
         && o->samples == p->samples && isnan(p->best_loss)
         && o->best_epoch == p->best_epoch;
}

/* The place of a's parameter i among b's: buckets, and so the order, depend
 * on the grid. */
static int
place_in(const rig *a, int i, const rig *b)
{
  const h3d_model_param *x, *y;
  int n = h3d_model_params(a->model, &x), k = 0;

  h3d_model_params(b->model, &y);
  while (k < n
         && (strcmp(x[i].layer, y[k].layer) != 0
             || strcmp(x[i].param->name, y[k].param->name) != 0)) {
    k++;
  }
  return k;
}

/* Parameter i, or a state of the optimizer: assembled on rank 0, the same
 * bits?  true on other ranks. */
static int
same_array(rig *a, rig *b, int i, int state)
{
  const h3d_model_param *list;
  size_t n = 1;
  double *x = NULL, *y = NULL;
  int same = 1, k = place_in(a, i, b);

  h3d_model_params(a->model, &list);
  for (int d = 0; d < list[i].param->dims; d++) {
    n *= (size_t)list[i].param->n[d];
  }
  if (tap_rank == 0) {
    x = h3d_new(n, sizeof *x);
    y = h3d_new(n, sizeof *y);
  }
  h3d_model_gather(a->model, i,
                   state < 0 ? h3d_model_base(a->model, i)
                             : h3d_optim_state(a->optim, state),
                   x);
  h3d_model_gather(b->model, k,
                   state < 0 ? h3d_model_base(b->model, k)
                             : h3d_optim_state(b->optim, state),
                   y);
  if (tap_rank == 0) {
    same = memcmp(x, y, n * sizeof *x) == 0;
  }
  h3d_free(x);
  h3d_free(y);
  return same;
}

static int
same_weights(rig *a, rig *b)
{
  const h3d_model_param *list;
  int n = h3d_model_params(a->model, &list), same = 1;

  for (int i = 0; i < n; i++) {
    same = same_array(a, b, i, -1) && same;
    for (int k = 0; list[i].param->role != H3D_ROLE_STATE && k < 2; k++) {
      same = same_array(a, b, i, k) && same;
    }
  }
  return same;
}

static void
test_grids(h3d_type type)
{
  const int other[3][2] = { { 1, 1 }, { tap_size, 1 }, { 1, tap_size } };
  const int d = tap_size % 2 == 0 ? 2 : 1, h = tap_size == 4 ? 2 : 1;
  int same;
  char path[H3D_CKPT_PATH_MAX];
  h3d_ckpt *c, *back = NULL;
  rig a, b;

  ok(rig_init(&a, d, h, type, 1), "%s: a model: %s", h3d_type_name(type),
     h3d_why());
  rig_step(&a);
  rig_step(&a);
  c = rig_about(&a);
  h3d_ckpt_name(folder, 2, path);
  ok(h3d_ckpt_write(path, c, a.model, a.optim) == H3D_OK, "written: %s",
     h3d_why());
  ok(h3d_ckpt_read(a.grid, path, &back) == H3D_OK && same_about(c, back),
     "everything said comes back");
  h3d_ckpt_free(&back);
  h3d_ckpt_free(&c);
  for (int i = 0; i < 3; i++) {
    if (other[i][1] == 3) {
      continue; /* 4 voxels in 3 parts: other tests' business */
    }
    ok(rig_init(&b, other[i][0], other[i][1], type, 2), "grid %dx%d",
       other[i][0], other[i][1]);
    same = same_weights(&a, &b);
    ok(tap_rank > 0 || !same, "other weights to begin with");
    ok(h3d_ckpt_load(path, b.model, b.optim) == H3D_OK, "loaded: %s",
       h3d_why());
    ok(same_weights(&a, &b) && h3d_optim_steps(b.optim) == 2,
       "on %dx%d: the same bits", other[i][0], other[i][1]);
    rig_free(&b);
  }
  /* The same grid goes on as if nothing had happened. */
  ok(rig_init(&b, d, h, type, 3)
       && h3d_ckpt_load(path, b.model, b.optim) == H3D_OK,
     "the same grid again");
  ok(rig_step(&a) == rig_step(&b) && same_weights(&a, &b),
     "and a further step has the same bits");
  rig_free(&b);
  rig_free(&a);
}

static void
test_refusals(void)
{
  h3d_optim_spec sgd = h3d_optim_spec_init();
  char path[H3D_CKPT_PATH_MAX];
  h3d_optim *other = NULL;
  h3d_ckpt *c = NULL;
  rig r;

  ok(rig_init(&r, 1, 1, H3D_F32, 1), "a model");
  ok(h3d_ckpt_read(r.grid, "/nonexistent.h5", &c) == H3D_ERR_FILE, "%s",
     h3d_why());
  ok(h3d_ckpt_pick(r.grid, "/nonexistent", path) == H3D_ERR_FILE, "%s",
     h3d_why());
  c = rig_about(&r);
  ok(h3d_ckpt_write("/nonexistent/c.h5", c, r.model, r.optim) == H3D_ERR_FILE,
     "%s", h3d_why());
  h3d_ckpt_name(folder, 9, path);
  ok(h3d_ckpt_write(path, c, r.model, r.optim) == H3D_OK, "written");
  sgd.kind = "sgd";
  ok(h3d_optim_new(&sgd, r.model, &other) == H3D_OK, "another optimizer");
  ok(h3d_ckpt_load(path, r.model, other) == H3D_ERR_USAGE, "%s", h3d_why());
  h3d_optim_free(&other);
  h3d_ckpt_free(&c);
  rig_free(&r);
}

void
tap_main(void)
{
  rig_folder(folder);
  test_grids(H3D_F32);
  test_grids(H3D_F64);
  test_refusals();
  rig_remove(folder);
}
