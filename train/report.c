#include "config.h"

#include "train.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/shard.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double MIB = 1048576;

void
train_warn_singletons(void)
{
  static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                       "PMIX_SIZE", "SLURM_STEP_NUM_TASKS" };

  for (int i = 0; i < 4 && h3d_size() == 1; i++) {
    const char *text = getenv(names[i]);

    if (text && strtol(text, NULL, 10) > 1) {
      h3d_warn("%s = %s, but this MPI sees one rank: the launcher starts "
               "separate jobs; use the mpirun of the MPI that h3d was built "
               "with (or srun --mpi=pmix)",
               names[i], text);
      return;
    }
  }
}

/* Trained weights, all ranks together. */
static int64_t
weights(const train *t)
{
  const h3d_model_param *list;
  int n = h3d_model_params(t->model, &list);
  int64_t total = 0;

  for (int i = 0; i < n; i++) {
    const h3d_param *p = list[i].param;

    total += p->role != H3D_ROLE_STATE ? h3d_shard_total(p) : 0;
  }
  return total;
}

void
train_report_start(const train *t)
{
  const h3d_grid *g = t->grid;
  const h3d_dataset_info *i = t->info;
  const int groups = g->n[H3D_AXIS_N];

  h3d_log("data      %s: %" PRId64 " train, %" PRId64
          " validation samples of %d x %" PRId64 " x %" PRId64 " x %" PRId64,
          t->ckpt->data.path, t->n_train, t->n_val, i->channels, i->extent[0],
          i->extent[1], i->extent[2]);
  h3d_log("grid      %d %s of %d x %d x %d %s, %d %s each", groups,
          groups == 1 ? "group" : "groups", g->n[H3D_AXIS_D], g->n[H3D_AXIS_H],
          g->n[H3D_AXIS_W], g->size == 1 ? "rank" : "ranks", t->threads,
          t->threads == 1 ? "thread" : "threads");
  h3d_log("device    %s %s (%s)", t->dev.be->name, h3d_type_name(t->dev.type),
          t->dev.be->about());
  h3d_log("network   %s: %" PRId64 " weights, %s",
          h3d_conf_text(t->o.conf, "model.net"), weights(t),
          h3d_optim_name(t->optim));
  if (t->began) {
    h3d_log("init      %s", t->began);
  }
  train_memory_start(t);
  h3d_log("trivial   answering the mean of the training targets has loss "
          "%.6g; a network must fall below it",
          t->ckpt->data.trivial);
  if (t->batch < groups) {
    h3d_warn("batches of %" PRId64 " leave %d of %d groups idle; raise "
             "--batch or cut samples further with --grid",
             t->batch, groups - (int)t->batch, groups);
  }
  if (t->n_val == 0) {
    h3d_warn("no validation samples: the best epoch is judged by the "
             "training loss");
  }
  if (t->o.dry_run) {
    char *plan = h3d_model_plan_text(t->model);
    char *memory = train_memory_text(t);

    h3d_log("%s%s", plan, memory);
    h3d_free(memory);
    h3d_free(plan);
  }
}

void
train_report_time(const train *t, double step_seconds)
{
  double steps = (double)train_steps(t);
  /* Validation is about the forward third of a step. */
  double epoch
    = steps * step_seconds * (1 + (double)t->n_val / (double)t->n_train / 3);
  double epochs = (double)h3d_conf_int(t->o.conf, "train.epochs");
  char one[32], all[32], each[32];

  h3d_log("time      about %s a step, %s an epoch, %s in all",
          h3d_clock_text(step_seconds, each), h3d_clock_text(epoch, one),
          h3d_clock_text(epoch * epochs, all));
}

/* A network that only learnt the mean, or not even that: say it while there is
 * time.  Dropout raises the training loss, so a validation loss that fell
 * speaks for it. */
static void
warn_trivial(train *t, const train_row *r)
{
  double level = 0.95 * t->ckpt->data.trivial;
  double loss = r->v[ROW_TRAIN_LOSS];

  if (t->n_val > 0 && r->v[ROW_VAL_LOSS] < loss) {
    loss = r->v[ROW_VAL_LOSS];
  }
  if (t->warned || r->v[ROW_EPOCH] < 3 || loss < level || level <= 0) {
    return;
  }
  t->warned = 1;
  if (loss > 1.05 * t->ckpt->data.trivial) {
    h3d_warn("after %.0f epochs the loss %.4g is above that of the trivial "
             "predictor (%.4g): answering the mean would be better. Try a "
             "lower --lr (now %g), --warmup, --clip, or batch norm",
             r->v[ROW_EPOCH], loss, t->ckpt->data.trivial, t->lr);
    return;
  }
  h3d_warn("after %.0f epochs the loss %.4g is still that of the trivial "
           "predictor (%.4g): the network has learnt the mean only. "
           "Try another --lr (now %g) by factors of 3, --warmup, batch norm, "
           "or check that the targets belong to the volumes (h3d-info)",
           r->v[ROW_EPOCH], loss, t->ckpt->data.trivial, t->lr);
}

void
train_report_epoch(train *t, const train_row *r, int best)
{
  const char *metric = h3d_model_metric_name(t->model);

  h3d_log("epoch %4.0f  loss %-11.6g val_loss %-11.6g %s %-11.6g val_%s "
          "%-11.6g %.1f s, %.1f samples/s%s",
          r->v[ROW_EPOCH], r->v[ROW_TRAIN_LOSS], r->v[ROW_VAL_LOSS], metric,
          r->v[ROW_TRAIN_METRIC], metric, r->v[ROW_VAL_METRIC],
          r->v[ROW_SECONDS], r->v[ROW_SPEED], best ? "  best" : "");
  warn_trivial(t, r);
}

void
train_report_end(const train *t)
{
  const h3d_ckpt_order *o = &t->ckpt->order;
  h3d_loader_total sum;

  train_memory_end(t);
  h3d_loader_sum(t->loader, &sum);
  h3d_log("read      %.1f MiB of voxels (each once: %.1f MiB) in %.1f MiB of "
          "chunks; %.1f MiB between ranks; steps waited for input %.1f %% of "
          "their time",
          sum.asked / MIB, sum.once / MIB, sum.touched / MIB, sum.moved / MIB,
          t->seconds > 0 ? 100 * t->waited / t->seconds : 0);
  if (h3d_rank() == 0 && !isnan(o->best_loss)) {
    fprintf(stdout,
            "%s: %" PRId64 " epochs, %" PRId64 " steps, best epoch %" PRId64
            " with %s loss %.6g\n",
            t->o.run, o->epoch, o->step, o->best_epoch,
            t->n_val > 0 ? "validation" : "training", o->best_loss);
  }
}
