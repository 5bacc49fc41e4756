#include "config.h"

#include "model/shard.h"

#include "base/mem.h"

int64_t
h3d_shard_total(const h3d_param *p)
{
  int64_t n = 1;

  for (int i = 0; i < p->dims; i++) {
    n *= p->n[i];
  }
  return n;
}

int64_t
h3d_shard_index(const h3d_param *p, int64_t j)
{
  const int64_t *len = &p->box.len[H3D_AXIS_D], *e = p->extent;
  const int64_t *start = &p->box.start[H3D_AXIS_D];
  int64_t channels = p->box.len[H3D_AXIS_C], c, d, h, w, row;

  if (!p->sharded) {
    return j;
  }
  c = j % channels;
  j /= channels;
  w = start[2] + j % len[2];
  j /= len[2];
  h = start[1] + j % len[1];
  j /= len[1];
  d = start[0] + j % len[0];
  row = j / len[0];
  return (((row * channels + c) * e[0] + d) * e[1] + h) * e[2] + w;
}

void
h3d_shard_put(h3d_device *dev, int64_t n, const double *in, void *mem)
{
  float *x;

  if (dev->type == H3D_F64) {
    dev->be->put(dev, mem, in, (size_t)n * sizeof *in);
    return;
  }
  x = h3d_new((size_t)n, sizeof *x);
  for (int64_t i = 0; i < n; i++) {
    x[i] = (float)in[i];
  }
  dev->be->put(dev, mem, x, (size_t)n * sizeof *x);
  h3d_free(x);
}

void
h3d_shard_get(h3d_device *dev, int64_t n, const void *mem, double *out)
{
  float *x;

  if (dev->type == H3D_F64) {
    dev->be->get(dev, out, mem, (size_t)n * sizeof *out);
    return;
  }
  x = h3d_new((size_t)n, sizeof *x);
  dev->be->get(dev, x, mem, (size_t)n * sizeof *x);
  for (int64_t i = 0; i < n; i++) {
    out[i] = x[i];
  }
  h3d_free(x);
}
