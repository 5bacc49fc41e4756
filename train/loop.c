#include "config.h"

#include "train.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"
#include "data/order.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>

/* A signal asks for an end; the step under way is finished first. */
static volatile sig_atomic_t asked;

static void
ask(int signal)
{
  asked = signal;
}

static void
catch_signals(void)
{
  /* SIGUSR1: what batch systems send before their time limit. */
  static const int caught[] = { SIGINT, SIGTERM, SIGUSR1 };
  /* The second one ends the program at once. */
  struct sigaction a = { .sa_handler = ask, .sa_flags = (int)SA_RESETHAND };

  for (int i = 0; i < 3; i++) {
    sigaction(caught[i], &a, NULL);
  }
}

enum { LONG_EPOCH = 120 }; /* seconds */

/* Weighted sums of what batches report. */
typedef struct sums {
  double loss, metric;
  int64_t samples;
} sums;

static void
sums_add(sums *s, const h3d_model *m, double loss, int64_t n)
{
  s->loss += loss * (double)n;
  s->metric += h3d_model_metric(m) * (double)n;
  s->samples += n;
}

/* Batch b of an order into the model, the first of its step's batches being
 * batch from; the next batch may travel meanwhile.  Collective. */
static h3d_status
feed(train *t, int64_t n, const int64_t *order, int64_t from, int64_t b,
     int64_t epoch, int64_t *count)
{
  h3d_model *m = t->model;
  int64_t first, begin, next;
  double start = h3d_clock();
  h3d_status st = H3D_OK;

  h3d_order_batch(n, t->batch, from, &begin, count);
  h3d_order_batch(n, t->batch, b, &first, count);
  h3d_model_begin_part(m, first - begin, *count);
  H3D_TRY(h3d_loader_read(t->loader, *count, order + first, epoch));
  h3d_model_put_input(m, h3d_loader_input(t->loader));
  h3d_model_put_target(m, h3d_loader_target(t->loader));
  if (b + 1 < h3d_order_batches(n, t->batch)) {
    h3d_order_batch(n, t->batch, b + 1, &first, &next);
    H3D_TRY(h3d_loader_begin(t->loader, next, order + first, epoch));
  }
  h3d_model_seconds(m)[H3D_SPAN_INPUT] += h3d_clock() - start;
done:
  return st;
}

/* Where to go back to when numbers broke, in the step-th step. */
static h3d_status
not_finite(train *t, const char *what, int64_t step)
{
  const h3d_ckpt_order *o = &t->ckpt->order;
  const char *layer = h3d_model_nonfinite_layer(t->model);
  int64_t back = o->epoch / h3d_conf_int(t->o.conf, "run.checkpoint_every")
                 * h3d_conf_int(t->o.conf, "run.checkpoint_every");
  char name[H3D_CKPT_PATH_MAX] = "its start";

  if (back > 0) {
    h3d_ckpt_name(t->o.run, back, name);
  }
  return h3d_fail(H3D_ERR_BACKEND,
                  "the %s of step %" PRId64 " (epoch %" PRId64
                  ") is not finite; first layer with such an output: %s; go "
                  "back to %s with a lower --lr (now %g) or with --clip",
                  what, step, o->epoch + 1, layer ? layer : "none", name,
                  t->lr);
}

/* Batch b of the step of batches [from, to), all samples together. */
static h3d_status
add_batch(train *t, int64_t from, int64_t b, int64_t to, int64_t all, sums *s)
{
  h3d_ckpt_order *o = &t->ckpt->order;
  int64_t count;
  size_t calls;
  double loss;
  h3d_status st = H3D_OK;

  H3D_TRY(feed(t, t->n_train, t->order, from, b, o->epoch, &count));
  calls = h3d_mem_calls();
  loss = h3d_model_forward(t->model, 1, o->step);
  if (!isfinite(loss)) {
    return not_finite(t, "loss", o->step + 1);
  }
  h3d_model_backward_part(t->model, (double)count / (double)all, b == from,
                          b == to - 1);
  if (!h3d_model_gradients_are_finite(t->model)) {
    return not_finite(t, "gradient", o->step + 1);
  }
  sums_add(s, t->model, loss, count);
  H3D_ASSERT(h3d_mem_calls() == calls); /* only input may take memory */
done:
  return st;
}

static h3d_status
step(train *t, int64_t from, int64_t to, sums *s)
{
  h3d_ckpt_order *o = &t->ckpt->order;
  double *span = h3d_model_seconds(t->model), start, norm;
  sums mine = { 0 };
  int64_t first, last, count;
  size_t calls;
  h3d_status st = H3D_OK;

  memset(span, 0, H3D_SPANS * sizeof *span);
  h3d_order_batch(t->n_train, t->batch, from, &first, &count);
  h3d_order_batch(t->n_train, t->batch, to - 1, &last, &count);
  t->lr = h3d_rate_at(&t->rate, o->step);
  for (int64_t b = from; b < to; b++) {
    H3D_TRY(add_batch(t, from, b, to, last + count - first, &mine));
  }
  start = h3d_clock();
  calls = h3d_mem_calls();
  norm = h3d_optim_step(t->optim, t->lr);
  span[H3D_SPAN_UPDATE] = h3d_clock() - start;
  s->loss += mine.loss;
  s->metric += mine.metric;
  s->samples += mine.samples;
  t->waited += span[H3D_SPAN_INPUT];
  o->step++;
  o->position = to;
  train_run_step(t, mine.loss / (double)mine.samples, mine.samples, norm);
  H3D_ASSERT(h3d_mem_calls() == calls);
done:
  return st;
}

/* Every sample once, as it is. */
static h3d_status
validate(train *t, sums *s)
{
  double start = h3d_clock();
  int64_t count;
  h3d_status st = H3D_OK;

  *s = (sums){ 0 };
  for (int64_t b = 0; b < h3d_order_batches(t->n_val, t->batch); b++) {
    H3D_TRY(feed(t, t->n_val, t->val, b, b, -1, &count));
    sums_add(s, t->model, h3d_model_forward(t->model, 0, 0), count);
  }
  t->val_seconds = h3d_clock() - start;
done:
  return st;
}

static h3d_status
save(train *t)
{
  char path[H3D_CKPT_PATH_MAX];
  h3d_status st = H3D_OK;

  h3d_ckpt_name(t->o.run, t->ckpt->order.epoch, path);
  H3D_TRY(h3d_ckpt_write(path, t->ckpt, t->model, t->optim));
  h3d_ckpt_prune(t->o.run, h3d_conf_int(t->o.conf, "run.keep"));
  h3d_verbose("checkpoint %s", path);
done:
  return st;
}

/* 1 when the best epoch lies --patience epochs back.  All of it stands in the
 * checkpoint, so going on keeps the count. */
static int
is_out_of_patience(const train *t)
{
  const h3d_ckpt_order *o = &t->ckpt->order;
  int64_t patience = h3d_conf_int(t->o.conf, "train.patience");

  return patience > 0 && o->epoch - o->best_epoch >= patience;
}

/* Nothing has no mean: nan, without a sign that some readers stumble over. */
static double
mean_of(double sum, int64_t samples)
{
  return samples > 0 ? sum / (double)samples : (double)NAN;
}

/* The epoch's row, the best so far, checkpoints. */
static h3d_status
end_epoch(train *t, const sums *s, double seconds)
{
  h3d_ckpt_order *o = &t->ckpt->order;
  char *best_path = h3d_sprintf("%s/best.h5", t->o.run);
  int64_t epochs = h3d_conf_int(t->o.conf, "train.epochs");
  sums v;
  double judge;
  int best;
  h3d_status st = H3D_OK;

  H3D_TRY(validate(t, &v));
  if (!h3d_model_weights_are_finite(t->model) || !isfinite(v.loss)) {
    st = not_finite(t, "network or its validation loss", o->step);
    goto done;
  }
  o->epoch++;
  o->position = 0;
  t->row = h3d_grow(t->row, (size_t)t->rows + 1, sizeof *t->row);
  t->row[t->rows++]
    = (train_row){ { (double)o->epoch, (double)o->step, t->lr,
                     s->loss / (double)s->samples, mean_of(v.loss, v.samples),
                     s->metric / (double)s->samples,
                     mean_of(v.metric, v.samples), seconds + t->val_seconds,
                     (double)s->samples / seconds } };
  /* All ranks hold the same sums, so all agree on what is best. */
  judge = t->row[t->rows - 1].v[t->n_val > 0 ? ROW_VAL_LOSS : ROW_TRAIN_LOSS];
  best = isnan(o->best_loss) ? !isnan(judge) : judge < o->best_loss;
  if (best) {
    o->best_loss = judge;
    o->best_epoch = o->epoch;
  }
  o->loss_sum = o->metric_sum = o->seconds = 0;
  o->samples = 0;
  train_run_history(t);
  if (best) {
    H3D_TRY(h3d_ckpt_write(best_path, t->ckpt, t->model, NULL));
  }
  if (o->epoch % h3d_conf_int(t->o.conf, "run.checkpoint_every") == 0
      || o->epoch == epochs || is_out_of_patience(t)) {
    H3D_TRY(save(t));
  }
  H3D_TRY(train_run_epoch(t));
  train_report_epoch(t, &t->row[t->rows - 1], best);
done:
  h3d_free(best_path);
  return st;
}

int64_t
train_steps(const train *t)
{
  return (h3d_order_batches(t->n_train, t->batch) - 1) / t->accumulate + 1;
}

/* The batch after those of a step that begins with batch from. */
static int64_t
step_end(const train *t, int64_t from)
{
  int64_t left = h3d_order_batches(t->n_train, t->batch) - from;

  return from + (t->accumulate < left ? t->accumulate : left);
}

/* Steps until the epoch ends or a signal came (*stop). */
static h3d_status
run_epoch(train *t, sums *s, double *seconds, int *stop)
{
  h3d_ckpt_order *o = &t->ckpt->order;
  int64_t batches = h3d_order_batches(t->n_train, t->batch), steps = 0;
  double start = h3d_clock(), after_first = start;
  h3d_progress p;
  int show;
  char what[32];
  h3d_status st = H3D_OK;

  snprintf(what, sizeof what, "epoch %" PRId64, o->epoch + 1);
  h3d_order_epoch(o->seed, o->epoch, t->n_train, t->train, t->order);
  h3d_verbose("%s begins with sample %s", what,
              t->info->sample[t->order[0]].id);
  show = t->o.progress
         || (t->rows > 0 && t->row[t->rows - 1].v[ROW_SECONDS] > LONG_EPOCH);
  if (show) {
    h3d_progress_begin(&p, what, "batches", batches);
  }
  while (o->position < batches && !*stop) {
    H3D_TRY(step(t, o->position, step_end(t, o->position), s));
    if (show) {
      h3d_progress_set(&p, o->position);
    }
    *stop = h3d_grid_max(t->grid->world, asked) > 0;
    /* The first step warms caches up; it would mislead. */
    if (steps++ == 0) {
      after_first = h3d_clock();
    } else if (t->rows == 0 && o->epoch == 0
               && (steps == 6 || (o->position == batches && steps < 6))) {
      train_report_time(t, (h3d_clock() - after_first) / (double)(steps - 1));
    }
  }
  if (show) {
    h3d_progress_end(&p);
  }
done:
  *seconds += h3d_clock() - start;
  t->seconds += h3d_clock() - start;
  return st;
}

h3d_status
train_loop(train *t)
{
  h3d_ckpt_order *o = &t->ckpt->order;
  int64_t epochs = h3d_conf_int(t->o.conf, "train.epochs"),
          last = t->o.stop_after > 0 ? o->epoch + t->o.stop_after : epochs;
  int stop = 0;
  h3d_status st = H3D_OK;

  catch_signals();
  if (t->rows > 0) {
    /* The end may have come between a checkpoint and these files. */
    H3D_TRY(train_run_epoch(t));
  }
  if (o->epoch >= epochs) {
    h3d_log("%s has its %" PRId64 " epochs; give --epochs to go on", t->o.run,
            o->epoch);
  }
  while (o->epoch < epochs && o->epoch < last && !stop
         && !(o->position == 0 && is_out_of_patience(t))) {
    sums s = { o->loss_sum, o->metric_sum, o->samples };
    double seconds = o->seconds;

    H3D_TRY(run_epoch(t, &s, &seconds, &stop));
    if (!stop || o->position == h3d_order_batches(t->n_train, t->batch)) {
      H3D_TRY(end_epoch(t, &s, seconds));
    } else {
      if (!h3d_model_weights_are_finite(t->model)) {
        return not_finite(t, "network", o->step);
      }
      o->loss_sum = s.loss;
      o->metric_sum = s.metric;
      o->samples = s.samples;
      o->seconds = seconds;
      H3D_TRY(save(t));
    }
  }
  if (!stop && o->epoch < epochs && is_out_of_patience(t)) {
    h3d_log("stop      no lower validation loss since epoch %" PRId64
            ", %" PRId64 " epochs ago (--patience %" PRId64 ")",
            o->best_epoch, o->epoch - o->best_epoch,
            h3d_conf_int(t->o.conf, "train.patience"));
  }
  if (stop) {
    st = h3d_fail(H3D_ERR_BACKEND,
                  "stopped by a signal after step %" PRId64 " (epoch %" PRId64
                  "), which is saved; go on with --resume -o %s",
                  o->step, o->epoch, t->o.run);
  }
done:
  return st;
}
