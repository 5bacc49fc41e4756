/* First weights from another run's checkpoint: layer by layer, where names
 * and shapes are the same. */
#include "config.h"

#include "ckpt/ckpt_impl.h"

#include "base/agree.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHAPE_TEXT = 128 };

/* Adds a printf to a text. */
#define ADD(text, ...)                              \
  do {                                              \
    char *add_ = h3d_sprintf(__VA_ARGS__);          \
    char *sum_ = h3d_sprintf("%s%s", (text), add_); \
    h3d_free(add_);                                 \
    h3d_free(text);                                 \
    (text) = sum_;                                  \
  } while (0)

static void
shape_text(int dims, const int64_t *n, char out[SHAPE_TEXT])
{
  size_t at = 0;

  out[0] = '\0';
  for (int i = 0; i < dims; i++) {
    at += (size_t)snprintf(out + at, SHAPE_TEXT - at, "%s%" PRId64,
                           i > 0 ? "x" : "", n[i]);
  }
}

/* Why the file has nothing for this array, or NULL where it has. */
static char *
objection(const h3d_h5 *f, const h3d_model_param *q)
{
  const h3d_param *p = q->param;
  char *name = h3d_sprintf("/model/%s/%s", q->layer, p->name), *why = NULL;
  char there[SHAPE_TEXT], here[SHAPE_TEXT];
  h3d_h5_about about;

  if (!h3d_h5_has(f, name)) {
    why = h3d_sprintf("no %s there", p->name);
  } else if (h3d_h5_ask(f, name, &about) != H3D_OK) {
    why = h3d_sprintf("%s", h3d_why());
  } else if (about.ndims != p->dims
             || memcmp(about.shape, p->n, (size_t)p->dims * sizeof *p->n)
                  != 0) {
    shape_text(about.ndims, about.shape, there);
    shape_text(p->dims, p->n, here);
    why = h3d_sprintf("%s is %s there, %s here", p->name, there, here);
  }
  h3d_free(name);
  return why;
}

/* Does the network have arrays for a layer of that name? */
static int
has_layer(int n, const h3d_model_param *list, const char *layer)
{
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i].layer, layer) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Layers of the file that the network lacks. */
static h3d_status
list_others(const h3d_h5 *f, int n, const h3d_model_param *list, char **text)
{
  char **name = NULL;
  int64_t names = 0;
  int some = 0;
  h3d_status st = h3d_h5_list(f, "/model", &names, &name);

  for (int64_t i = 0; st == H3D_OK && i < names; i++) {
    if (!has_layer(n, list, name[i])) {
      ADD(*text, "%s%s", some ? ", " : "; not in this network: ", name[i]);
      some = 1;
    }
  }
  h3d_free(name);
  return st;
}

/* take[i] for each array, all of a layer or none; a line for people.  Arrays
 * of a layer need not stand side by side: states come last. */
static h3d_status
choose(const h3d_h5 *f, int n, const h3d_model_param *list, int *take,
       char **text)
{
  char *taken = h3d_strdup(""), *left = h3d_strdup("");
  int layers = 0;
  h3d_status st;

  for (int i = 0; i < n; i++) {
    char *why = NULL;
    int first = 0;

    while (strcmp(list[first].layer, list[i].layer) != 0) {
      first++;
    }
    if (first < i) {
      take[i] = take[first];
      continue;
    }
    for (int k = i; k < n && !why; k++) {
      why = strcmp(list[k].layer, list[i].layer) == 0 ? objection(f, &list[k])
                                                      : NULL;
    }
    take[i] = why == NULL;
    layers += take[i];
    if (why) {
      ADD(left, "%s%s (%s)", *left ? ", " : "", list[i].layer, why);
    } else {
      ADD(taken, "%s%s", *taken ? ", " : "", list[i].layer);
    }
    h3d_free(why);
  }
  ADD(*text, "%s: took %s; anew: %s", h3d_h5_path(f), taken,
      *left ? left : "none");
  st = list_others(f, n, list, text);
  if (st == H3D_OK && layers == 0) {
    st
      = h3d_fail(H3D_ERR_SHAPE,
                 "%s has no layer of this network, by name and shape: %.600s; "
                 "give a checkpoint of a network like it, or none",
                 h3d_h5_path(f), *left ? left : "it has no weights");
  }
  h3d_free(left);
  h3d_free(taken);
  return st;
}

static h3d_status
take_array(const h3d_h5 *f, h3d_model *m, int i)
{
  const h3d_model_param *list;
  const h3d_param *p;
  double *value = NULL;
  h3d_status st = H3D_OK;

  h3d_model_params(m, &list);
  p = list[i].param;
  if (f) {
    char *name = h3d_sprintf("/model/%s/%s", list[i].layer, p->name);

    st = h3d_alloc((size_t)h3d_shard_total(p), sizeof *value, (void **)&value);
    if (st == H3D_OK) {
      st = h3d_h5_read_all(f, name, H3D_H5_F64, p->dims, p->n, value);
    }
    h3d_free(name);
  }
  st = h3d_grid_agree(h3d_model_env(m)->grid, st);
  if (st == H3D_OK) {
    h3d_model_scatter(m, i, value, h3d_model_base(m, i));
  }
  h3d_free(value);
  return st;
}

h3d_status
h3d_ckpt_init(const char *path, h3d_model *m, char **report)
{
  const h3d_grid *g = h3d_model_env(m)->grid;
  const h3d_model_param *list;
  int n = h3d_model_params(m, &list);
  int *take = h3d_new((size_t)n + 1, sizeof *take);
  h3d_h5 *f = NULL;
  h3d_status st = H3D_OK;

  *report = h3d_strdup("");
  if (g->rank == 0) {
    st = h3d_h5_open(path, &f);
    if (st == H3D_OK) {
      st = choose(f, n, list, take, report);
    }
  }
  H3D_TRY(h3d_grid_agree(g, st));
  h3d_broadcast(g->world, 0, take, (size_t)n * sizeof *take);
  for (int i = 0; i < n; i++) {
    if (take[i]) {
      H3D_TRY(take_array(f, m, i));
    }
  }
done:
  h3d_h5_close(&f);
  h3d_free(take);
  if (st != H3D_OK) {
    h3d_free(*report);
    *report = NULL;
  }
  return st;
}
