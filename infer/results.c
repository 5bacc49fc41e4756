#include "config.h"

#include "infer.h"

#include "base/log.h"
#include "base/mem.h"
#include "io/csv.h"
#include "io/folder.h"
#include "io/json.h"

#include <stdio.h>

static const char *const files[]
  = { "predictions.csv", "summary.json", "scatter*.png", NULL };
static const h3d_folder_kind folder = { "predictions", files, "" };

h3d_status
infer_may_create(const infer *x)
{
  h3d_status st = H3D_OK;

  if (x->grid->rank == 0 && x->o.out) {
    st = h3d_folder_may_create(&folder, x->o.out, x->o.force);
  }
  return h3d_grid_agree(x->grid, st);
}

h3d_status
infer_make_folder(infer *x)
{
  h3d_status st = H3D_OK;

  if (x->grid->rank == 0) {
    st = h3d_folder_begin(&folder, x->o.out, x->o.force);
    if (st == H3D_OK) {
      x->part = h3d_sprintf("%s/" H3D_FOLDER_PART, x->o.out);
    }
  }
  return h3d_grid_agree(x->grid, st);
}

void
infer_drop_folder(infer *x)
{
  if (x->part) {
    h3d_folder_abandon(x->o.out);
    h3d_free(x->part);
    x->part = NULL;
  }
}

/* From here on nothing is removed any more. */
static h3d_status
commit(infer *x)
{
  h3d_free(x->part);
  x->part = NULL;
  return h3d_folder_commit(&folder, x->o.out);
}

static h3d_status
write_csv(const infer *x)
{
  const h3d_ckpt_data *d = &x->ckpt->data;
  char *path = h3d_sprintf("%s/predictions.csv", x->part);
  h3d_csv_writer *w = NULL;
  h3d_status st = h3d_csv_create(path, &w);

  h3d_free(path);
  if (st != H3D_OK) {
    return st;
  }
  h3d_csv_put(w, "id");
  h3d_csv_put(w, "subset");
  for (int t = 0; t < 2 * x->targets; t++) {
    if (t % 2 == 1 || x->has_truth) {
      char *name
        = h3d_sprintf("%s_%s", d->target_name[t / 2], t % 2 ? "pred" : "true");

      h3d_csv_put(w, name);
      h3d_free(name);
    }
  }
  h3d_csv_end_row(w);
  for (int64_t s = 0; s < x->n; s++) {
    const h3d_sample *e = &x->info->sample[x->sample[s]];

    h3d_csv_put(w, e->id);
    h3d_csv_put(w, h3d_subset_name(e->subset));
    for (int t = 0; t < x->targets; t++) {
      if (x->has_truth) {
        h3d_csv_put_real(w, x->truth[t * x->n + s]);
      }
      h3d_csv_put_real(w, x->predicted[t * x->n + s]);
    }
    h3d_csv_end_row(w);
  }
  return h3d_csv_publish(&w, 0);
}

static void
put_score(h3d_json *j, const h3d_score *s)
{
  h3d_json_set_int(j, "samples", s->n);
  h3d_json_set_real(j, "rmse", s->rmse);
  h3d_json_set_real(j, "mae", s->mae);
  h3d_json_set_real(j, "mean_relative_error", s->relative);
  h3d_json_set_real(j, "bias", s->bias);
  h3d_json_set_real(j, "r2", s->r2);
  h3d_json_set_real(j, "pearson_r", s->r);
  h3d_json_set_real(j, "trivial_rmse", s->trivial_rmse);
  h3d_json_set_real(j, "trivial_mae", s->trivial_mae);
}

static h3d_status
write_json(const infer *x, const infer_result *r)
{
  const h3d_ckpt_data *d = &x->ckpt->data;
  char *path = h3d_sprintf("%s/summary.json", x->part);
  h3d_json *j = h3d_json_new(), *list;
  h3d_status st;

  h3d_json_set_text(j, "program", "h3d-infer " PACKAGE_VERSION);
  h3d_json_set_text(j, "checkpoint", x->path);
  h3d_json_set_int(j, "epoch", x->ckpt->order.epoch);
  h3d_json_set_text(j, "dataset", x->o.data ? x->o.data : d->path);
  h3d_json_set_text(j, "subset", x->o.subset);
  h3d_json_set_int(j, "samples", x->n);
  if (x->has_truth) {
    h3d_json_set_text(
      j, "definitions",
      "physical units; trivial: the mean of the training targets as the "
      "answer to every sample; families: predictions averaged over the "
      "samples of a family first");
  }
  list = h3d_json_set_array(j, "parameters");
  for (int t = 0; t < x->targets; t++) {
    h3d_json *o = h3d_json_add_object(list);

    h3d_json_set_text(o, "name", d->target_name[t]);
    h3d_json_set_text(o, "unit", d->target_unit[t]);
    if (x->has_truth) {
      put_score(o, &r[t].sample);
      if (r[t].family.n < r[t].sample.n) {
        put_score(h3d_json_set_object(o, "families"), &r[t].family);
      }
    }
  }
  st = h3d_json_write(j, path);
  h3d_json_free(&j);
  h3d_free(path);
  return st;
}

static void
print_scores(const char *name, const h3d_score *s)
{
  printf("%-14s %8lld %11.4g %11.4g %9.3f %11.3g %8.4f %8.4f %12.4g\n", name,
         (long long)s->n, s->rmse, s->mae, 100 * s->relative, s->bias, s->r2,
         s->r, s->trivial_rmse);
}

static void
print_table(const infer *x, const infer_result *r)
{
  const h3d_ckpt_data *d = &x->ckpt->data;
  int families = x->has_truth && r[0].family.n < r[0].sample.n;

  if (!x->has_truth) {
    printf("%s: %lld predictions\n", x->o.out, (long long)x->n);
    return;
  }
  printf("%-14s %8s %11s %11s %9s %11s %8s %8s %12s\n", "parameter", "samples",
         "RMSE", "MAE", "rel. %", "bias", "R2", "r", "trivial RMSE");
  for (int t = 0; t < x->targets; t++) {
    print_scores(d->target_name[t], &r[t].sample);
  }
  for (int t = 0; families && t < x->targets; t++) {
    if (t == 0) {
      printf("averaged over families:\n");
    }
    print_scores(d->target_name[t], &r[t].family);
  }
}

static void
score(const infer *x, infer_result *r)
{
  const h3d_ckpt_data *d = &x->ckpt->data;
  const size_t n = (size_t)x->n;
  int64_t *family = h3d_new(n, sizeof *family), families;
  double *t2 = h3d_new(n, sizeof *t2), *p2 = h3d_new(n, sizeof *p2);

  for (int64_t s = 0; s < x->n; s++) {
    family[s] = x->info->sample[x->sample[s]].family;
  }
  for (int t = 0; t < x->targets; t++) {
    const double *truth = x->truth + t * x->n;
    const double *pred = x->predicted + t * x->n;
    double m = d->target_offset[t] + d->target_scale[t] * d->target_mean[t];

    r[t].sample = h3d_score_of(x->n, truth, pred, m);
    families = h3d_score_families(x->n, family, truth, pred, t2, p2);
    r[t].family = h3d_score_of(families, t2, p2, m);
  }
  h3d_free(p2);
  h3d_free(t2);
  h3d_free(family);
}

h3d_status
infer_write(infer *x)
{
  infer_result *r = h3d_new((size_t)x->targets + 1, sizeof *r);
  h3d_status st = H3D_OK;

  if (x->grid->rank == 0) {
    if (x->has_truth) {
      score(x, r);
    }
    st = write_csv(x);
    if (st == H3D_OK) {
      st = write_json(x, r);
    }
    if (st == H3D_OK && x->o.pictures) {
      if (x->has_truth) {
        st = infer_draw(x, r);
      } else {
        h3d_warn("no pictures: they need the truth");
      }
    }
    if (st == H3D_OK) {
      st = commit(x);
    }
    if (st == H3D_OK) {
      print_table(x, r);
    }
  }
  h3d_free(r);
  return h3d_grid_agree(x->grid, st);
}
