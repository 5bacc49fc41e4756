#include "config.h"

#include "layer/layer.h"

#include <string.h>

const char *const h3d_span_name[H3D_SPANS]
  = { "input", "forward", "backward", "halo", "reduce", "update" };

const h3d_layer_kind *
h3d_layer_kind_find(const char *name)
{
  for (int i = 0; h3d_layer_kinds[i] != NULL; i++) {
    if (strcmp(h3d_layer_kinds[i]->name, name) == 0) {
      return h3d_layer_kinds[i];
    }
  }
  return NULL;
}

int64_t
h3d_layer_voxels(const h3d_env *e, const h3d_dist *d)
{
  h3d_box b = h3d_dist_box(d, e->grid->at);

  return h3d_box_voxels(&b);
}

unsigned
h3d_layer_sharers(const h3d_dist *d)
{
  /* Groups always differ in their samples, even where there is one only. */
  return H3D_MASK(H3D_AXIS_N) | (h3d_dist_cuts(d) & H3D_MASK_SPACE);
}

h3d_status
h3d_layer_alloc(h3d_layer *l, h3d_env *e, size_t bytes, void **mem)
{
  if (e->dev->be->alloc(e->dev, bytes, mem) != H3D_OK) {
    return h3d_fail(H3D_ERR_MEMORY,
                    "layer %s: no %zu bytes of memory on the %s device; use "
                    "more ranks a sample or smaller batches",
                    l->name, bytes, e->dev->be->name);
  }
  l->memory += bytes;
  return H3D_OK;
}

void
h3d_layer_get(h3d_env *e, const void *mem, int64_t n, void *raw, double *out)
{
  const float *f = raw;
  const double *d = raw;
  int single = e->dev->type == H3D_F32;

  e->dev->be->get(e->dev, raw, mem, (size_t)n * h3d_type_size(e->dev->type));
  for (int64_t i = 0; i < n; i++) {
    out[i] = single ? (double)f[i] : d[i];
  }
}

void
h3d_layer_put(h3d_env *e, void *mem, int64_t n, void *raw, const double *in)
{
  float *f = raw;
  double *d = raw;

  for (int64_t i = 0; i < n; i++) {
    if (e->dev->type == H3D_F32) {
      f[i] = (float)in[i];
    } else {
      d[i] = in[i];
    }
  }
  e->dev->be->put(e->dev, mem, raw, (size_t)n * h3d_type_size(e->dev->type));
}

void
h3d_layer_copy(h3d_env *e, int64_t n, const void *src, void *dst)
{
  static const int64_t one[4] = { 1, 1, 1, 1 };
  static const h3d_cells all = { { 1, 1, 1, 1 }, { 0, 0, 0, 0 } };

  if (n > 0) {
    e->dev->be->copy_box(e->dev, one, (size_t)n * h3d_type_size(e->dev->type),
                         src, &all, dst, &all);
  }
}

void
h3d_layer_want_work(h3d_env *e, size_t bytes)
{
  if (e->work_size < bytes) {
    e->work_size = bytes;
  }
}
