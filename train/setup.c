#include "config.h"

#include "train.h"

#include "base/agree.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/opt.h"
#include "data/order.h"
#include "data/target.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static h3d_status
open_dataset(train *t)
{
  const char *path = h3d_conf_text(t->o.conf, "data.path");
  const char *targets = h3d_conf_text(t->o.conf, "data.targets");
  char real[PATH_MAX];
  h3d_status st = H3D_OK;

  /* A run may be resumed from another folder. */
  if (realpath(path, real)) {
    char *from = h3d_strdup(h3d_conf_from(t->o.conf, "data.path"));

    st = h3d_conf_set(t->o.conf, "data.path", real, from);
    path = h3d_conf_text(t->o.conf, "data.path");
    h3d_free(from);
  }
  H3D_TRY(h3d_grid_agree(t->grid, st));
  H3D_TRY(h3d_dataset_open(t->grid->world, path, &t->dataset));
  t->info = h3d_dataset_about(t->dataset);
  t->target = h3d_new((size_t)t->info->targets + 1, sizeof *t->target);
  H3D_TRY(h3d_target_parse(t->info, targets, &t->targets, t->target));
  t->train = h3d_new((size_t)t->info->samples, sizeof *t->train);
  t->val = h3d_new((size_t)t->info->samples, sizeof *t->val);
  t->order = h3d_new((size_t)t->info->samples, sizeof *t->order);
  t->n_train = h3d_order_subset(t->info, H3D_SUBSET_TRAIN, t->train);
  t->n_val = h3d_order_subset(t->info, H3D_SUBSET_VALIDATION, t->val);
  if (t->n_train == 0) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s has no training samples: preprocess again with other "
                  "--subsets",
                  path);
    goto done;
  }
  if (t->n_val == 0 && h3d_conf_int(t->o.conf, "train.patience") > 0) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "train.patience = %lld judges by the validation loss, and "
                  "%s has no validation samples: give --patience=0, or "
                  "preprocess again with other --subsets",
                  (long long)h3d_conf_int(t->o.conf, "train.patience"), path);
  }
done:
  return st;
}

/* What the checkpoint must know about the data. */
static h3d_status
describe_data(train *t)
{
  h3d_ckpt_data *d;
  const char *how = h3d_conf_text(t->o.conf, "data.normalize");
  int raw = strcmp(how, "raw") == 0, none = strcmp(how, "none") == 0;
  h3d_status st = H3D_OK;

  if (!raw && !none && strcmp(how, "dataset") != 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--normalize (data.normalize) = %s is not known; use "
                    "dataset, none or raw",
                    how);
  }
  t->ckpt = h3d_ckpt_new(t->info->channels, t->targets);
  d = &t->ckpt->data;
  h3d_ckpt_set_text(&d->path, h3d_conf_text(t->o.conf, "data.path"));
  d->identity = t->info->identity;
  d->recipe = raw ? H3D_RECIPE_NONE : t->info->recipe;
  d->standardize = raw || none ? 0 : t->info->standardize;
  memcpy(d->extent, t->info->extent, sizeof d->extent);
  for (int c = 0; c < d->channels; c++) {
    h3d_ckpt_set_text(&d->channel_name[c], t->info->channel_name[c]);
    d->stats[c] = t->info->stats[c];
  }
  for (int i = 0; i < t->targets; i++) {
    int p = t->target[i];

    h3d_ckpt_set_text(&d->target_name[i], t->info->target_name[p]);
    h3d_ckpt_set_text(&d->target_unit[i], t->info->target_unit[p]);
    d->target_offset[i] = t->info->target_offset[p];
    d->target_scale[i] = t->info->target_scale[p];
  }
  if (t->grid->rank == 0) {
    st = h3d_target_trivial(t->dataset, t->targets, t->target, t->n_train,
                            t->train, d->target_mean, &d->trivial);
  }
  H3D_TRY(h3d_grid_agree(t->grid, st));
  h3d_broadcast(t->grid->world, 0, d->target_mean,
                sizeof(double) * (size_t)t->targets);
  h3d_broadcast(t->grid->world, 0, &d->trivial, sizeof(double));
done:
  return st;
}

static h3d_status
make_grid(train *t)
{
  const char *text = h3d_conf_text(t->o.conf, "run.grid");
  int space[3], ranks = t->grid->size;
  h3d_status st = H3D_OK;

  /* The grid of before served for agreeing; now the extents are known. */
  H3D_TRY(h3d_grid_parse(text, ranks, t->info->extent, space));
  h3d_grid_free(&t->grid);
  H3D_TRY(h3d_grid_new(MPI_COMM_WORLD, space, &t->grid));
done:
  return st;
}

static h3d_status
open_device(train *t)
{
  const char *word = h3d_conf_text(t->o.conf, "run.precision");
  h3d_type type;
  h3d_status st;

  if (!h3d_type_find(word, &type)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "run.precision = %s is not known; use fp32 or fp64", word);
  }
  t->threads = h3d_grid_set_threads(t->grid->world);
  st = h3d_device_open(h3d_conf_text(t->o.conf, "run.device"), type, &t->dev);
  return h3d_grid_agree(t->grid, st);
}

/* The network of the file that --model names. */
static h3d_status
find_net(const train *t, const h3d_data_shape *shape, h3d_net **net)
{
  char path[1024];
  h3d_status st;

  *net = NULL;
  st = h3d_net_find(h3d_conf_text(t->o.conf, "model.net"), shape, path,
                    sizeof path);
  return st == H3D_OK ? h3d_net_read(path, shape, net) : st;
}

/* A resumed run keeps its own network; another one that was asked for is
 * named, the same one is not worth a word. */
static h3d_status
keep_net(train *t, const h3d_data_shape *shape, h3d_net **net)
{
  const char *from = h3d_conf_from(t->o.conf, "model.net");
  char *name = h3d_sprintf("%s/model.net", t->o.run);
  h3d_net *other = NULL;
  h3d_status st;

  if (t->dev.dry /* once is enough */
      && (strcmp(from, "--model") == 0 || strcmp(from, "--set") == 0)
      && (find_net(t, shape, &other) != H3D_OK
          || strcmp(other->text, t->ckpt->net) != 0)) {
    h3d_warn("%s keeps its network; \"%s\" is not looked at", t->o.run,
             h3d_conf_text(t->o.conf, "model.net"));
  }
  h3d_net_free(&other);
  st = h3d_net_parse(name, t->ckpt->net, shape, net);
  h3d_free(name);
  return st;
}

static h3d_status
make_model(train *t)
{
  const h3d_conf *c = t->o.conf;
  h3d_net *net = NULL;
  h3d_model_spec spec
    = { .grid = t->grid,
        .dev = &t->dev,
        .transport = &h3d_transport_mpi,
        .data = { .channels = t->info->channels, .targets = t->targets },
        .seed = (uint64_t)h3d_conf_int(c, "train.seed") };
  h3d_status st = H3D_OK;

  memcpy(spec.data.extent, t->info->extent, sizeof spec.data.extent);
  t->batch = h3d_conf_int(c, "train.batch");
  t->accumulate = h3d_conf_int(c, "train.accumulate");
  spec.accumulate = t->accumulate > 1;
  /* Evaluation goes by the same batches; a larger one holds nothing more. */
  spec.batch = t->n_train > t->n_val ? t->n_train : t->n_val;
  spec.batch = spec.batch < t->batch ? spec.batch : t->batch;
  st = t->o.resume ? keep_net(t, &spec.data, &net)
                   : find_net(t, &spec.data, &net);
  H3D_TRY(h3d_grid_agree(t->grid, st));
  H3D_TRY(h3d_model_new(&spec, &net, &t->model));
  h3d_ckpt_set_text(&t->ckpt->net, h3d_model_text(t->model));
done:
  h3d_net_free(&net);
  return st;
}

static h3d_status
make_optim(train *t)
{
  const h3d_conf *c = t->o.conf;
  const char *on = h3d_conf_text(c, "optim.decay_on");
  h3d_optim_spec s = h3d_optim_spec_init();
  h3d_status st = H3D_OK;

  s.kind = h3d_conf_text(c, "optim.kind");
  s.momentum = h3d_conf_real(c, "optim.momentum");
  s.nesterov = h3d_conf_flag(c, "optim.nesterov");
  s.beta1 = h3d_conf_real(c, "optim.beta1");
  s.beta2 = h3d_conf_real(c, "optim.beta2");
  s.eps = h3d_conf_real(c, "optim.eps");
  s.decay = h3d_conf_real(c, "optim.decay");
  s.clip = h3d_conf_real(c, "optim.clip");
  s.decay_all = strcmp(on, "all") == 0;
  if (!s.decay_all && strcmp(on, "weights") != 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "optim.decay_on = %s is not known; use weights or all",
                    on);
  }
  t->rate = (h3d_rate){ .base = h3d_conf_real(c, "optim.lr"),
                        .epochs = (double)h3d_conf_int(c, "train.epochs"),
                        .warmup = h3d_conf_real(c, "optim.warmup"),
                        .from = h3d_conf_real(c, "optim.warmup_from"),
                        .steps_per_epoch = train_steps(t) };
  H3D_TRY(h3d_rate_parse(h3d_conf_text(c, "optim.schedule"), &t->rate));
  H3D_TRY(h3d_optim_new(&s, t->model, &t->optim));
  h3d_ckpt_set_text(&t->ckpt->optimizer, h3d_optim_name(t->optim));
done:
  return st;
}

static h3d_status
loader_spec(const train *t, h3d_loader_spec *out)
{
  const h3d_conf *c = t->o.conf;
  const char *memory = h3d_conf_text(c, "data.memory");
  const h3d_ckpt_data *d = &t->ckpt->data;
  h3d_loader_spec s = { .dataset = t->dataset,
                        .grid = t->grid,
                        .transport = &h3d_transport_mpi,
                        .block = h3d_model_block(t->model),
                        .samples = h3d_model_env(t->model)->samples,
                        .type = t->dev.type,
                        .recipe = d->recipe,
                        .standardize = d->standardize,
                        .stats = d->stats,
                        .targets = t->targets,
                        .target = t->target,
                        .seed = (uint64_t)h3d_conf_int(c, "train.seed"),
                        .limit = h3d_loader_limit(t->grid) };
  double gib;
  h3d_status st = H3D_OK;

  H3D_TRY(h3d_augment_parse(h3d_conf_text(c, "data.augment"), &s.augment));
  if (strcmp(memory, "auto") != 0) {
    H3D_TRY(h3d_parse_real("data.memory (GiB)", memory, &gib));
    if (gib < 0) {
      return h3d_fail(H3D_ERR_USAGE,
                      "data.memory = %s: give GiB, 0 or more, or auto",
                      memory);
    }
    gib = gib < 1e9 ? gib : 1e9; /* a product that a size_t holds */
    s.limit = (size_t)(gib * 1073741824.0);
  }
  *out = s;
done:
  return st;
}

static h3d_status
make_loader(train *t)
{
  h3d_loader_spec s;
  h3d_status st;

  H3D_TRY(loader_spec(t, &s));
  H3D_TRY(h3d_loader_new(&s, &t->loader));
done:
  return st;
}

/* The device anew: a dry one gives no memory. */
static h3d_status
reopen_device(train *t, int dry)
{
  const char *name = t->dev.be->name;
  h3d_type type = t->dev.type;
  h3d_status st;

  h3d_optim_free(&t->optim);
  h3d_model_free(&t->model);
  h3d_device_close(&t->dev);
  st = h3d_grid_agree(t->grid, h3d_device_open(name, type, &t->dev));
  t->dev.dry = dry;
  return st;
}

h3d_status
train_plan(train *t)
{
  h3d_loader_spec s;
  h3d_status st;

  H3D_TRY(reopen_device(t, 1));
  H3D_TRY(make_model(t));
  H3D_TRY(make_optim(t));
  H3D_TRY(h3d_grid_agree(t->grid, loader_spec(t, &s)));
  h3d_loader_plan(&s, &t->memory.need);
  t->memory.keep_limit = (double)s.limit;
done:
  return st;
}

h3d_status
train_setup(train *t)
{
  const int whole[3] = { 1, 1, 1 };
  char path[H3D_CKPT_PATH_MAX] = "";
  h3d_status st = H3D_OK;

  H3D_TRY(h3d_grid_new(MPI_COMM_WORLD, whole, &t->grid));
  H3D_TRY(open_dataset(t));
  H3D_TRY(make_grid(t));
  H3D_TRY(open_device(t));
  H3D_TRY(describe_data(t));
  t->ckpt->type = t->dev.type;
  t->ckpt->order.seed = (uint64_t)h3d_conf_int(t->o.conf, "train.seed");
  t->ckpt->order.batch = h3d_conf_int(t->o.conf, "train.batch");
  t->ckpt->order.best_loss = NAN;
  if (t->o.resume) {
    H3D_TRY(train_resume_read(t, path));
  }
  H3D_TRY(train_memory_plan(t));
  if (t->o.dry_run) {
    goto done; /* planned; nothing is taken */
  }
  H3D_TRY(reopen_device(t, 0));
  H3D_TRY(make_model(t));
  H3D_TRY(make_optim(t));
  H3D_TRY(make_loader(t));
  if (t->o.resume) {
    H3D_TRY(train_resume_load(t, path));
  } else {
    H3D_TRY(train_init(t));
  }
done:
  return st;
}

void
train_release(train *t)
{
  train_run_close(t);
  h3d_loader_free(&t->loader);
  h3d_optim_free(&t->optim);
  h3d_model_free(&t->model);
  h3d_ckpt_free(&t->ckpt);
  h3d_device_close(&t->dev);
  h3d_dataset_close(&t->dataset);
  h3d_free(t->train);
  h3d_free(t->val);
  h3d_free(t->order);
  h3d_free(t->target);
  h3d_free(t->row);
  h3d_free(t->began);
  h3d_grid_free(&t->grid);
}
