#include "config.h"

#include "train.h"

#include "base/log.h"
#include "base/mem.h"
#include "io/folder.h"
#include "io/publish.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *const files[]
  = { "run.ini",     "model.net",  "plan.txt", "history.csv",
      "steps.jsonl", "curves.png", "log.txt",  "checkpoint-#.h5",
      "best.h5",     NULL };
static const h3d_folder_kind folder
  = { "a run", files, "go on with it by --resume, " };

static h3d_status
write_text(const train *t, const char *name, const char *text)
{
  char *path = h3d_sprintf("%s/%s", t->o.run, name);
  FILE *f = NULL;
  h3d_status st = h3d_text_create(path, &f);

  if (st == H3D_OK) {
    fputs(text, f);
    st = h3d_text_publish(path, &f, 0);
  }
  h3d_free(path);
  return st;
}

/* Steps behind the checkpoint belong to a past that did not happen. */
static h3d_status
cut_steps(const train *t, const char *path)
{
  FILE *in = fopen(path, "r"), *out = NULL;
  char line[1024];
  int64_t step;
  h3d_status st = H3D_OK;

  if (!in) {
    return H3D_OK;
  }
  st = h3d_text_create(path, &out);
  while (st == H3D_OK && fgets(line, sizeof line, in)) {
    if (sscanf(line, "{\"step\": %" SCNd64, &step) == 1
        && step <= t->ckpt->order.step && strchr(line, '}')) {
      fputs(line, out);
    }
  }
  fclose(in);
  return st == H3D_OK ? h3d_text_publish(path, &out, 0) : st;
}

static h3d_status
open_files(train *t, const char *plan)
{
  char *conf = h3d_conf_dump(t->o.conf);
  char *steps = h3d_sprintf("%s/steps.jsonl", t->o.run);
  char *log = h3d_sprintf("%s/log.txt", t->o.run);
  h3d_status st = H3D_OK;

  H3D_TRY(h3d_log_set_file(log));
  H3D_TRY(write_text(t, "run.ini", conf));
  H3D_TRY(write_text(t, "model.net", h3d_model_text(t->model)));
  H3D_TRY(write_text(t, "plan.txt", plan));
  H3D_TRY(cut_steps(t, steps));
  t->steps = fopen(steps, "a");
  if (!t->steps) {
    st = h3d_fail(H3D_ERR_FILE, "%s cannot be opened: %s", steps,
                  strerror(errno));
  }
done:
  h3d_free(log);
  h3d_free(steps);
  h3d_free(conf);
  return st;
}

h3d_status
train_run_open(train *t)
{
  char *layers = h3d_model_plan_text(t->model);
  char *memory = train_memory_text(t);
  char *plan = h3d_sprintf("%s%s", layers, memory);
  char *conf = h3d_conf_dump(t->o.conf);
  h3d_status st = H3D_OK;

  h3d_ckpt_set_text(&t->ckpt->config, conf);
  h3d_free(conf);
  if (t->grid->rank == 0) {
    /* A run to go on with was read already. */
    st = t->o.resume ? H3D_OK
                     : h3d_folder_create(&folder, t->o.run, t->o.force);
    if (st == H3D_OK) {
      st = open_files(t, plan);
    }
  }
  h3d_free(plan);
  h3d_free(memory);
  h3d_free(layers);
  return h3d_grid_agree(t->grid, st);
}

void
train_run_close(train *t)
{
  if (t->steps) {
    fclose(t->steps);
    t->steps = NULL;
  }
  h3d_log_set_file(NULL);
}

void
train_run_step(train *t, double loss, int64_t samples, double norm)
{
  const h3d_env *e = h3d_model_env(t->model);

  if (!t->steps) {
    return;
  }
  fprintf(t->steps,
          "{\"step\": %" PRId64 ", \"epoch\": %" PRId64
          ", \"samples\": %" PRId64 ", \"loss\": %.9g, \"lr\": %.9g",
          t->ckpt->order.step, t->ckpt->order.epoch + 1, samples, loss, t->lr);
  if (norm >= 0) {
    fprintf(t->steps, ", \"gradient_norm\": %.9g", norm);
  }
  for (int s = 0; s < H3D_SPANS; s++) {
    fprintf(t->steps, ", \"%s\": %.6f", h3d_span_name[s], e->seconds[s]);
  }
  fprintf(t->steps, "}\n");
}
