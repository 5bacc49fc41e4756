/* What a run takes of a rank's memory, known before it is taken. */
#include "config.h"

#include "train.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/opt.h"
#include "model/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const names[TRAIN_PARTS]
  = { "program",     "weights", "gradients", "optimizer",
      "activations", "halos",   "scratch",   "work",
      "sums",        "batch",   "samples",   "checkpoint" };

/* Grids of these ranks that are tried when the one that was asked for does
 * not fit. */
enum { TRIES_MOST = 12 };

static const double MIB = 1048576, GIB = 1073741824;

/* Arrays go to rank 0 as doubles and to the file as they are. */
static double
checkpoint_bytes(const train *t)
{
  const h3d_model_param *list;
  int n = h3d_model_params(t->model, &list), root = t->grid->rank == 0;
  double narrow = t->dev.type == H3D_F32 ? sizeof(float) : 0, most = 0;

  for (int i = 0; i < n; i++) {
    double whole = (double)h3d_shard_total(list[i].param);
    double part = (double)list[i].param->size * (sizeof(double) + narrow);
    double bytes = root ? whole * (sizeof(double) + narrow) : 0;

    if (root && whole * sizeof(double) + part > bytes) {
      bytes = whole * sizeof(double) + part;
    }
    bytes = bytes > part ? bytes : part;
    most = bytes > most ? bytes : most;
  }
  return most;
}

static void
add_up(train *t)
{
  train_memory *m = &t->memory;
  h3d_model_memory net;

  h3d_model_memory_about(t->model, &net);
  /* What is there now stays: libraries, the index, convolutions' code. */
  m->part[TRAIN_PROGRAM] = (double)h3d_mem_resident();
  m->part[TRAIN_WEIGHTS] = (double)net.weights;
  m->part[TRAIN_GRADIENTS] = (double)net.gradients;
  m->part[TRAIN_OPTIMIZER] = (double)h3d_optim_memory(t->optim);
  m->part[TRAIN_ACTIVATIONS] = (double)net.activations;
  m->part[TRAIN_HALOS] = (double)net.halos;
  m->part[TRAIN_SCRATCH] = (double)net.scratch;
  m->part[TRAIN_WORK] = (double)net.work;
  m->part[TRAIN_SUMS] = (double)net.sums;
  m->part[TRAIN_BATCH] = (double)m->need.batch + (double)m->need.travel;
  m->part[TRAIN_SAMPLES] = (double)m->need.kept;
  m->part[TRAIN_CHECKPOINT] = checkpoint_bytes(t);
  m->total = 0;
  for (int i = 0; i < TRAIN_PARTS; i++) {
    m->total += m->part[i];
  }
}

/* The parts of the rank that takes most become everyone's. */
static void
share(train *t)
{
  train_memory *m = &t->memory;
  const int n = TRAIN_PARTS + 1;
  double mine[TRAIN_PARTS + 1], *all;
  int most = 0;

  memcpy(mine, m->part, sizeof m->part);
  mine[TRAIN_PARTS] = m->total;
  all = h3d_new((size_t)(n * t->grid->size), sizeof *all);
  h3d_grid_gather(t->grid->world, n, mine, all);
  for (int r = 1; r < t->grid->size; r++) {
    if (all[r * n + TRAIN_PARTS] > all[most * n + TRAIN_PARTS]) {
      most = r;
    }
  }
  memcpy(m->part, all + most * n, sizeof m->part);
  m->most = all[most * n + TRAIN_PARTS];
  h3d_free(all);
}

/* Plans on t's grid; *fits: on every node. */
static h3d_status
plan_grid(train *t, int *fits)
{
  train_memory *m = &t->memory;
  h3d_status st = train_plan(t);

  *fits = 0;
  if (st == H3D_OK) {
    add_up(t);
    m->ranks = (int)h3d_grid_node_sum(t->grid, 1);
    m->node = h3d_grid_node_sum(t->grid, m->total);
    *fits = h3d_grid_max(t->grid->world, m->node > m->limit) == 0;
  }
  return st;
}

/* The least cut of a sample into parts that fits, of at most some tries. */
static int
find_grid(train *t, char *out, size_t size)
{
  h3d_grid *asked = t->grid;
  int ranks = asked->size, tries = 0, fits = 0;
  int least
    = asked->n[H3D_AXIS_D] * asked->n[H3D_AXIS_H] * asked->n[H3D_AXIS_W];

  for (int parts = least + 1; parts <= ranks && !fits && t->dev.be; parts++) {
    for (int h = 1; ranks % parts == 0 && h * h <= parts && !fits; h++) {
      const int space[3] = { parts / h, h, 1 };

      if (parts % h != 0 || tries++ == TRIES_MOST) {
        continue;
      }
      if (h3d_grid_new(MPI_COMM_WORLD, space, &t->grid) == H3D_OK
          && plan_grid(t, &fits) == H3D_OK && fits) {
        snprintf(out, size, "--grid %dx%dx%d", space[0], space[1], space[2]);
      }
      /* What was planned borrows the grid. */
      h3d_optim_free(&t->optim);
      h3d_model_free(&t->model);
      h3d_grid_free(&t->grid);
    }
  }
  t->grid = asked;
  return fits;
}

static h3d_status
refuse(train *t)
{
  const train_memory m = t->memory;
  char way[96], kept[96] = "";

  if (!find_grid(t, way, sizeof way)) {
    snprintf(way, sizeof way, "more nodes or a smaller --batch");
  }
  if (m.part[TRAIN_SAMPLES] > 0) {
    snprintf(kept, sizeof kept,
             ", or --memory-limit below the %.2f GiB of samples that a rank "
             "would keep",
             m.part[TRAIN_SAMPLES] / GIB);
  }
  return h3d_fail(H3D_ERR_MEMORY,
                  "this run would take %.2f GiB of a node, %.2f GiB the "
                  "largest of its %d ranks, and run.memory is %.2f GiB: use "
                  "%s%s, or set run.memory (GiB) if there is more",
                  m.node / GIB, m.most / GIB, m.ranks, m.limit / GIB, way,
                  kept);
}

h3d_status
train_memory_plan(train *t)
{
  const char *text = h3d_conf_text(t->o.conf, "run.memory");
  double gib;
  int fits;
  h3d_status st = H3D_OK;

  t->memory.limit = (double)h3d_mem_machine();
  if (strcmp(text, "auto") != 0) {
    H3D_TRY(h3d_parse_real("run.memory (GiB)", text, &gib));
    if (!(gib > 0)) {
      return h3d_fail(H3D_ERR_USAGE,
                      "run.memory = %s: give GiB above 0, or auto", text);
    }
    t->memory.limit = gib * GIB;
  }
  H3D_TRY(plan_grid(t, &fits));
  share(t);
  if (!fits) {
    st = h3d_grid_agree(t->grid, refuse(t));
  }
done:
  return st;
}

char *
train_memory_text(const train *t)
{
  const train_memory *m = &t->memory;
  char *text = h3d_sprintf("\nmemory planned, MiB, of the rank that takes "
                           "most\n");

  for (int i = 0; i <= TRAIN_PARTS; i++) {
    char *old = text;

    text = h3d_sprintf("%s%-12s %10.1f\n", old,
                       i < TRAIN_PARTS ? names[i] : "together",
                       (i < TRAIN_PARTS ? m->part[i] : m->most) / MIB);
    h3d_free(old);
  }
  return text;
}

/* A dry run has no loader: how the samples fall to groups is not known. */
static void
say_samples(const train *t)
{
  const train_memory *m = &t->memory;
  const int64_t used = t->n_train + t->n_val;
  h3d_loader_about l = { .room = used };

  if (t->loader) {
    h3d_loader_ask(t->loader, &l);
  }
  if (m->need.keep == H3D_KEEP_NOTHING || l.room == 0) {
    h3d_log(
      "input     no sample fits into %.0f MiB a rank: all are read every "
      "epoch (--memory-limit)",
      m->keep_limit / MIB);
  } else if (l.room < used) {
    h3d_log("input     %.0f MiB a rank keep %" PRId64 " of %" PRId64
            " samples; the others are read every epoch (--memory-limit)",
            m->keep_limit / MIB, l.room, used);
  } else {
    h3d_log("input     samples are read once and kept, %.0f MiB a rank at "
            "most, allowed %.0f",
            (double)m->need.kept / MIB, m->keep_limit / MIB);
  }
}

void
train_memory_start(const train *t)
{
  const train_memory *m = &t->memory;

  h3d_log("memory    %.1f MiB a rank at most; %d rank%s of this node take "
          "%.2f of %.2f GiB (run.memory)",
          m->most / MIB, m->ranks, m->ranks > 1 ? "s" : "", m->node / GIB,
          m->limit / GIB);
  say_samples(t);
}

void
train_memory_end(const train *t)
{
  double peak = h3d_grid_max(t->grid->world, (double)h3d_mem_resident_peak());
  double plan = t->memory.most;

  if (peak > 0) {
    h3d_log("memory    peak %.1f MiB of the largest rank, planned %.1f "
            "(%+.1f %%)",
            peak / MIB, plan / MIB, 100 * (plan - peak) / peak);
  }
}
