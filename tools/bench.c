/* h3d-bench: how long a training step takes, and where the time goes.
 *
 * Input is made of counter-based numbers, so no dataset is needed.  Times are
 * those of the slowest rank.  A step is forward, backward, sums and update:
 * what a training run repeats, but for its input.
 */
#include "config.h"

#include "backend/build.h"
#include "base/agree.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/rng.h"
#include "io/json.h"
#include "model/optim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
  const char *model, *grid, *device, *precision, *optimizer;
  int64_t size, channels, targets, batch, steps, warmup;
  int json;
} options;

#define AT(member) offsetof(options, member)
static const h3d_opt table[] = {
  { "Network", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "model", 'm', H3D_OPT_TEXT, AT(model), "cosmoflow", "WORD|FILE.net",
    "network file, or a word for one of the shipped ones" },
  { "size", 's', H3D_OPT_INT, AT(size), "64", "N", "voxels a side" },
  { "channels", 0, H3D_OPT_INT, AT(channels), "4", "N", "input channels" },
  { "targets", 0, H3D_OPT_INT, AT(targets), "4", "N", "outputs" },
  { "batch", 'b', H3D_OPT_INT, AT(batch), "1", "N", "samples in a step" },
  { "optimizer", 0, H3D_OPT_TEXT, AT(optimizer), "sgd", "WORD",
    "adam, adamw or sgd" },
  { "Machine", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "grid", 'g', H3D_OPT_TEXT, AT(grid), "auto", "DxHxW|auto",
    "ranks that share a sample" },
  { "device", 0, H3D_OPT_TEXT, AT(device), "auto", "auto|ref|cpu",
    "where the network is computed" },
  { "precision", 0, H3D_OPT_TEXT, AT(precision), "fp32", "fp32|fp64",
    "type of all reals" },
  { "Measuring", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "steps", 0, H3D_OPT_INT, AT(steps), "10", "N", "steps measured" },
  { "warmup", 0, H3D_OPT_INT, AT(warmup), "2", "N", "steps before them" },
  { "json", 0, H3D_OPT_FLAG, AT(json), NULL, NULL, "print JSON" },
  { 0 },
};
static const h3d_opts about = {
  .program = "h3d-bench",
  .usage = "[OPTION]... step",
  .about = "Time a training step on made-up input; alone or under mpirun.",
  .table = table,
};

typedef struct bench {
  options o;
  h3d_grid *grid;
  h3d_device dev;
  h3d_model *model;
  h3d_optim *optim;
  int threads;
  double *seconds; /* of each step */
  double span[H3D_SPANS];
} bench;

static h3d_status
parse(int argc, char **argv, options *o, int *done)
{
  const char *what[2];
  int n = 0;
  h3d_status st
    = h3d_opts_parse(&about, argc, argv, o, NULL, what, 2, &n, done);

  if (st != H3D_OK || *done) {
    return st;
  }
  if (n != 1 || strcmp(what[0], "step") != 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "say what to time; there is: h3d-bench step");
  }
  const struct {
    const char *name;
    int64_t value, least, most;
  } range[] = {
    { "steps", o->steps, 1, 100000 },     { "warmup", o->warmup, 0, 100000 },
    { "batch", o->batch, 1, 1 << 20 },    { "size", o->size, 1, 1 << 14 },
    { "channels", o->channels, 1, 1024 }, { "targets", o->targets, 1, 1 << 16 }
  };

  for (unsigned i = 0; i < sizeof range / sizeof range[0]; i++) {
    if (range[i].value < range[i].least || range[i].value > range[i].most) {
      return h3d_fail(H3D_ERR_USAGE, "--%s %lld: choose %lld to %lld",
                      range[i].name, (long long)range[i].value,
                      (long long)range[i].least, (long long)range[i].most);
    }
  }
  return H3D_OK;
}

static h3d_status
setup(bench *b)
{
  options *o = &b->o;
  h3d_data_shape data
    = { o->channels, { o->size, o->size, o->size }, o->targets };
  h3d_model_spec spec = {
    .transport = &h3d_transport_mpi, .data = data, .batch = o->batch, .seed = 1
  };
  h3d_optim_spec optim = h3d_optim_spec_init();
  h3d_type type;
  h3d_net *net = NULL;
  char path[1024];
  int space[3];
  h3d_status st;

  if (!h3d_type_find(o->precision, &type)) {
    return h3d_fail(H3D_ERR_USAGE, "--precision %s is not fp32 or fp64",
                    o->precision);
  }
  H3D_TRY(h3d_agree(MPI_COMM_WORLD,
                    h3d_grid_parse(o->grid, h3d_size(), data.extent, space)));
  H3D_TRY(h3d_grid_new(MPI_COMM_WORLD, space, &b->grid));
  b->threads = h3d_grid_set_threads(MPI_COMM_WORLD);
  H3D_TRY(h3d_grid_agree(b->grid, h3d_device_open(o->device, type, &b->dev)));
  st = h3d_net_find(o->model, &data, path, sizeof path);
  st = st == H3D_OK ? h3d_net_read(path, &data, &net) : st;
  H3D_TRY(h3d_grid_agree(b->grid, st));
  spec.grid = b->grid;
  spec.dev = &b->dev;
  H3D_TRY(h3d_model_new(&spec, &net, &b->model));
  optim.kind = o->optimizer;
  H3D_TRY(h3d_optim_new(&optim, b->model, &b->optim));
  b->seconds = h3d_new((size_t)o->steps, sizeof *b->seconds);
done:
  h3d_net_free(&net);
  return st;
}

static void
put(bench *b, int64_t n, void (*to)(h3d_model *, const void *))
{
  h3d_rng rng = h3d_rng_init(1, H3D_RNG_TEST, 0, (uint64_t)h3d_rank());
  size_t real = h3d_type_size(b->dev.type);
  void *mem = h3d_new((size_t)n, real);

  for (int64_t i = 0; i < n; i++) {
    double x = 2 * h3d_rng_uniform(&rng, (uint64_t)i) - 1;

    if (b->dev.type == H3D_F64) {
      ((double *)mem)[i] = x;
    } else {
      ((float *)mem)[i] = (float)x;
    }
  }
  to(b->model, mem);
  h3d_free(mem);
}

static void
measure(bench *b)
{
  double *span = h3d_model_seconds(b->model);
  h3d_box box;
  int64_t n;

  h3d_model_begin(b->model, b->o.batch);
  box = h3d_model_block(b->model);
  n = h3d_model_count(b->model);
  for (int64_t i = -b->o.warmup; i < b->o.steps; i++) {
    double start;

    if (i <= 0) {
      memset(span, 0, H3D_SPANS * sizeof *span);
    }
    put(b, n * b->o.channels * h3d_box_voxels(&box), h3d_model_put_input);
    put(b, n * b->o.targets, h3d_model_put_target);
    h3d_grid_barrier(b->grid->world);
    start = h3d_clock();
    h3d_model_forward(b->model, 1, i);
    h3d_model_backward(b->model);
    span[H3D_SPAN_UPDATE] -= h3d_clock();
    h3d_optim_step(b->optim, 1e-6);
    span[H3D_SPAN_UPDATE] += h3d_clock();
    if (i >= 0) {
      b->seconds[i] = h3d_grid_max(b->grid->world, h3d_clock() - start);
    }
  }
  for (int s = 0; s < H3D_SPANS; s++) {
    b->span[s] = h3d_grid_max(b->grid->world, span[s]) / (double)b->o.steps;
  }
}

static int
by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

static void
print_json(const bench *b, double median)
{
  h3d_json *j = h3d_json_new(), *spans;
  char *text;

  h3d_json_set_text(j, "model", b->o.model);
  h3d_json_set_int(j, "size", b->o.size);
  h3d_json_set_int(j, "batch", b->o.batch);
  h3d_json_set_int(j, "ranks", b->grid->size);
  h3d_json_set_int(j, "threads", b->threads);
  h3d_json_set_text(j, "device", b->dev.be->name);
  h3d_json_set_real(j, "median", median);
  h3d_json_set_reals(j, "seconds", b->o.steps, b->seconds);
  spans = h3d_json_set_object(j, "spans");
  for (int s = H3D_SPAN_FORWARD; s < H3D_SPANS; s++) {
    h3d_json_set_real(spans, h3d_span_name[s], b->span[s]);
  }
  text = h3d_json_text(j);
  puts(text);
  h3d_free(text);
  h3d_json_free(&j);
}

static void
print(bench *b)
{
  double median;

  qsort(b->seconds, (size_t)b->o.steps, sizeof *b->seconds, by_value);
  median = b->seconds[b->o.steps / 2];
  if (b->grid->rank > 0) {
    return;
  }
  if (b->o.json) {
    print_json(b, median);
    return;
  }
  printf("%s, %d voxels a side, batch %d: %d groups of %dx%dx%d ranks, %d "
         "threads each, %s (%s)\n",
         b->o.model, (int)b->o.size, (int)b->o.batch, b->grid->n[H3D_AXIS_N],
         b->grid->n[H3D_AXIS_D], b->grid->n[H3D_AXIS_H],
         b->grid->n[H3D_AXIS_W], b->threads, b->dev.be->name,
         b->dev.be->about());
  printf("step      median %.4f s, least %.4f, most %.4f; %.2f samples/s\n",
         median, b->seconds[0], b->seconds[b->o.steps - 1],
         (double)b->o.batch / median);
  for (int s = H3D_SPAN_FORWARD; s < H3D_SPANS; s++) {
    printf("%-9s %.4f s\n", h3d_span_name[s], b->span[s]);
  }
}

int
main(int argc, char **argv)
{
  bench b = { 0 };
  int done = 0, status;
  h3d_status st;

  h3d_start(&argc, &argv);
  st = parse(argc, argv, &b.o, &done);
  if (st == H3D_OK && done) {
    h3d_build_answer(&about, done);
  } else if (st == H3D_OK) {
    H3D_TRY(setup(&b));
    measure(&b);
    print(&b);
  }
done:
  status = h3d_exit_status("h3d-bench", st);
  h3d_optim_free(&b.optim);
  h3d_model_free(&b.model);
  h3d_device_close(&b.dev);
  h3d_grid_free(&b.grid);
  h3d_free(b.seconds);
  return h3d_finish(status);
}
