/* A halo under way: begin and end of what halo.c planned. */
#include "config.h"

#include "tensor/halo_impl.h"

const h3d_local *
h3d_halo_forward_local(const h3d_halo *h)
{
  return h->fwd;
}

const h3d_local *
h3d_halo_backward_local(const h3d_halo *h)
{
  return h->bwd;
}

void
h3d_halo_input_begin(h3d_halo *h, int64_t n, const void *x)
{
  h->input = h->in.redist ? h->mem : x;
  if (h->in.redist) {
    h3d_redist_begin(h->in.redist, n, x, h->mem);
  }
}

const void *
h3d_halo_input_end(h3d_halo *h)
{
  if (h->in.redist) {
    h3d_redist_end(h->in.redist);
  }
  return h->input;
}

const void *
h3d_halo_input(const h3d_halo *h)
{
  return h->input;
}

/* Bytes of the gradient buffer, rounded up so that taps after it are aligned.
 */
static size_t
gradient_bytes(const h3d_halo *h)
{
  size_t bytes = (size_t)(h->grad.voxels * h->spec.cy * h->spec.samples)
                 * h3d_type_size(h->spec.dev->type);

  return (bytes + 63) / 64 * 64;
}

size_t
h3d_halo_work(const h3d_halo *h)
{
  size_t taps = (size_t)(h->grad.voxels * h->spec.cy * h->spec.samples)
                * sizeof(int32_t);

  if (!h->grad.redist) {
    return 0;
  }
  return gradient_bytes(h) + (h->grad.tap ? taps : 0);
}

void
h3d_halo_gradient_begin(h3d_halo *h, int64_t n, const void *dy,
                        const int32_t *tap, void *work)
{
  h->dy = dy;
  h->dy_tap = tap;
  h->work = work;
  if (h->grad.redist) {
    h3d_redist_begin(h->grad.redist, n, dy, work);
  }
  if (h->grad.tap) {
    h3d_redist_begin(h->grad.tap, n, tap, (char *)work + gradient_bytes(h));
  }
}

const void *
h3d_halo_gradient_end(h3d_halo *h, const int32_t **tap)
{
  const int32_t *t = h->dy_tap;

  if (h->grad.redist) {
    h3d_redist_end(h->grad.redist);
  }
  if (h->grad.tap) {
    h3d_redist_end(h->grad.tap);
    t = (const int32_t *)(const void *)((const char *)h->work
                                        + gradient_bytes(h));
  }
  if (tap) {
    *tap = t;
  }
  return h->grad.redist ? h->work : h->dy;
}

void
h3d_halo_about(const h3d_halo *h, int64_t *forward, int64_t *backward,
               size_t *memory)
{
  const h3d_redist *all[3] = { h->in.redist, h->grad.redist, h->grad.tap };

  *forward = h->in.redist ? h3d_redist_bytes(h->in.redist) : 0;
  *backward = h->grad.redist ? h3d_redist_bytes(h->grad.redist) : 0;
  *memory = h->mem_bytes;
  for (int i = 0; i < 3; i++) {
    *memory += all[i] ? h3d_redist_memory(all[i]) : 0;
  }
}
