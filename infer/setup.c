#include "config.h"

#include "infer.h"

#include "base/log.h"
#include "base/mem.h"
#include "data/order.h"
#include "data/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static h3d_status
read_checkpoint(infer *x)
{
  const infer_options *o = &x->o;
  h3d_status st = H3D_OK;

  if (o->checkpoint) {
    snprintf(x->path, sizeof x->path, "%s", o->checkpoint);
  } else if (o->last) {
    H3D_TRY(h3d_ckpt_pick(x->grid, o->run, x->path));
  } else {
    snprintf(x->path, sizeof x->path, "%s/best.h5", o->run);
  }
  H3D_TRY(h3d_ckpt_read(x->grid, x->path, &x->ckpt));
  x->targets = x->ckpt->data.targets;
done:
  return st;
}

static h3d_status
open_device(infer *x)
{
  const char *word = x->o.precision;
  h3d_type type;
  h3d_status st;

  if (strcmp(word, "checkpoint") == 0) {
    type = x->ckpt->type;
  } else if (!h3d_type_find(word, &type)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--precision=%s is not known; use fp32, fp64 or "
                    "checkpoint",
                    word);
  }
  h3d_grid_set_threads(x->grid->world);
  st = h3d_device_open(x->o.device, type, &x->dev);
  return h3d_grid_agree(x->grid, st);
}

/* Can the network read these samples? */
static h3d_status
check_data(const infer *x, const char *path)
{
  const h3d_ckpt_data *d = &x->ckpt->data;
  const h3d_dataset_info *i = x->info;

  if (i->channels != d->channels) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "%s has %d channels, the network of %s was trained on %d: "
                    "preprocess the same ones",
                    path, i->channels, x->path, d->channels);
  }
  if (memcmp(i->extent, d->extent, sizeof d->extent) != 0) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "%s has samples of %" PRId64 "x%" PRId64 "x%" PRId64
                    ", %s was trained on %" PRId64 "x%" PRId64 "x%" PRId64
                    ": preprocess with --subvolume to that extent",
                    path, i->extent[0], i->extent[1], i->extent[2], x->path,
                    d->extent[0], d->extent[1], d->extent[2]);
  }
  for (int c = 0; c < d->channels; c++) {
    if (strcmp(i->channel_name[c], d->channel_name[c]) != 0) {
      h3d_warn("channel %d is \"%s\" here and \"%s\" in training", c,
               i->channel_name[c], d->channel_name[c]);
    }
  }
  return H3D_OK;
}

static h3d_status
choose_samples(infer *x, const char *path)
{
  const char *word = x->o.subset;
  int all = strcmp(word, "all") == 0, s = 0;

  while (!all && s < H3D_SUBSETS
         && strcmp(word, h3d_subset_name((h3d_subset)s)) != 0) {
    s++;
  }
  if (s == H3D_SUBSETS) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--subset=%s is not known; use test, train, validation "
                    "or all",
                    word);
  }
  x->sample = h3d_new((size_t)x->info->samples, sizeof *x->sample);
  if (all) {
    x->n = x->info->samples;
    for (int64_t i = 0; i < x->n; i++) {
      x->sample[i] = i;
    }
  } else {
    x->n = h3d_order_subset(x->info, (h3d_subset)s, x->sample);
  }
  if (x->n == 0) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s has no samples in subset %s; choose another with "
                    "--subset",
                    path, word);
  }
  return H3D_OK;
}

static h3d_status
open_dataset(infer *x)
{
  const h3d_ckpt_data *d = &x->ckpt->data;
  const char *path = x->o.data ? x->o.data : d->path;
  h3d_status st = H3D_OK;

  H3D_TRY(h3d_dataset_open(x->grid->world, path, &x->dataset));
  x->info = h3d_dataset_about(x->dataset);
  H3D_TRY(check_data(x, path));
  H3D_TRY(choose_samples(x, path));
  x->place = h3d_new((size_t)x->targets, sizeof *x->place);
  x->has_truth = h3d_target_find(x->info, x->targets,
                                 (const char *const *)d->target_name, x->place)
                 == H3D_OK;
  if (!x->has_truth) {
    h3d_log("truth     %s does not know all of the network's targets: "
            "predictions without scores",
            path);
  }
done:
  return st;
}

static h3d_status
make_model(infer *x)
{
  h3d_net *net = NULL;
  h3d_model_spec spec
    = { .grid = x->grid,
        .dev = &x->dev,
        .transport = &h3d_transport_mpi,
        .data = { .channels = x->info->channels, .targets = x->targets },
        .batch = x->n < x->o.batch ? x->n : x->o.batch,
        .seed = x->ckpt->order.seed,
        .inference = 1 };
  h3d_status st = H3D_OK;

  memcpy(spec.data.extent, x->info->extent, sizeof spec.data.extent);
  H3D_TRY(h3d_grid_agree(
    x->grid, h3d_net_parse(x->path, x->ckpt->net, &spec.data, &net)));
  H3D_TRY(h3d_model_new(&spec, &net, &x->model));
  H3D_TRY(h3d_ckpt_load(x->path, x->model, NULL));
done:
  h3d_net_free(&net);
  return st;
}

static h3d_status
make_loader(infer *x)
{
  const h3d_ckpt_data *d = &x->ckpt->data;
  /* Each sample is read once: nothing is worth keeping. */
  h3d_loader_spec s = { .dataset = x->dataset,
                        .grid = x->grid,
                        .transport = &h3d_transport_mpi,
                        .block = h3d_model_block(x->model),
                        .samples = h3d_model_env(x->model)->samples,
                        .type = x->dev.type,
                        .recipe = d->recipe,
                        .standardize = d->standardize,
                        .stats = d->stats };

  return h3d_loader_new(&s, &x->loader);
}

static void
report(const infer *x)
{
  const h3d_grid *g = x->grid;
  h3d_model_memory m;

  h3d_model_memory_about(x->model, &m);
  h3d_log("network   %s, epoch %" PRId64 ", %d targets", x->path,
          x->ckpt->order.epoch, x->targets);
  h3d_log("data      %s: %" PRId64 " samples (%s)",
          x->o.data ? x->o.data : x->ckpt->data.path, x->n, x->o.subset);
  h3d_log("grid      %d groups of %d x %d x %d ranks, %s %s, %.1f MiB a rank",
          g->n[H3D_AXIS_N], g->n[H3D_AXIS_D], g->n[H3D_AXIS_H],
          g->n[H3D_AXIS_W], x->dev.be->name, h3d_type_name(x->dev.type),
          (double)m.total / 1048576);
}

h3d_status
infer_setup(infer *x)
{
  const int whole[3] = { 1, 1, 1 };
  int space[3];
  h3d_status st = H3D_OK;

  H3D_TRY(h3d_grid_new(MPI_COMM_WORLD, whole, &x->grid));
  H3D_TRY(infer_may_create(x));
  H3D_TRY(read_checkpoint(x));
  H3D_TRY(
    h3d_grid_parse(x->o.grid, x->grid->size, x->ckpt->data.extent, space));
  h3d_grid_free(&x->grid);
  H3D_TRY(h3d_grid_new(MPI_COMM_WORLD, space, &x->grid));
  H3D_TRY(open_dataset(x));
  H3D_TRY(open_device(x));
  H3D_TRY(make_model(x));
  H3D_TRY(make_loader(x));
  report(x);
done:
  return st;
}

void
infer_release(infer *x)
{
  h3d_loader_free(&x->loader);
  h3d_model_free(&x->model);
  h3d_device_close(&x->dev);
  h3d_dataset_close(&x->dataset);
  h3d_ckpt_free(&x->ckpt);
  h3d_free(x->sample);
  h3d_free(x->place);
  h3d_free(x->truth);
  h3d_free(x->predicted);
  h3d_grid_free(&x->grid);
}
