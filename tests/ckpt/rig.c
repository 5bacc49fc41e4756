#include "config.h"

#include "rig.h"

#include "base/mem.h"
#include "model/parts.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char text[] = "input x - channels=data\n"
                           "conv c x out=3 kernel=3\n"
                           "norm n c over=batch\n"
                           "dense f n out=5\n"
                           "dense y f out=targets\n"
                           "mse loss y\n";

int
rig_init(rig *r, int d, int h, h3d_type type, uint64_t seed)
{
  const int space[3] = { d, h, 1 };
  h3d_model_spec spec
    = { .data = { 2, { 8, 4, 4 }, 2 }, .batch = 4, .seed = seed };
  h3d_optim_spec optim = h3d_optim_spec_init();

  *r = (rig){ 0 };
  return parts_open(&(parts){ &r->grid, &r->dev, &r->model }, MPI_COMM_WORLD,
                    space, "ref", type, text, spec)
           == H3D_OK
         && h3d_optim_new(&optim, r->model, &r->optim) == H3D_OK;
}

void
rig_free(rig *r)
{
  h3d_optim_free(&r->optim);
  parts_close(&(parts){ &r->grid, &r->dev, &r->model });
}

double
rig_step(rig *r)
{
  h3d_box b = h3d_model_block(r->model);
  const int64_t *at = b.start + H3D_AXIS_D, *len = b.len + H3D_AXIS_D;
  const size_t real = h3d_type_size(r->dev.type);
  int64_t n, voxels = h3d_box_voxels(&b);
  double loss;
  char *x, *y;

  h3d_model_begin(r->model, 4);
  n = h3d_model_count(r->model);
  x = h3d_new((size_t)(n * voxels * 2), real);
  y = h3d_new((size_t)(n * 2), real);
  for (int64_t i = 0; i < n * voxels * 2; i++) {
    int64_t s = h3d_model_first(r->model) + i / (voxels * 2),
            v = i / 2 % voxels, c = i % 2;
    int64_t d = at[0] + v / (len[1] * len[2]), h = at[1] + v / len[2] % len[1],
            w = at[2] + v % len[2];
    double value = sin((double)(s + 3 * c + 5 * d + 7 * h + 11 * w));

    if (r->dev.type == H3D_F64) {
      ((double *)x)[i] = value;
    } else {
      ((float *)x)[i] = (float)value;
    }
  }
  h3d_model_put_input(r->model, x);
  h3d_model_put_target(r->model, y);
  loss = h3d_model_forward(r->model, 1, h3d_optim_steps(r->optim));
  h3d_model_backward(r->model);
  h3d_optim_step(r->optim, 0.01);
  h3d_free(x);
  h3d_free(y);
  return loss;
}

h3d_ckpt *
rig_about(const rig *r)
{
  h3d_ckpt *c = h3d_ckpt_new(2, 1);

  h3d_ckpt_set_text(&c->config, "[train]\nepochs = 3\n");
  h3d_ckpt_set_text(&c->net, text);
  h3d_ckpt_set_text(&c->history, "epoch\n1\n");
  h3d_ckpt_set_text(&c->optimizer, h3d_optim_name(r->optim));
  c->type = r->dev.type;
  h3d_ckpt_set_text(&c->data.path, "data");
  h3d_ckpt_set_text(&c->data.channel_name[1], "z=1");
  h3d_ckpt_set_text(&c->data.target_name[0], "Omega_m");
  h3d_ckpt_set_text(&c->data.target_unit[0], "km/s/Mpc");
  c->data.identity = 0xfedcba9876543210u;
  c->data.extent[0] = 8;
  c->data.recipe = H3D_RECIPE_LOG1P;
  c->data.standardize = 1;
  c->data.stats[1] = (h3d_channel_stats){ 0.1, 0.2, 0, 3, 0, 0 };
  c->data.target_offset[0] = 0.3;
  c->data.target_scale[0] = 0.1;
  c->data.target_mean[0] = 0.01;
  c->data.trivial = 1.0 / 3;
  c->order = (h3d_ckpt_order){ .seed = 0x8000000000000001u,
                               .epoch = 2,
                               .position = 1,
                               .batch = 4,
                               .step = 7,
                               .loss_sum = 0.1,
                               .metric_sum = 0.2,
                               .seconds = 3.5,
                               .samples = 4,
                               .best_loss = NAN,
                               .best_epoch = 1 };
  return c;
}

void
rig_folder(char out[64])
{
  int64_t pid = getpid();

  MPI_Bcast(&pid, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  snprintf(out, 64, "/tmp/h3d-ckpt-%ld", (long)pid);
  if (tap_rank == 0) {
    mkdir(out, 0700);
  }
}

void
rig_remove(const char *folder)
{
  if (tap_rank == 0) {
    h3d_ckpt_prune(folder, 0);
    rmdir(folder);
  }
}
