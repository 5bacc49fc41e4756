/* Every voxel lands in its place: its stored value says where it was. */
#include "config.h"

#include "base/mem.h"
#include "data/loader.h"
#include "data/order.h"
#include "data/target.h"
#include "io/dataset_write.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

TAP_RANKS("1 2 3 4")

enum { CHANNELS = 2, EXTENT = 6, SAMPLES = 7, TARGETS = 3 };
enum { VOXELS = EXTENT * EXTENT * EXTENT };
static const int64_t extent[3] = { EXTENT, EXTENT, EXTENT };
static char folder[64];

/* Different for every voxel of every sample. */
static int16_t
voxel(int64_t sample, int64_t c, int64_t i)
{
  return (int16_t)(((sample * CHANNELS + c) * VOXELS + i) - 1);
}

static void
add_samples(h3d_dataset_writer *w)
{
  int16_t volume[CHANNELS * VOXELS];
  char id[16], source[] = "made";

  for (int s = 0; s < SAMPLES; s++) {
    h3d_sample sample = { .id = id, .source = source, .family = s };
    float target[TARGETS];

    snprintf(id, sizeof id, "s%d", s);
    sample.subset = s < 5 ? H3D_SUBSET_TRAIN : H3D_SUBSET_TEST;
    for (int c = 0; c < CHANNELS; c++) {
      for (int i = 0; i < VOXELS; i++) {
        volume[c * VOXELS + i] = voxel(s, c, i);
      }
    }
    for (int t = 0; t < TARGETS; t++) {
      target[t] = (float)(10 * s + t) + (s == 6 && t == 2 ? NAN : 0);
    }
    ok(h3d_dataset_add(w, &sample, volume, target, NULL) == H3D_OK, "%s: %s",
       id, h3d_why());
  }
}

/* Rank 0 writes all of it, by itself. */
static void
make_dataset(MPI_Comm one)
{
  char *names[] = { "a", "b", "c" }, *units[] = { "", "", "" };
  double zero[TARGETS] = { 0 }, scale[TARGETS] = { 1, 1, 1 };
  h3d_channel_stats stats[CHANNELS]
    = { { .mean = 3, .dev = 2 }, { .mean = -1, .dev = 0.5 } };
  h3d_sample sample[SAMPLES] = { { 0 } };
  char spacing[] = "", command[] = "test", version[] = "0";
  h3d_dataset_info plan = { .samples = SAMPLES,
                            .sample = sample,
                            .channels = CHANNELS,
                            .channel_name = names,
                            .extent = { EXTENT, EXTENT, EXTENT },
                            .elem = H3D_ELEM_I16,
                            .spacing = { 1, 1, 1 },
                            .spacing_unit = spacing,
                            .targets = TARGETS,
                            .target_name = names,
                            .target_unit = units,
                            .target_offset = zero,
                            .target_scale = scale,
                            .stats = stats,
                            .command = command,
                            .version = version };
  h3d_dataset_options options = { 0 };
  h3d_dataset_writer *w = NULL;

  /* Every rank writes a dataset of its own: claims are collective. */
  ok(h3d_dataset_create(one, folder, &plan, SAMPLES, &options, &w) == H3D_OK,
     "%s", h3d_why());
  add_samples(w);
  ok(h3d_dataset_finish(&w, H3D_RECIPE_NONE, 1, stats) == H3D_OK, "%s",
     h3d_why());
}

/* What the network must see at voxel o of channel c. */
static double
wanted(const h3d_move *m, int64_t sample, int c, const int64_t o[3])
{
  const double mean[] = { 3, -1 }, dev[] = { 2, 0.5 };
  int64_t s[3];

  for (int a = 0; a < 3; a++) {
    int q = m->axis[a];
    int64_t t = m->flip[a] ? EXTENT - 1 - o[a] : o[a];

    s[q] = (t + m->shift[q]) % EXTENT;
  }
  return (voxel(sample, c, (s[0] * EXTENT + s[1]) * EXTENT + s[2]) - mean[c])
         / dev[c];
}

/* Of my group's samples of a batch of total. */
static int
batch_is_right(const h3d_loader *l, const h3d_loader_spec *spec, int64_t total,
               const int64_t *sample, int64_t epoch)
{
  int64_t first, n;
  const int64_t *start = spec->block.start + H3D_AXIS_D,
                *len = spec->block.len + H3D_AXIS_D;
  const double *x = h3d_loader_input(l), *y = h3d_loader_target(l);
  int right = 1;

  h3d_order_share(total, spec->grid->n[H3D_AXIS_N], spec->grid->at[H3D_AXIS_N],
                  &first, &n);
  sample += first;
  for (int64_t s = 0; s < n; s++) {
    h3d_move m = h3d_move_none();

    if (epoch >= 0) {
      m = h3d_move_draw(spec->augment, spec->seed, epoch, sample[s], extent);
    }
    for (int64_t i = 0; i < len[0] * len[1] * len[2]; i++) {
      int64_t o[3] = { start[0] + i / (len[1] * len[2]),
                       start[1] + i / len[2] % len[1], start[2] + i % len[2] };

      for (int c = 0; c < CHANNELS; c++) {
        right = right && *x++ == wanted(&m, sample[s], c, o);
      }
    }
    right = right && *y++ == 10.0 * (double)sample[s] + 1;
  }
  return right;
}

/* Two epochs of three samples; room: samples that a group may keep. */
static void
test_batches(const h3d_loader_spec *spec, const char *what, int64_t room)
{
  const int64_t order[2][3] = { { 4, 0, 5 }, { 5, 4, 0 } };
  const double sample = CHANNELS * VOXELS * sizeof(int16_t);
  const int groups = spec->grid->n[H3D_AXIS_N];
  h3d_loader *l = NULL;
  h3d_loader_about about;
  h3d_loader_need need;
  h3d_loader_total sum[3];
  size_t before = h3d_mem_now();

  h3d_loader_plan(spec, &need);
  ok(h3d_loader_new(spec, &l) == H3D_OK, "%s: %s", what, h3d_why());
  ok(h3d_mem_now() - before >= need.batch
       && h3d_mem_now() - before <= need.batch + 8192,
     "%s: takes the %zu bytes planned", what, need.batch);
  h3d_loader_sum(l, &sum[0]);
  for (int epoch = 0; epoch < 2; epoch++) {
    ok(h3d_loader_read(l, 3, order[epoch], epoch) == H3D_OK
         && batch_is_right(l, spec, 3, order[epoch], epoch),
       "%s: epoch %d", what, epoch);
    h3d_loader_sum(l, &sum[1 + epoch]);
  }
  ok(sum[1].asked - sum[0].asked == 3 * sample && sum[2].once == 3 * sample,
     "%s: the first epoch reads each sample once", what);
  ok(room == 0 ? sum[2].asked - sum[1].asked == 3 * sample
               : room < 3 || sum[2].asked == sum[1].asked,
     "%s: the second one reads what it must", what);
  ok(room > 0 || (sum[2].kept == 0 && sum[2].moved == 0), "%s: %g bytes kept",
     what, sum[2].kept);
  ok(h3d_loader_begin(l, 2, order[0], -1) == H3D_OK
       && batch_is_right(l, spec, 3, order[1], 1),
     "%s: a batch under way leaves the last one alone", what);
  ok(h3d_loader_read(l, 2, order[0], -1) == H3D_OK
       && batch_is_right(l, spec, 2, order[0], -1),
     "%s: validation is not moved", what);
  ok(h3d_loader_begin(l, 3, order[0], 1) == H3D_OK
       && h3d_loader_read(l, 2, order[1], 0) == H3D_OK
       && batch_is_right(l, spec, 2, order[1], 0),
     "%s: another batch than begun", what);
  ok(h3d_loader_read(l, 0, NULL, 1) == H3D_OK, "%s: no sample", what);
  ok(h3d_loader_begin(l, 3, order[0], 2) == H3D_OK, "%s: never read", what);
  h3d_loader_ask(l, &about);
  ok(about.room == (room < SAMPLES ? room : SAMPLES) * groups
       && about.kept <= spec->limit,
     "%s: within the limit", what);
  ok(about.kept <= need.kept && need.kept <= spec->limit
       && need.keep == (room > 0 ? H3D_KEEP_BLOCKS : H3D_KEEP_NOTHING),
     "%s: keeps %zu of the %zu bytes planned", what, about.kept, need.kept);
  h3d_loader_free(&l);
}

/* Sample 6 lacks target 2; the last group alone reads it, all must hear. */
static void
test_refusal(h3d_loader_spec spec)
{
  const int target[] = { 2 };
  const int64_t bad[] = { 1, 6 };
  h3d_loader *l = NULL;

  spec.target = target;
  ok(h3d_loader_new(&spec, &l) == H3D_OK, "a loader");
  ok(h3d_loader_read(l, 2, bad, -1) == H3D_ERR_FILE, "all refuse: %s",
     h3d_why());
  ok(h3d_loader_read(l, 1, bad, -1) == H3D_OK, "and can go on");
  h3d_loader_free(&l);
}

static void
test_grid(h3d_dataset *d, const h3d_grid *g)
{
  const int target[] = { 1 };
  const size_t sample = CHANNELS * VOXELS * sizeof(int16_t);
  const h3d_dataset_info *info = h3d_dataset_about(d);
  h3d_dist dist;
  h3d_loader_spec spec = { .dataset = d,
                           .grid = g,
                           .transport = &h3d_transport_mpi,
                           .samples = 3,
                           .type = H3D_F64,
                           .recipe = info->recipe,
                           .standardize = info->standardize,
                           .stats = info->stats,
                           .targets = 1,
                           .target = target,
                           .seed = 11,
                           .limit = 100 * sample };

  for (int a = 0; a < H3D_AXES; a++) {
    int64_t n = a < H3D_AXIS_D ? 1 : EXTENT;

    dist.cut[a] = h3d_cut_init(n, a < H3D_AXIS_D ? 1 : g->n[a], 1);
  }
  spec.block = h3d_dist_box(&dist, g->at);
  test_batches(&spec, "no moves", 100);
  spec.augment = H3D_AUGMENT_CUBE | H3D_AUGMENT_SHIFT;
  test_batches(&spec, "moves", 100);
  spec.limit
    = 2
      * (size_t)(spec.block.len[H3D_AXIS_D] * spec.block.len[H3D_AXIS_H]
                 * spec.block.len[H3D_AXIS_W])
      * CHANNELS * sizeof(int16_t);
  test_batches(&spec, "moves, little memory", 2);
  spec.limit = 0;
  test_batches(&spec, "no memory", 0);
  test_refusal(spec);
}

/* Targets of sample s are 10 s and 10 s + 1. */
static void
test_trivial(h3d_dataset *d)
{
  const int place[] = { 1, 0 };
  const int64_t sample[] = { 0, 2, 4 };
  double mean[2], mse;

  ok(h3d_target_trivial(d, 2, place, 3, sample, mean, &mse) == H3D_OK
       && fabs(mean[0] - 21) < 1e-12 && fabs(mean[1] - 20) < 1e-12,
     "means of the targets");
  ok(fabs(mse - (400 + 0 + 400) / 3.0) < 1e-9,
     "and the error of answering them");
}

void
tap_main(void)
{
  h3d_dataset *d = NULL;
  h3d_grid *g = NULL;
  int space[3] = { tap_size, 1, 1 };

  snprintf(folder, sizeof folder, "/tmp/h3d-loader-%ld-%d", (long)getpid(),
           tap_rank);
  make_dataset(MPI_COMM_SELF);
  ok(h3d_dataset_open(MPI_COMM_SELF, folder, &d) == H3D_OK, "%s", h3d_why());
  for (int cut = 0; cut < 3; cut++) {
    space[0] = cut == 0 ? tap_size : 1;
    space[1] = 1;
    space[2] = cut == 1 ? tap_size : 1;
    ok(h3d_grid_new(MPI_COMM_WORLD, space, &g) == H3D_OK, "grid %dx%dx%d",
       space[0], space[1], space[2]);
    test_grid(d, g);
    h3d_grid_free(&g);
  }
  test_trivial(d);
  h3d_dataset_close(&d);
  ok(h3d_dataset_may_create(folder, 1) == H3D_OK, "may be removed");
  {
    char *rm = h3d_sprintf("%s/index.h5", folder);
    char *shard = h3d_sprintf("%s/shard-00000.h5", folder);

    ok(unlink(rm) == 0 && unlink(shard) == 0 && rmdir(folder) == 0,
       "nothing else was written");
    h3d_free(rm);
    h3d_free(shard);
  }
}
