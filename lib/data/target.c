#include "config.h"

#include "data/target.h"

#include "base/mem.h"
#include "base/opt.h"

#include <string.h>

/* "a, b, c": free with h3d_free. */
static char *
all_names(const h3d_dataset_info *info)
{
  char *text = h3d_strdup("");

  for (int t = 0; t < info->targets; t++) {
    char *more
      = h3d_sprintf("%s%s%s", text, t > 0 ? ", " : "", info->target_name[t]);

    h3d_free(text);
    text = more;
  }
  return text;
}

static h3d_status
unknown(const h3d_dataset_info *info, const char *name)
{
  const char **known = h3d_new((size_t)info->targets + 1, sizeof *known);
  char *names = all_names(info);
  const char *near;
  h3d_status st;

  for (int t = 0; t < info->targets; t++) {
    known[t] = info->target_name[t];
  }
  near = h3d_nearest(name, known);
  st = h3d_fail(H3D_ERR_USAGE,
                "targets: the dataset has no \"%s\"%s%s; it has %s", name,
                near ? ", perhaps " : "", near ? near : "",
                info->targets > 0 ? names : "none");
  h3d_free(names);
  h3d_free(known);
  return st;
}

h3d_status
h3d_target_find(const h3d_dataset_info *info, int n, const char *const *name,
                int *place)
{
  for (int i = 0; i < n; i++) {
    int t = 0;

    while (t < info->targets && strcmp(info->target_name[t], name[i]) != 0) {
      t++;
    }
    if (t == info->targets) {
      return unknown(info, name[i]);
    }
    for (int k = 0; k < i; k++) {
      if (place[k] == t) {
        return h3d_fail(H3D_ERR_USAGE,
                        "targets: \"%s\" is named twice; name it once",
                        name[i]);
      }
    }
    place[i] = t;
  }
  return H3D_OK;
}

h3d_status
h3d_target_parse(const h3d_dataset_info *info, const char *text, int *n,
                 int *place)
{
  char *copy, *next;
  const char **name;
  h3d_status st = H3D_OK;
  int most = 1;

  if (strcmp(text, "all") == 0) {
    for (int t = 0; t < info->targets; t++) {
      place[t] = t;
    }
    *n = info->targets;
    return H3D_OK;
  }
  for (const char *c = text; *c; c++) {
    most += *c == ',';
  }
  if (most > info->targets) {
    return h3d_fail(H3D_ERR_USAGE,
                    "targets: \"%s\" names %d, the dataset has %d", text, most,
                    info->targets);
  }
  copy = h3d_strdup(text);
  name = h3d_new((size_t)most, sizeof *name);
  *n = 0;
  for (next = copy; next;) {
    char *comma = strchr(next, ',');

    name[(*n)++] = next;
    if (comma) {
      *comma++ = '\0';
    }
    next = comma;
  }
  st = h3d_target_find(info, *n, name, place);
  h3d_free(name);
  h3d_free(copy);
  return st;
}

h3d_status
h3d_target_trivial(h3d_dataset *d, int n, const int *place, int64_t count,
                   const int64_t *sample, double *mean, double *mse)
{
  int all = h3d_dataset_about(d)->targets;
  float *wish = h3d_new((size_t)(all * count), sizeof *wish);
  h3d_status st = H3D_OK;

  *mse = 0;
  for (int64_t s = 0; s < count; s++) {
    H3D_TRY(h3d_dataset_read_target(d, sample[s], wish + s * all));
  }
  for (int t = 0; t < n; t++) {
    const float *x = wish + place[t];

    mean[t] = 0;
    for (int64_t s = 0; s < count; s++) {
      mean[t] += (double)x[s * all] / (double)count;
    }
    for (int64_t s = 0; s < count; s++) {
      double e = (double)x[s * all] - mean[t];

      *mse += e * e / (double)count / n;
    }
  }
done:
  h3d_free(wish);
  return st;
}
