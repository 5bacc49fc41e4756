#include "config.h"

#include "targets.h"

#include "base/log.h"
#include "base/mem.h"
#include "io/cosmoflow.h"
#include "io/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* float32 in the file, and some room for what its writer rounded. */
static const double misfit = 1e-3;

static void
make(h3d_targets *t, int n, int64_t families)
{
  t->n = n;
  t->name = h3d_new((size_t)n, sizeof *t->name);
  t->unit = h3d_new((size_t)n, sizeof *t->unit);
  t->offset = h3d_new((size_t)n, sizeof *t->offset);
  t->scale = h3d_new((size_t)n, sizeof *t->scale);
  t->value = h3d_new((size_t)(n * families), sizeof *t->value);
}

void
h3d_targets_release(h3d_targets *t)
{
  for (int k = 0; k < t->n; k++) {
    h3d_free(t->name[k]);
    h3d_free(t->unit[k]);
  }
  h3d_free(t->name);
  h3d_free(t->unit);
  h3d_free(t->offset);
  h3d_free(t->scale);
  h3d_free(t->value);
  memset(t, 0, sizeof *t);
}

/* The file that lies farthest off the map of parameter k. */
static int64_t
worst(const h3d_survey *s, const h3d_targets *t, int k)
{
  int64_t at = 0;
  double most = -1;

  for (int64_t i = 0; i < s->files; i++) {
    const h3d_source_about *a = &s->about[i];
    double off = fabs(t->offset[k] + t->scale[k] * a->norm[k] - a->phys[k]);

    if (off > most) {
      most = off;
      at = i;
    }
  }
  return at;
}

static h3d_status
fit(const h3d_inputs *in, const h3d_survey *s, int k, h3d_targets *t)
{
  double *norm = h3d_new((size_t)s->files, sizeof *norm);
  double *phys = h3d_new((size_t)s->files, sizeof *phys);
  double error;
  int64_t i;
  h3d_status st = H3D_OK;

  for (i = 0; i < s->files; i++) {
    norm[i] = s->about[i].norm[k];
    phys[i] = s->about[i].phys[k];
  }
  if (!h3d_affine_fit(s->files, norm, phys, &t->offset[k], &t->scale[k],
                      &error)) {
    h3d_warn("%s: its physical values cannot be derived from these files; it "
             "is kept as normalised",
             t->name[k]);
  } else if (error > misfit) {
    i = worst(s, t, k);
    st
      = h3d_fail(H3D_ERR_FILE,
                 "%s: %s is %g, normalised %g, but the other files' map gives "
                 "%g: the files were normalised differently",
                 in->path[i], t->name[k], phys[i], norm[i],
                 t->offset[k] + t->scale[k] * norm[i]);
  }
  h3d_free(phys);
  h3d_free(norm);
  return st;
}

h3d_status
h3d_targets_from_files(const h3d_inputs *in, const h3d_survey *s,
                       h3d_targets *t)
{
  const h3d_source_about *one = &s->about[0];
  int n = one->params;
  h3d_status st = H3D_OK;

  memset(t, 0, sizeof *t);
  make(t, n, s->files);
  for (int k = 0; k < n; k++) {
    t->name[k] = h3d_strdup(one->name[k]);
    t->unit[k] = h3d_strdup("");
    for (int64_t i = 0; i < s->files; i++) {
      t->value[i * n + k] = (float)s->about[i].norm[k];
      if (!isfinite(s->about[i].norm[k]) || !isfinite(s->about[i].phys[k])) {
        return h3d_fail(H3D_ERR_FILE, "%s: %s is not finite", in->path[i],
                        t->name[k]);
      }
    }
    t->scale[k] = 1;
    if (one->has_phys && st == H3D_OK) {
      st = fit(in, s, k, t);
    }
  }
  return st;
}

/* "NAME [UNIT]" into its two halves. */
static void
split_name(const char *column, char **name, char **unit)
{
  const char *open = strchr(column, '[');
  size_t n;

  *name = h3d_strdup(column);
  *unit = h3d_strdup(open != NULL ? open + 1 : "");
  (*unit)[strcspn(*unit, "]")] = '\0';
  n = open != NULL ? (size_t)(open - column) : strlen(column);
  while (n > 0 && (*name)[n - 1] == ' ') {
    n--;
  }
  (*name)[n] = '\0';
}

struct entry {
  const char *id;
  int64_t row;
};

static int
by_id(const void *a, const void *b)
{
  return strcmp(((const struct entry *)a)->id, ((const struct entry *)b)->id);
}

static h3d_status
find_rows(const char *path, const h3d_csv *csv, int id, const h3d_inputs *in,
          int64_t *row)
{
  int64_t n = h3d_csv_rows(csv);
  struct entry *e = h3d_new((size_t)n, sizeof *e);
  h3d_status st = H3D_OK;

  for (int64_t i = 0; i < n; i++) {
    e[i] = (struct entry){ h3d_csv_at(csv, i, id), i };
  }
  qsort(e, (size_t)n, sizeof *e, by_id);
  for (int64_t i = 1; i < n && st == H3D_OK; i++) {
    if (strcmp(e[i - 1].id, e[i].id) == 0) {
      st = h3d_fail(H3D_ERR_FILE, "%s: two lines for %s", path, e[i].id);
    }
  }
  for (int64_t i = 0; i < in->n && st == H3D_OK; i++) {
    const struct entry key = { in->id[i], 0 };
    const struct entry *hit = bsearch(&key, e, (size_t)n, sizeof *e, by_id);

    if (hit == NULL) {
      st = h3d_fail(H3D_ERR_FILE, "%s: no line for %s (%s)", path, in->id[i],
                    in->path[i]);
    } else {
      row[i] = hit->row;
    }
  }
  h3d_free(e);
  return st;
}

/* One column, scaled by the training families' range. */
static h3d_status
take_column(const h3d_csv *csv, int column, const h3d_inputs *in,
            const int64_t *row, const h3d_subset *subset, int k,
            h3d_targets *t)
{
  double *x = h3d_new((size_t)in->n, sizeof *x);
  double low = HUGE_VAL, high = -HUGE_VAL;
  h3d_status st = H3D_OK;

  for (int64_t i = 0; i < in->n && st == H3D_OK; i++) {
    st = h3d_csv_real(csv, row[i], column, &x[i]);
    if (subset[i] == H3D_SUBSET_TRAIN) {
      low = x[i] < low ? x[i] : low;
      high = x[i] > high ? x[i] : high;
    }
  }
  t->offset[k] = (low + high) / 2;
  t->scale[k] = high > low ? (high - low) / 2 : 1;
  for (int64_t i = 0; i < in->n && st == H3D_OK; i++) {
    t->value[i * t->n + k] = (float)((x[i] - t->offset[k]) / t->scale[k]);
  }
  h3d_free(x);
  return st;
}

h3d_status
h3d_targets_from_csv(const char *path, const h3d_inputs *in,
                     const h3d_subset *subset, h3d_targets *t)
{
  int64_t *row = h3d_new((size_t)in->n, sizeof *row);
  h3d_csv *csv = NULL;
  int id, k = 0;
  h3d_status st;

  memset(t, 0, sizeof *t);
  H3D_TRY(h3d_csv_read(path, &csv));
  id = h3d_csv_find(csv, "id");
  if (id < 0 || h3d_csv_columns(csv) < 2) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: wanted are a column id and one per target", path);
    goto done;
  }
  H3D_TRY(find_rows(path, csv, id, in, row));
  make(t, h3d_csv_columns(csv) - 1, in->n);
  for (int c = 0; c < h3d_csv_columns(csv); c++) {
    if (c != id) {
      split_name(h3d_csv_name(csv, c), &t->name[k], &t->unit[k]);
      H3D_TRY(take_column(csv, c, in, row, subset, k, t));
      k++;
    }
  }
done:
  h3d_csv_free(&csv);
  h3d_free(row);
  return st;
}
