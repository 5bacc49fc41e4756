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
  h3d_status st = h3d_alloc(dev->dry ? sizeof bytes : bytes, 1, mem);

  if (st == H3D_OK) {
    dev->bytes += bytes;
    if (dev->dry) {
      memcpy(*mem, &bytes, sizeof bytes);
    }
  }
  return st;
}

void
h3d_ref_release(h3d_device *dev, void *mem)
{
  size_t bytes = h3d_mem_size(mem);

  if (mem != NULL && dev->dry) {
    memcpy(&bytes, mem, sizeof bytes);
  }
  dev->bytes -= bytes;
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

/* Voxels before row (n d, h) of the box in its buffer. */
static inline int64_t
row_start(const int64_t len[4], const h3d_cells *b, int64_t plane, int64_t h)
{
  int64_t n = b->at[0] + plane / len[1], d = b->at[1] + plane % len[1];

  return ((n * b->ext[1] + d) * b->ext[2] + b->at[2] + h) * b->ext[3]
         + b->at[3];
}

/* Threads cost more than they bring below this many bytes. */
enum { THREADS_FROM = 1 << 16 };

void
h3d_ref_copy_box(h3d_device *dev, const int64_t len[4], size_t cell,
                 const void *src, const h3d_cells *from, void *dst,
                 const h3d_cells *to)
{
  int64_t planes = len[0] * len[1], i, h;
  size_t row = (size_t)len[3] * cell;

  (void)dev;
  if (planes * len[2] <= 0 || row == 0) {
    return;
  }
  H3D_ASSERT(is_inside(len, from) && is_inside(len, to));
#pragma omp parallel for collapse(2) if ((size_t)(planes * len[2]) * row \
                                         > THREADS_FROM)
  for (i = 0; i < planes; i++) {
    for (h = 0; h < len[2]; h++) {
      memcpy((char *)dst + (size_t)row_start(len, to, i, h) * cell,
             (const char *)src + (size_t)row_start(len, from, i, h) * cell,
             row);
    }
  }
}

static void
add_f32(int64_t n, const float *x, float *y)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    y[i] += x[i];
  }
}

static void
add_f64(int64_t n, const double *x, double *y)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    y[i] += x[i];
  }
}

void
h3d_ref_add_box(h3d_device *dev, const int64_t len[4], int64_t c,
                const void *src, const h3d_cells *from, void *dst,
                const h3d_cells *to)
{
  int64_t planes = len[0] * len[1], i, h;

  if (planes * len[2] <= 0 || len[3] * c == 0) {
    return;
  }
  H3D_ASSERT(is_inside(len, from) && is_inside(len, to));
#pragma omp parallel for collapse(2) if (planes * len[2] * len[3] * c \
                                         > THREADS_FROM)
  for (i = 0; i < planes; i++) {
    for (h = 0; h < len[2]; h++) {
      int64_t f = row_start(len, from, i, h) * c;
      int64_t t = row_start(len, to, i, h) * c;

      if (dev->type == H3D_F64) {
        add_f64(len[3] * c, (const double *)src + f, (double *)dst + t);
      } else {
        add_f32(len[3] * c, (const float *)src + f, (float *)dst + t);
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
