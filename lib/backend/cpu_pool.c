/* cpu_pool.c: mean pooling by rows.
 *
 * The rows that a window covers in D and H are first added into one row, in a
 * buffer that stays in cache, then the window's taps along W are added from
 * it: long loops even for few channels.  Padding is left out, which adds its
 * zeros.
 */
#include "config.h"

#include "backend/cpu.h"
#include "backend/ref.h"

enum {
  ROOM = 4096, /* floats of the buffer */
  BLOCK = 64,  /* channels at a time */
};

/* sum[cells][nb] (+)= x, whose cells are c floats apart. */
H3D_CPU_KERNEL static void
add_cells(int64_t cells, int64_t nb, int64_t c, int is_first, const float *x,
          float *restrict sum)
{
  int64_t i, j;

  if (nb == c) {
    nb *= cells;
    cells = 1;
  }
  for (i = 0; i < cells; i++) {
    if (is_first) {
      for (j = 0; j < nb; j++) {
        sum[i * nb + j] = x[i * c + j];
      }
    } else {
      for (j = 0; j < nb; j++) {
        sum[i * nb + j] += x[i * c + j];
      }
    }
  }
}

/* y = scale times the sum of the buffer's cells at, at + step, ... below
 * end; n of them at most, those below 0 left out. */
static inline void
take(int64_t nb, int64_t at, int64_t step, int n, int64_t end,
     const float *restrict sum, float scale, float *restrict y)
{
  int64_t j;
  int t;

  for (j = 0; j < nb; j++) {
    y[j] = 0;
  }
  for (t = 0; t < n; t++) {
    int64_t i = at + t * step;

    if (i >= 0 && i < end) {
      for (j = 0; j < nb; j++) {
        y[j] += sum[i * nb + j];
      }
    }
  }
  for (j = 0; j < nb; j++) {
    y[j] *= scale;
  }
}

/* Outputs w0..w1 of a row from the sums of inputs lo..hi. */
H3D_CPU_KERNEL static void
take_outputs(const h3d_local *l, int64_t c, int64_t nb, int64_t w0, int64_t w1,
             int64_t lo, int64_t hi, const float *sum, float scale, float *y)
{
  int64_t w;

  for (w = w0; w < w1; w++) {
    take(nb, l->stride * w - l->pad - lo, l->dilation, l->kernel, hi - lo, sum,
         scale, y + w * c);
  }
}

/* Inputs w0..w1 of a row from the sums of output gradients lo..hi. */
H3D_CPU_KERNEL static void
take_inputs(const h3d_local *l, int64_t c, int64_t nb, int64_t w0, int64_t w1,
            int64_t lo, int64_t hi, const float *restrict sum, float scale,
            float *restrict dx)
{
  int64_t w, j;
  int t;

  for (w = w0; w < w1; w++) {
    float *to = dx + w * c;

    for (j = 0; j < nb; j++) {
      to[j] = 0;
    }
    for (t = 0; t < l->kernel; t++) {
      int64_t i = w + l->pad - (int64_t)t * l->dilation;

      if (i >= 0 && i % l->stride == 0 && i / l->stride >= lo
          && i / l->stride < hi) {
        const float *from = sum + (i / l->stride - lo) * nb;

        for (j = 0; j < nb; j++) {
          to[j] += scale * from[j];
        }
      }
    }
  }
}

static int64_t
span(const h3d_local *l)
{
  return (int64_t)(l->kernel - 1) * l->dilation + 1;
}

static float
one_over_taps(const h3d_local l[3])
{
  return 1.0f / ((float)l[0].kernel * (float)l[1].kernel * (float)l[2].kernel);
}

static int64_t
min(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t
max(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* Row (od, oh) of a sample's outputs. */
static void
forward_row(const h3d_pool_shape *s, int64_t od, int64_t oh, const float *x,
            float *y)
{
  const h3d_local *l = s->fwd;
  int64_t nb, first, w0, w1, c = s->c;
  float sum[ROOM];

  for (first = 0; first < c; first += BLOCK) {
    int64_t tile;

    nb = min(BLOCK, c - first);
    tile = (ROOM / nb - span(&l[2])) / l[2].stride + 1;
    for (w0 = 0; w0 < l[2].out; w0 = w1) {
      int64_t lo = max(0, l[2].stride * w0 - l[2].pad), hi;
      int a, b, is_first = 1;

      w1 = min(w0 + tile, l[2].out);
      hi = min(l[2].in, l[2].stride * (w1 - 1) - l[2].pad + span(&l[2]));
      for (a = 0; a < l[0].kernel; a++) {
        int64_t d = l[0].stride * od - l[0].pad + (int64_t)a * l[0].dilation;

        for (b = 0; b < l[1].kernel && d >= 0 && d < l[0].in; b++) {
          int64_t h = l[1].stride * oh - l[1].pad + (int64_t)b * l[1].dilation;

          if (h >= 0 && h < l[1].in && lo < hi) {
            add_cells(hi - lo, nb, c, is_first,
                      x + ((d * l[1].in + h) * l[2].in + lo) * c + first, sum);
            is_first = 0;
          }
        }
      }
      take_outputs(&l[2], c, nb, w0, w1, lo, is_first ? lo : hi, sum,
                   one_over_taps(l), y + first);
    }
  }
}

/* The output that reads input i through tap t, -1 if there is none. */
static int64_t
reader(const h3d_local *l, int64_t i, int t)
{
  int64_t j = i + l->pad - (int64_t)t * l->dilation;

  return j >= 0 && j % l->stride == 0 && j / l->stride < l->out ? j / l->stride
                                                                : -1;
}

/* Row (id, ih) of a sample's input gradients. */
static void
backward_row(const h3d_pool_shape *s, int64_t id, int64_t ih, const float *dy,
             float *dx)
{
  const h3d_local *l = s->bwd;
  int64_t nb, first, w0, w1, c = s->c;
  float sum[ROOM];

  for (first = 0; first < c; first += BLOCK) {
    int64_t tile;

    nb = min(BLOCK, c - first);
    tile = (ROOM / nb - 1) * l[2].stride - span(&l[2]) + 1;
    for (w0 = 0; w0 < l[2].in; w0 = w1) {
      /* Rounded down, which at worst takes one output too many. */
      int64_t lo = max(0, (w0 + l[2].pad - span(&l[2]) + 1) / l[2].stride);
      int64_t hi;
      int a, b, is_first = 1;

      w1 = min(w0 + tile, l[2].in);
      hi = w1 - 1 + l[2].pad < 0
             ? lo
             : min(l[2].out, (w1 - 1 + l[2].pad) / l[2].stride + 1);
      for (a = 0; a < l[0].kernel; a++) {
        int64_t d = reader(&l[0], id, a);

        for (b = 0; b < l[1].kernel && d >= 0; b++) {
          int64_t h = reader(&l[1], ih, b);

          if (h >= 0 && lo < hi) {
            add_cells(hi - lo, nb, c, is_first,
                      dy + ((d * l[1].out + h) * l[2].out + lo) * c + first,
                      sum);
            is_first = 0;
          }
        }
      }
      take_inputs(&l[2], c, nb, w0, w1, lo, is_first ? lo : hi, sum,
                  one_over_taps(l), dx + first);
    }
  }
}

/* Tiles need room for one window. */
static int
is_wide(const h3d_local *l)
{
  return span(l) > ROOM / BLOCK - 2;
}

void
h3d_cpu_pool_forward(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                     const void *xv, void *yv, int32_t *tap)
{
  const h3d_local *l = s->fwd;
  int64_t in = l[0].in * l[1].in * l[2].in * s->c, row;
  int64_t rows = n * l[0].out * l[1].out;
  const float *x = xv;
  float *y = yv;

  if (s->op == H3D_POOL_MAX) {
    h3d_cpu_max_forward(s, n, x, y, tap);
    return;
  }
  if (is_wide(&l[2])) {
    h3d_ref_pool_forward(dev, s, n, xv, yv, tap);
    return;
  }
#pragma omp parallel for
  for (row = 0; row < rows; row++) {
    forward_row(s, row / l[1].out % l[0].out, row % l[1].out,
                x + row / l[1].out / l[0].out * in, y + row * l[2].out * s->c);
  }
}

void
h3d_cpu_pool_backward(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                      const void *dyv, const int32_t *tap, void *dxv)
{
  const h3d_local *l = s->bwd;
  int64_t out = l[0].out * l[1].out * l[2].out * s->c, row;
  int64_t rows = n * l[0].in * l[1].in;
  const float *dy = dyv;
  float *dx = dxv;

  if (s->op == H3D_POOL_MAX) {
    h3d_cpu_max_backward(s, n, dy, tap, dx);
    return;
  }
  if (is_wide(&l[2])) {
    h3d_ref_pool_backward(dev, s, n, dyv, tap, dxv);
    return;
  }
#pragma omp parallel for
  for (row = 0; row < rows; row++) {
    backward_row(s, row / l[1].in % l[0].in, row % l[1].in,
                 dy + row / l[1].in / l[0].in * out,
                 dx + row * l[2].in * s->c);
  }
}
