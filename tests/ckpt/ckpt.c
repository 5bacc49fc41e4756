/* What one grid saves, any other loads, bit by bit; damage is seen. */
#include "config.h"

#include "base/mem.h"
#include "ckpt/ckpt.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TAP_RANKS("1 2 3 4")

static const char text[] = "input x - channels=data\n"
                           "conv c x out=3 kernel=3\n"
                           "norm n c over=batch\n"
                           "dense f n out=5\n"
                           "dense y f out=targets\n"
                           "mse loss y\n";
static char folder[64];

/* A model and its optimizer on a grid. */
typedef struct rig {
  h3d_grid *grid;
  h3d_device dev;
  h3d_model *model;
  h3d_optim *optim;
} rig;

static int
rig_init(rig *r, int d, int h, h3d_type type, uint64_t seed)
{
  const int space[3] = { d, h, 1 };
  h3d_model_spec spec = { .dev = &r->dev,
                          .transport = &h3d_transport_mpi,
                          .data = { 2, { 8, 4, 4 }, 2 },
                          .batch = 4,
                          .seed = seed };
  h3d_optim_spec optim = h3d_optim_spec_init();
  h3d_net *net = NULL;

  *r = (rig){ 0 };
  return h3d_grid_new(MPI_COMM_WORLD, space, &r->grid) == H3D_OK
         && h3d_device_open("ref", type, &r->dev) == H3D_OK
         && h3d_net_parse("test", text, &spec.data, &net) == H3D_OK
         && (spec.grid = r->grid, 1)
         && h3d_model_new(&spec, &net, &r->model) == H3D_OK
         && h3d_optim_new(&optim, r->model, &r->optim) == H3D_OK;
}

static void
rig_free(rig *r)
{
  h3d_optim_free(&r->optim);
  h3d_model_free(&r->model);
  h3d_device_close(&r->dev);
  h3d_grid_free(&r->grid);
}

/* One step on numbers that depend on global places alone. */
static double
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

static h3d_ckpt *
about(const rig *r)
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
  c = about(&a);
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

/* Flip a byte of a file, counted from its end. */
static void
flip(const char *path, long from_end)
{
  FILE *f = fopen(path, "r+b");
  int c;

  fseek(f, -from_end, SEEK_END);
  c = fgetc(f);
  fseek(f, -from_end, SEEK_END);
  fputc(c ^ 0x40, f);
  fclose(f);
}

/* Find the bytes of a weight in the file, so that the flip hits it. */
static long
where(const char *path, const void *bytes, size_t n)
{
  FILE *f = fopen(path, "rb");
  char *all;
  long size, at = 0;

  fseek(f, 0, SEEK_END);
  size = ftell(f);
  rewind(f);
  all = h3d_new((size_t)size, 1);
  if (fread(all, 1, (size_t)size, f) == (size_t)size) {
    while (at + (long)n <= size && memcmp(all + at, bytes, n) != 0) {
      at++;
    }
  }
  fclose(f);
  h3d_free(all);
  return size - at;
}

static void
test_damage(void)
{
  char path[H3D_CKPT_PATH_MAX], newest[H3D_CKPT_PATH_MAX];
  float mark[4] = { 1.25f, 2.5f, 3.75f, 5 };
  double *whole = NULL;
  const h3d_model_param *list;
  h3d_ckpt *c;
  rig r;

  ok(rig_init(&r, 1, 1, H3D_F32, 1), "a model");
  h3d_model_params(r.model, &list);
  if (tap_rank == 0) {
    whole = h3d_new((size_t)3 * 2 * 27, sizeof *whole);
    for (int i = 0; i < 4; i++) {
      whole[i] = (double)mark[i];
    }
  }
  for (int i = 0; i < h3d_model_params(r.model, &list); i++) {
    if (strcmp(list[i].layer, "c") == 0
        && strcmp(list[i].param->name, "weight") == 0) {
      h3d_model_scatter(r.model, i, whole, h3d_model_base(r.model, i));
    }
  }
  h3d_free(whole);
  c = about(&r);
  for (int64_t epoch = 3; epoch <= 5; epoch++) {
    h3d_ckpt_name(folder, epoch, newest);
    ok(h3d_ckpt_write(newest, c, r.model, r.optim) == H3D_OK, "epoch %d",
       (int)epoch);
  }
  ok(h3d_ckpt_pick(r.grid, folder, path) == H3D_OK && !strcmp(path, newest),
     "the newest is picked");
  if (tap_rank == 0) {
    flip(newest, where(newest, mark, sizeof mark));
  }
  ok(h3d_ckpt_pick(r.grid, folder, path) == H3D_OK
       && strstr(path, "checkpoint-000004.h5"),
     "a flipped bit in a weight: the one before it");
  ok(h3d_ckpt_load(newest, r.model, r.optim) == H3D_ERR_FILE, "%s", h3d_why());
  h3d_ckpt_name(folder, 4, path);
  if (tap_rank == 0) {
    ok(truncate(path, 3000) == 0, "cut off");
  } else {
    ok(1, "cut off");
  }
  ok(h3d_ckpt_pick(r.grid, folder, path) == H3D_OK
       && strstr(path, "checkpoint-000003.h5"),
     "a file cut off: the one before that");
  h3d_ckpt_prune(folder, 1);
  ok(h3d_ckpt_pick(r.grid, folder, path) == H3D_ERR_FILE, "%s", h3d_why());
  h3d_ckpt_free(&c);
  rig_free(&r);
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
  c = about(&r);
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
  int64_t pid = getpid();

  MPI_Bcast(&pid, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  snprintf(folder, sizeof folder, "/tmp/h3d-ckpt-%ld", (long)pid);
  if (tap_rank == 0) {
    mkdir(folder, 0700);
  }
  test_grids(H3D_F32);
  test_grids(H3D_F64);
  test_damage();
  test_refusals();
  if (tap_rank == 0) {
    h3d_ckpt_prune(folder, 0);
    rmdir(folder);
  }
}
