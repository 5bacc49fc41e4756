#include "config.h"

#include "backend/ref.h"

#include "base/check.h"
#include "base/mem.h"

#include <string.h>

static h3d_status
ref_open(h3d_device *dev, h3d_type type)
{
  dev->type = type;
  return H3D_OK;
}

static void
ref_close(h3d_device *dev)
{
  (void)dev;
}

void
h3d_ref_sync(h3d_device *dev)
{
  (void)dev; /* nothing is ever queued */
}

static const char *
ref_about(void)
{
  return "plain loops, sums in double";
}

h3d_status
h3d_ref_alloc(h3d_device *dev, size_t bytes, void **mem)
{
  (void)dev;
  return h3d_alloc(bytes, 1, mem);
}

void
h3d_ref_release(h3d_device *dev, void *mem)
{
  (void)dev;
  h3d_free(mem);
}

void
h3d_ref_put(h3d_device *dev, void *mem, const void *host, size_t bytes)
{
  (void)dev;
  if (bytes > 0) {
    memcpy(mem, host, bytes);
  }
}

void
h3d_ref_get(h3d_device *dev, void *host, const void *mem, size_t bytes)
{
  (void)dev;
  if (bytes > 0) {
    memcpy(host, mem, bytes);
  }
}

void
h3d_ref_zero(h3d_device *dev, void *mem, size_t bytes)
{
  (void)dev;
  if (bytes > 0) {
    memset(mem, 0, bytes);
  }
}

static int
is_inside(const int64_t len[4], const h3d_cells *b)
{
  int a;

  for (a = 0; a < 4; a++) {
    if (b->at[a] < 0 || b->at[a] + len[a] > b->ext[a]) {
      return 0;
    }
  }
  return 1;
}

/* Voxels before row i of the box in its buffer, the rows counted over the
 * box's N D H. */
static int64_t
row_start(const int64_t len[4], const h3d_cells *b, int64_t i)
{
  int64_t h = i % len[2], d = i / len[2] % len[1], n = i / len[2] / len[1];

  return (((b->at[0] + n) * b->ext[1] + b->at[1] + d) * b->ext[2] + b->at[2]
          + h)
           * b->ext[3]
         + b->at[3];
}

/* Threads cost more than they bring below this many bytes. */
enum { THREADS_FROM = 1 << 16 };

void
h3d_ref_copy_box(h3d_device *dev, const int64_t len[4], size_t cell,
                 const void *src, const h3d_cells *from, void *dst,
                 const h3d_cells *to)
{
  int64_t rows = len[0] * len[1] * len[2], i;
  size_t row = (size_t)len[3] * cell;

  (void)dev;
  if (rows <= 0 || row == 0) {
    return;
  }
  H3D_ASSERT(is_inside(len, from) && is_inside(len, to));
#pragma omp parallel for if ((size_t)rows * row > THREADS_FROM)
  for (i = 0; i < rows; i++) {
    memcpy((char *)dst + (size_t)row_start(len, to, i) * cell,
           (const char *)src + (size_t)row_start(len, from, i) * cell, row);
  }
}

void
h3d_ref_add_box(h3d_device *dev, const int64_t len[4], int64_t c,
                const void *src, const h3d_cells *from, void *dst,
                const h3d_cells *to)
{
  int64_t rows = len[0] * len[1] * len[2], i;

  if (rows <= 0 || len[3] * c == 0) {
    return;
  }
  H3D_ASSERT(is_inside(len, from) && is_inside(len, to));
#pragma omp parallel for if (rows * len[3] * c > THREADS_FROM)
  for (i = 0; i < rows; i++) {
    int64_t f = row_start(len, from, i) * c, t = row_start(len, to, i) * c, j;

    if (dev->type == H3D_F64) {
      for (j = 0; j < len[3] * c; j++) {
        ((double *)dst)[t + j] += ((const double *)src)[f + j];
      }
    } else {
      for (j = 0; j < len[3] * c; j++) {
        ((float *)dst)[t + j] += ((const float *)src)[f + j];
      }
    }
  }
}

const h3d_backend h3d_backend_ref = {
  .name = "ref",
  .help = "plain loops that define every operation; fp32 and fp64, slow",
  .open = ref_open,
  .close = ref_close,
  .sync = h3d_ref_sync,
  .about = ref_about,
  .alloc = h3d_ref_alloc,
  .release = h3d_ref_release,
  .put = h3d_ref_put,
  .get = h3d_ref_get,
  .zero = h3d_ref_zero,
  .copy_box = h3d_ref_copy_box,
  .add_box = h3d_ref_add_box,
  .conv_plan = h3d_ref_conv_plan,
  .conv_release = h3d_ref_conv_release,
  .conv_about = h3d_ref_conv_about,
  .conv_forward = h3d_ref_conv_forward,
  .conv_backward_data = h3d_ref_conv_backward_data,
  .conv_backward_weights = h3d_ref_conv_backward_weights,
  .pool_forward = h3d_ref_pool_forward,
  .pool_backward = h3d_ref_pool_backward,
  .act_forward = h3d_ref_act_forward,
  .act_backward = h3d_ref_act_backward,
  .norm_moments = h3d_ref_norm_moments,
  .norm_apply = h3d_ref_norm_apply,
  .norm_sums = h3d_ref_norm_sums,
  .norm_backward = h3d_ref_norm_backward,
  .dense_forward = h3d_ref_dense_forward,
  .dense_backward_data = h3d_ref_dense_backward_data,
  .dense_backward_weights = h3d_ref_dense_backward_weights,
  .bias_add = h3d_ref_bias_add,
  .bias_gradient = h3d_ref_bias_gradient,
  .dropout = h3d_ref_dropout,
  .scale = h3d_ref_scale,
  .add = h3d_ref_add,
  .sum_squares = h3d_ref_sum_squares,
  .is_finite = h3d_ref_is_finite,
  .sgd = h3d_ref_sgd,
  .adam = h3d_ref_adam,
};
