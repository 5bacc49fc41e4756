#include "config.h"

#include "ckpt/ckpt_impl.h"

#include "base/agree.h"
#include "base/mem.h"
#include "model/shard.h"

#include <string.h>

/* Room for the largest parameter on rank 0, NULL elsewhere. */
static double *
room(h3d_model *m)
{
  const h3d_model_param *list;
  int n = h3d_model_params(m, &list);
  int64_t most = 1;

  if (h3d_model_env(m)->grid->rank != 0) {
    return NULL;
  }
  for (int i = 0; i < n; i++) {
    int64_t size = h3d_shard_total(list[i].param);

    most = size > most ? size : most;
  }
  return h3d_new((size_t)most, sizeof(double));
}

/* Gathered doubles go to disk as reals of the run: they came from such. */
static h3d_status
write_array(h3d_h5 *f, const char *name, h3d_type type, const h3d_param *p,
            double *value)
{
  const h3d_h5_layout layout = { .fletcher = 1 };
  int64_t n = h3d_shard_total(p);
  float *narrow;
  h3d_status st;

  if (type == H3D_F64) {
    return h3d_h5_write_all(f, name, H3D_H5_F64, p->dims, p->n, &layout,
                            value);
  }
  narrow = h3d_new((size_t)n, sizeof *narrow);
  for (int64_t i = 0; i < n; i++) {
    narrow[i] = (float)value[i];
  }
  st = h3d_h5_write_all(f, name, H3D_H5_F32, p->dims, p->n, &layout, narrow);
  h3d_free(narrow);
  return st;
}

/* What an array is called: weights for state < 0, else of the optimizer. */
static char *
array_name(const h3d_model_param *p, const h3d_optim *optim, int state)
{
  if (state < 0) {
    return h3d_sprintf("/model/%s/%s", p->layer, p->param->name);
  }
  return h3d_sprintf("/optim/%s/%s/%s", h3d_optim_state_name(optim, state),
                     p->layer, p->param->name);
}

/* All arrays, states of the optimizer after the weights.  Once rank 0 failed
 * it still takes part in gathering. */
static h3d_status
write_arrays(h3d_h5 *f, h3d_type type, h3d_model *m, h3d_optim *optim,
             h3d_status st)
{
  const h3d_model_param *list;
  int n = h3d_model_params(m, &list);
  int states = optim ? h3d_optim_states(optim) : 0;
  double *value = room(m);

  for (int k = -1; k < states; k++) {
    for (int i = 0; i < n; i++) {
      char *name;

      if (k >= 0 && list[i].param->role == H3D_ROLE_STATE) {
        continue;
      }
      h3d_model_gather(
        m, i, k < 0 ? h3d_model_base(m, i) : h3d_optim_state(optim, k), value);
      if (f && st == H3D_OK) {
        name = array_name(&list[i], optim, k);
        st = write_array(f, name, type, list[i].param, value);
        h3d_free(name);
      }
    }
  }
  h3d_free(value);
  return st;
}

h3d_status
h3d_ckpt_write(const char *path, const h3d_ckpt *c, h3d_model *m,
               h3d_optim *optim)
{
  const h3d_grid *g = h3d_model_env(m)->grid;
  int64_t steps = optim ? h3d_optim_steps(optim) : 0;
  h3d_status st = H3D_OK;
  h3d_h5 *f = NULL;

  if (g->rank == 0) {
    st = h3d_h5_create_sealed(path, &f);
    if (st == H3D_OK) {
      st = h3d_ckpt_about_write(f, c);
    }
    if (st == H3D_OK && optim) {
      st = h3d_h5_write_ints(f, "/optim", "step", 1, &steps);
    }
  }
  st = write_arrays(f, h3d_model_env(m)->dev->type, m, optim, st);
  if (f && st == H3D_OK) {
    st = h3d_h5_publish(&f);
  }
  h3d_h5_close(&f);
  return h3d_grid_agree(g, st);
}

static h3d_status
read_about(const char *path, h3d_ckpt **out)
{
  h3d_h5 *f = NULL;
  h3d_status st;

  *out = NULL;
  st = h3d_h5_open(path, &f);
  if (st == H3D_OK) {
    st = h3d_ckpt_about_read(f, out);
  }
  h3d_h5_close(&f);
  return st;
}

h3d_status
h3d_ckpt_read_alone(const char *path, h3d_ckpt **out)
{
  int sealed;
  h3d_status st;

  *out = NULL;
  H3D_TRY(h3d_h5_check_seal(path, &sealed));
  H3D_TRY(read_about(path, out));
  if (!sealed) {
    h3d_ckpt_free(out);
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: damaged: a checkpoint begins with its seal, and this "
                  "one does not; copy or make it again",
                  path);
  }
done:
  return st;
}

h3d_status
h3d_ckpt_read(const h3d_grid *g, const char *path, h3d_ckpt **out)
{
  h3d_status st = H3D_OK;

  *out = NULL;
  if (g->rank == 0) {
    st = h3d_ckpt_read_alone(path, out);
  }
  st = h3d_grid_agree(g, st);
  if (st == H3D_OK && g->rank != 0) {
    st = read_about(path, out);
  }
  st = h3d_grid_agree(g, st);
  if (st != H3D_OK) {
    h3d_ckpt_free(out);
  }
  return st;
}

/* One array from rank 0 to all. */
static h3d_status
load_array(h3d_h5 *f, const char *name, h3d_model *m, int i, double *value,
           void *base)
{
  const h3d_grid *g = h3d_model_env(m)->grid;
  const h3d_model_param *list;
  h3d_status st = H3D_OK;

  h3d_model_params(m, &list);
  if (f) {
    const h3d_param *p = list[i].param;

    st = h3d_h5_read_all(f, name, H3D_H5_F64, p->dims, p->n, value);
  }
  st = h3d_grid_agree(g, st);
  if (st == H3D_OK) {
    h3d_model_scatter(m, i, value, base);
  }
  return st;
}

/* The optimizer's count of steps, and that the file is from its kind. */
static h3d_status
load_steps(h3d_h5 *f, const h3d_grid *g, h3d_optim *optim)
{
  char *kind = NULL;
  int64_t steps = 0;
  h3d_status st = H3D_OK;

  if (f) {
    st = h3d_h5_read_text(f, "/optimizer", &kind);
    if (st == H3D_OK && strcmp(kind, h3d_optim_name(optim)) != 0) {
      st = h3d_fail(H3D_ERR_USAGE,
                    "%s was written by optimizer %s, this run has %s: go on "
                    "with the same one",
                    h3d_h5_path(f), kind, h3d_optim_name(optim));
    }
    if (st == H3D_OK) {
      st = h3d_h5_read_ints(f, "/optim", "step", 1, &steps);
    }
    h3d_free(kind);
  }
  st = h3d_grid_agree(g, st);
  if (st == H3D_OK) {
    h3d_broadcast(g->world, 0, &steps, sizeof steps);
    h3d_optim_set_steps(optim, steps);
  }
  return st;
}

h3d_status
h3d_ckpt_load(const char *path, h3d_model *m, h3d_optim *optim)
{
  const h3d_grid *g = h3d_model_env(m)->grid;
  const h3d_model_param *list;
  int n = h3d_model_params(m, &list);
  int states = optim ? h3d_optim_states(optim) : 0;
  double *value = room(m);
  h3d_status st = H3D_OK;
  h3d_h5 *f = NULL;

  if (g->rank == 0) {
    st = h3d_h5_open(path, &f);
  }
  H3D_TRY(h3d_grid_agree(g, st));
  if (optim) {
    H3D_TRY(load_steps(f, g, optim));
  }
  for (int k = -1; k < states; k++) {
    for (int i = 0; i < n; i++) {
      char *name;

      if (k >= 0 && list[i].param->role == H3D_ROLE_STATE) {
        continue;
      }
      name = array_name(&list[i], optim, k);
      st
        = load_array(f, name, m, i, value,
                     k < 0 ? h3d_model_base(m, i) : h3d_optim_state(optim, k));
      h3d_free(name);
      H3D_TRY(st);
    }
  }
done:
  h3d_h5_close(&f);
  h3d_free(value);
  return st;
}
