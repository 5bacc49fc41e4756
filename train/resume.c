#include "config.h"

#include "train.h"

#include "base/log.h"

#include <string.h>

/* The data must be what the run was trained on so far. */
static h3d_status
check_data(const train *t, const h3d_ckpt *c, const char *path)
{
  const h3d_ckpt_data *was = &c->data, *is = &t->ckpt->data;

  if (was->identity != is->identity) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s was trained on %s (identity %016llx), %s is another "
                    "dataset (%016llx): name the old one with --data, or "
                    "start a new run",
                    path, was->path, (unsigned long long)was->identity,
                    is->path, (unsigned long long)is->identity);
  }
  for (int i = 0; i < was->targets || i < is->targets; i++) {
    if (was->targets != is->targets
        || strcmp(was->target_name[i], is->target_name[i]) != 0) {
      return h3d_fail(H3D_ERR_USAGE,
                      "%s learns %d targets, this call names %d or others: "
                      "leave --targets out",
                      path, was->targets, is->targets);
    }
  }
  if (was->recipe != is->recipe || was->standardize != is->standardize) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s was trained with other data.normalize: leave it out",
                    path);
  }
  return H3D_OK;
}

static h3d_status
check_order(const train *t, const h3d_ckpt *c, const char *path)
{
  const h3d_ckpt_order *was = &c->order, *is = &t->ckpt->order;

  if (was->seed != is->seed) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s has seed %llu, this call %llu: a run keeps its seed; "
                    "leave --seed out",
                    path, (unsigned long long)was->seed,
                    (unsigned long long)is->seed);
  }
  if (was->position > 0 && was->batch != is->batch) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s stands inside of an epoch of batches of %lld, this "
                    "call wants %lld: change --batch between epochs only",
                    path, (long long)was->batch, (long long)is->batch);
  }
  return H3D_OK;
}

h3d_status
train_resume_read(train *t, char path[H3D_CKPT_PATH_MAX])
{
  h3d_ckpt *c = NULL;
  int64_t batch = t->ckpt->order.batch;
  h3d_status st = H3D_OK;

  H3D_TRY(h3d_ckpt_pick(t->grid, t->o.run, path));
  H3D_TRY(h3d_ckpt_read(t->grid, path, &c));
  H3D_TRY(check_data(t, c, path));
  H3D_TRY(check_order(t, c, path));
  if (c->type != t->dev.type) {
    h3d_warn("%s is %s, this call computes in %s", path,
             h3d_type_name(c->type), h3d_type_name(t->dev.type));
  }
  t->ckpt->order = c->order;
  t->ckpt->order.batch = batch;
  h3d_ckpt_set_text(&t->ckpt->net, c->net);
  h3d_ckpt_set_text(&t->ckpt->history, c->history);
  train_run_rows(t, c->history);
done:
  h3d_ckpt_free(&c);
  return st;
}

h3d_status
train_resume_load(train *t, const char *path)
{
  const h3d_ckpt_order *o = &t->ckpt->order;
  h3d_status st = h3d_ckpt_load(path, t->model, t->optim);

  if (st == H3D_OK) {
    h3d_log("resume    %s: epoch %lld%s, step %lld", path, (long long)o->epoch,
            o->position > 0 ? " and a part" : "", (long long)o->step);
  }
  return st;
}

/* What the weights saw before must look like what they will see. */
static void
warn_init(const train *t, const h3d_ckpt *c, const char *path)
{
  const h3d_ckpt_data *was = &c->data, *is = &t->ckpt->data;

  if (was->recipe != is->recipe || was->standardize != is->standardize) {
    h3d_warn("%s was trained on %s, %s voxels, this run is on %s, %s ones "
             "(--normalize)",
             path, was->recipe == H3D_RECIPE_LOG1P ? "log(1 + x)" : "plain",
             was->standardize ? "standardized" : "not standardized",
             is->recipe == H3D_RECIPE_LOG1P ? "log(1 + x)" : "plain",
             is->standardize ? "standardized" : "not standardized");
  }
}

h3d_status
train_init(train *t)
{
  const char *path = h3d_conf_text(t->o.conf, "model.init");
  h3d_ckpt *c = NULL;
  h3d_status st = H3D_OK;

  if (!*path) {
    return H3D_OK;
  }
  H3D_TRY(h3d_ckpt_read(t->grid, path, &c));
  warn_init(t, c, path);
  H3D_TRY(h3d_ckpt_init(path, t->model, &t->began));
done:
  h3d_ckpt_free(&c);
  return st;
}
