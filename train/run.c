#include "config.h"

#include "train.h"

#include "base/log.h"
#include "base/mem.h"
#include "io/publish.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What may lie in a run's folder, so that --force removes nothing else. */
static int
is_ours(const char *name)
{
  static const char *const known[]
    = { "run.ini",     "model.net", "plan.txt",  "history.csv",
        "steps.jsonl", "log.txt",   "curves.png" };
  const size_t n = strlen(name);

  for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strncmp(name, known[i], strlen(known[i])) == 0) {
      return 1;
    }
  }
  return (strncmp(name, "checkpoint-", 11) == 0
          || strncmp(name, "best.h5", 7) == 0)
         && n > 3
         && (strcmp(name + n - 3, ".h5") == 0
             || strcmp(name + n - 5, ".part") == 0);
}

/* Empty the folder, if it holds a run or nothing.  with_files 0: only ask. */
static h3d_status
clear(const char *folder, int with_files, int *files)
{
  DIR *dir = opendir(folder);
  struct dirent *e;
  h3d_status st = H3D_OK;

  *files = 0;
  if (!dir) {
    return errno == ENOENT
             ? H3D_OK
             : h3d_fail(H3D_ERR_FILE, "%s: %s", folder, strerror(errno));
  }
  while (st == H3D_OK && (e = readdir(dir))) {
    char *path;

    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
      continue;
    }
    ++*files;
    if (!is_ours(e->d_name)) {
      st = h3d_fail(H3D_ERR_FILE,
                    "%s holds %s, which is no part of a run; name another "
                    "folder with -o",
                    folder, e->d_name);
    } else if (with_files) {
      path = h3d_sprintf("%s/%s", folder, e->d_name);
      if (unlink(path) != 0) {
        st = h3d_fail(H3D_ERR_FILE, "%s cannot be removed: %s", path,
                      strerror(errno));
      }
      h3d_free(path);
    }
  }
  closedir(dir);
  return st;
}

static h3d_status
make_folder(const train *t)
{
  const char *run = t->o.run;
  int files;
  h3d_status st = H3D_OK;

  if (t->o.resume) {
    return H3D_OK; /* its checkpoint was read already */
  }
  H3D_TRY(clear(run, 0, &files));
  if (files > 0 && !t->o.force) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s holds a run already: go on with it by --resume, "
                    "replace it by --force, or name another folder",
                    run);
  }
  H3D_TRY(clear(run, 1, &files));
  if (mkdir(run, 0777) != 0 && errno != EEXIST) {
    st = h3d_fail(H3D_ERR_FILE, "%s cannot be made: %s", run, strerror(errno));
  }
done:
  return st;
}

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
  char *plan = h3d_model_plan_text(t->model);
  char *conf = h3d_conf_dump(t->o.conf);
  h3d_status st = H3D_OK;

  h3d_ckpt_set_text(&t->ckpt->config, conf);
  h3d_free(conf);
  if (t->grid->rank == 0) {
    st = make_folder(t);
    if (st == H3D_OK) {
      st = open_files(t, plan);
    }
  }
  h3d_free(plan);
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
train_run_step(train *t, double loss, double norm, double input, double update)
{
  const h3d_env *e = h3d_model_env(t->model);
  const double *s = e->seconds;

  if (!t->steps) {
    return;
  }
  fprintf(t->steps,
          "{\"step\": %" PRId64 ", \"epoch\": %" PRId64
          ", \"samples\": %" PRId64 ", \"loss\": %.9g, \"lr\": %.9g",
          t->ckpt->order.step, t->ckpt->order.epoch + 1, e->total, loss,
          t->lr);
  if (norm >= 0) {
    fprintf(t->steps, ", \"gradient_norm\": %.9g", norm);
  }
  fprintf(t->steps,
          ", \"input\": %.6f, \"forward\": %.6f, \"backward\": %.6f, "
          "\"halo\": %.6f, \"reduce\": %.6f, \"update\": %.6f}\n",
          input, s[H3D_SPAN_FORWARD], s[H3D_SPAN_BACKWARD], s[H3D_SPAN_HALO],
          s[H3D_SPAN_REDUCE], update);
}
