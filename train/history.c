#include "config.h"

#include "train.h"

#include "base/mem.h"
#include "io/plot.h"
#include "io/publish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
train_run_rows(train *t, const char *text)
{
  const char *line = strchr(text, '\n');

  /* The first line names the columns. */
  while (line && line[1]) {
    train_row *r;
    const char *at = line + 1;

    t->row = h3d_grow(t->row, (size_t)t->rows + 1, sizeof *t->row);
    r = &t->row[t->rows++];
    for (int c = 0; c < ROW_COLUMNS; c++) {
      char *end;

      r->v[c] = strtod(at, &end);
      at = *end == ',' ? end + 1 : end;
    }
    line = strchr(at, '\n');
  }
}

void
train_run_history(train *t)
{
  const char *metric = h3d_model_metric_name(t->model);
  char *text
    = h3d_sprintf("epoch,step,lr,train_loss,val_loss,train_%s,val_%s,seconds,"
                  "samples_per_second\n",
                  metric, metric);

  for (int i = 0; i < t->rows; i++) {
    const double *v = t->row[i].v;
    char *more = h3d_sprintf(
      "%s%.0f,%.0f,%.9g,%.9g,%.9g,%.9g,%.9g,%.3f,%.3f\n", text, v[ROW_EPOCH],
      v[ROW_STEP], v[ROW_LR], v[ROW_TRAIN_LOSS], v[ROW_VAL_LOSS],
      v[ROW_TRAIN_METRIC], v[ROW_VAL_METRIC], v[ROW_SECONDS], v[ROW_SPEED]);

    h3d_free(text);
    text = more;
  }
  h3d_ckpt_set_text(&t->ckpt->history, text);
  h3d_free(text);
}

static h3d_status
draw_curves(const train *t, const char *path)
{
  const size_t n = (size_t)t->rows;
  const char *metric = h3d_model_metric_name(t->model);
  const int column[5] = { ROW_EPOCH, ROW_TRAIN_LOSS, ROW_VAL_LOSS,
                          ROW_TRAIN_METRIC, ROW_VAL_METRIC };
  double *v = h3d_new(6 * n, sizeof *v), *x = v;
  h3d_status st;

  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < 5; c++) {
      v[c * n + i] = t->row[i].v[column[c]];
    }
    v[5 * n + i] = t->ckpt->data.trivial;
  }
  {
    const h3d_series loss[3]
      = { { "train", t->rows, x, v + n, 0 },
          { "validation", t->rows, x, v + 2 * n, 0 },
          { "trivial predictor", t->rows, x, v + 5 * n, 1 } };
    const h3d_series other[2] = { { "train", t->rows, x, v + 3 * n, 0 },
                                  { "validation", t->rows, x, v + 4 * n, 0 } };
    double best = isnan(t->ckpt->order.best_loss)
                    ? NAN
                    : (double)t->ckpt->order.best_epoch;
    const h3d_curves panel[2]
      = { { "Loss", "epoch", "mean squared error", 1, 3, loss, best, "best" },
          { "Metric", "epoch", metric, 1, 2, other, best, "best" } };

    st = h3d_plot_curves(path, 2, panel);
  }
  h3d_free(v);
  return st;
}

h3d_status
train_run_epoch(train *t)
{
  char *csv = h3d_sprintf("%s/history.csv", t->o.run);
  char *png = h3d_sprintf("%s/curves.png", t->o.run);
  FILE *f = NULL;
  h3d_status st = H3D_OK;

  if (t->grid->rank == 0) {
    st = h3d_text_create(csv, &f);
    if (st == H3D_OK) {
      fputs(t->ckpt->history, f);
      st = h3d_text_publish(csv, &f, 0);
    }
    if (st == H3D_OK) {
      st = draw_curves(t, png);
    }
    if (st == H3D_OK && fflush(t->steps) != 0) {
      st = h3d_fail(H3D_ERR_FILE, "%s/steps.jsonl: the disk takes no more",
                    t->o.run);
    }
  }
  h3d_free(png);
  h3d_free(csv);
  return h3d_grid_agree(t->grid, st);
}
