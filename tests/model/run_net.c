#include "config.h"

#include "model/run_net.h"

#include "base/mem.h"
#include "base/rng.h"
#include "data/order.h"
#include "model/parts.h"
#include "model/shard.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CHANNELS = 4, TARGETS = 2, SEED = 7, TEXT_MAX_ = 8192 };

static void add(char *text, const char *fmt, ...)
  __attribute__((format(printf, 2, 3)));

static void
add(char *text, const char *fmt, ...)
{
  size_t used = strlen(text);
  va_list ap;

  va_start(ap, fmt);
  vsnprintf(text + used, TEXT_MAX_ - used, fmt, ap);
  va_end(ap);
}

/* One block: convolution, norm, activation, and a pool where asked. */
static void
add_block(char *text, const run_shape *s, int i, int pool, char *from)
{
  static const int channels[] = { 16, 32, 64, 128, 256, 256, 256 };

  add(text, "conv c%d %s out=%d bias=no%s\n", i, from,
      channels[i - 1] / s->divide, i == 4 ? " stride=2" : "");
  if (s->norm) {
    add(text, "norm n%d c%d\n", i, i);
  }
  add(text, "act a%d %c%d %s\n", i, s->norm ? 'n' : 'c', i, s->act);
  snprintf(from, 16, "a%d", i);
  if (pool) {
    add(text, "pool p%d a%d op=mean kernel=3 stride=2 padding=1\n", i, i);
    snprintf(from, 16, "p%d", i);
  }
}

static void
add_dense(char *text, const run_shape *s, int i, int out, char *from)
{
  if (s->drop > 0) {
    add(text, "dropout d%d %s drop=%g\n", i, from, s->drop);
    snprintf(from, 16, "d%d", i);
  }
  if (out == 0) {
    add(text, "dense y %s out=targets bias_init=0.1\n", from);
    return;
  }
  add(text, "dense f%d %s out=%d bias_init=0.1\nact b%d f%d %s\n", i, from,
      out / s->divide, i, i, s->act);
  snprintf(from, 16, "b%d", i);
}

/* As many pools as lead to 2 voxels a side: the papers' 128 has five. */
static int
pools_of(int64_t size)
{
  int pools = 0;

  for (size /= 4; size > 1; size /= 2) {
    pools++;
  }
  return pools;
}

char *
run_net_text(const run_shape *s)
{
  char *text = h3d_new(TEXT_MAX_, 1), from[16] = "x";

  add(text, "input x - channels=data\n");
  for (int i = 1; i <= 7; i++) {
    add_block(text, s, i, i <= pools_of(s->size), from);
  }
  add_dense(text, s, 1, 2048, from);
  add_dense(text, s, 2, 256, from);
  add_dense(text, s, 3, 0, from);
  add(text, "mse loss y\n");
  return text;
}

static double
target_of(int64_t sample, int t)
{
  h3d_rng r = h3d_rng_init(SEED, H3D_RNG_TEST, 1, 0);

  return 2 * h3d_rng_uniform(&r, (uint64_t)(sample * TARGETS + t)) - 1;
}

static void
store(run_state *s, void *mem, size_t i, double x)
{
  if (s->dev.type == H3D_F64) {
    ((double *)mem)[i] = x;
  } else {
    ((float *)mem)[i] = (float)x;
  }
}

/* Noise of width 1 + t1/2 around t0, by global index. */
static void
fill_sample(run_state *s, const h3d_box *b, int64_t sample, size_t at)
{
  h3d_rng r = h3d_rng_init(SEED, H3D_RNG_TEST, 2, (uint64_t)sample);
  double mean = target_of(sample, 0), width = 1 + target_of(sample, 1) / 2;
  int64_t n = s->spec->shape.size;
  const int64_t *from = &b->start[H3D_AXIS_D], *len = &b->len[H3D_AXIS_D];

  for (int64_t d = from[0]; d < from[0] + len[0]; d++) {
    for (int64_t h = from[1]; h < from[1] + len[1]; h++) {
      for (int64_t w = from[2]; w < from[2] + len[2]; w++) {
        for (int c = 0; c < CHANNELS; c++, at++) {
          uint64_t i = (uint64_t)(((d * n + h) * n + w) * CHANNELS + c);

          /* A float, so that both types see the same numbers. */
          store(s, s->input, at,
                (float)(mean + width * (2 * h3d_rng_uniform(&r, i) - 1)));
        }
      }
    }
  }
}

double
run_forward(run_state *s, const int64_t *order, int64_t n, int training,
            int64_t step)
{
  h3d_box b;
  int64_t first;

  h3d_model_begin(s->model, n);
  b = h3d_model_block(s->model);
  first = h3d_model_first(s->model);
  for (int64_t i = 0; i < h3d_model_count(s->model); i++) {
    int64_t sample = order[first + i];

    fill_sample(s, &b, sample, (size_t)(i * CHANNELS * h3d_box_voxels(&b)));
    for (int t = 0; t < TARGETS; t++) {
      store(s, s->target, (size_t)(i * TARGETS + t),
            (float)target_of(sample, t));
    }
  }
  h3d_model_put_input(s->model, s->input);
  h3d_model_put_target(s->model, s->target);
  return h3d_model_forward(s->model, training, step);
}

void
run_update(run_state *s)
{
  h3d_optim_step(s->optim, s->spec->lr);
}

h3d_status
run_open(MPI_Comm comm, const run_spec *spec, run_state *s)
{
  int64_t n = spec->shape.size;
  h3d_model_spec m = { .data = { CHANNELS, { n, n, n }, TARGETS },
                       .batch = spec->batch,
                       .seed = SEED };
  h3d_optim_spec o = h3d_optim_spec_init();
  char *text = run_net_text(&spec->shape);
  size_t voxels;
  h3d_box b;
  h3d_status st;

  memset(s, 0, sizeof *s);
  s->spec = spec;
  H3D_TRY(parts_open(&(parts){ &s->grid, &s->dev, &s->model }, comm,
                     spec->space, spec->device, spec->type, text, m));
  o.kind = spec->optimizer;
  H3D_TRY(h3d_optim_new(&o, s->model, &s->optim));
  b = h3d_model_block(s->model);
  voxels = (size_t)(h3d_box_voxels(&b) * spec->batch);
  s->input = h3d_new(voxels * CHANNELS, sizeof(double));
  s->target = h3d_new((size_t)spec->batch * TARGETS, sizeof(double));
done:
  h3d_free(text);
  return st;
}

void
run_close(run_state *s)
{
  h3d_optim_free(&s->optim);
  parts_close(&(parts){ &s->grid, &s->dev, &s->model });
  h3d_free(s->input);
  h3d_free(s->target);
}

/* Norms of the gradient, and the numbers themselves on rank 0. */
static void
keep_gradient(run_state *s, run_result *r)
{
  const h3d_model_param *list;
  int n = h3d_model_params(s->model, &list);
  int64_t total = 0;

  r->norm = h3d_model_gradient_norm(s->model);
  for (int i = 0; i < n && r->params < RUN_PARAMS; i++) {
    if (list[i].param->role != H3D_ROLE_STATE) {
      r->param_norm[r->params] = h3d_model_param_gradient_norm(s->model, i);
      r->size[r->params++] = h3d_shard_total(list[i].param);
      total += h3d_shard_total(list[i].param);
    }
  }
  r->gradient = h3d_new((size_t)total, sizeof *r->gradient);
  total = 0;
  for (int i = 0; i < r->params; i++) {
    h3d_model_gather(s->model, i, h3d_model_gradients(s->model),
                     r->gradient + total);
    total += r->size[i];
  }
}

void
run_epochs(run_state *s, int first, int last, run_result *r)
{
  int64_t n = s->spec->samples, batch = s->spec->batch;
  int64_t *all = h3d_new((size_t)n, sizeof *all);
  int64_t *order = h3d_new((size_t)n, sizeof *order);

  for (int64_t i = 0; i < n; i++) {
    all[i] = i;
  }
  for (int e = first; e < last; e++) {
    h3d_order_epoch(SEED, e, n, all, order);
    r->train[e] = 0;
    for (int64_t b = 0; b < h3d_order_batches(n, batch); b++) {
      int64_t at, count;
      double loss;

      h3d_order_batch(n, batch, b, &at, &count);
      loss = run_forward(s, order + at, count, 1,
                         e * h3d_order_batches(n, batch) + b);
      h3d_model_backward(s->model);
      if (e == 0 && b == 0) {
        r->first_loss = loss;
        keep_gradient(s, r);
      }
      run_update(s);
      r->train[e] += loss * (double)count / (double)n;
    }
  }
  r->eval = 0;
  for (int64_t b = 0; b < h3d_order_batches(n, batch); b++) {
    int64_t at, count;

    h3d_order_batch(n, batch, b, &at, &count);
    r->eval
      += run_forward(s, all + at, count, 0, 0) * (double)count / (double)n;
  }
  h3d_free(all);
  h3d_free(order);
}

void
run_net(MPI_Comm comm, const run_spec *spec, run_result *r)
{
  run_state s;

  memset(r, 0, sizeof *r);
  r->st = run_open(comm, spec, &s);
  if (r->st == H3D_OK) {
    run_epochs(&s, 0, spec->epochs, r);
  }
  run_close(&s);
}

void
run_net_alone(const run_spec *spec, run_result *r)
{
  run_spec one = *spec;
  int rank;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  one.space[0] = one.space[1] = one.space[2] = 1;
  memset(r, 0, sizeof *r);
  if (rank == 0) {
    run_net(MPI_COMM_SELF, &one, r);
  }
  MPI_Bcast(r, (int)sizeof *r, MPI_BYTE, 0, MPI_COMM_WORLD);
  r->gradient = rank == 0 ? r->gradient : NULL;
}
