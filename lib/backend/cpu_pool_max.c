/* cpu_pool_max.c: max pooling, the channels of a cell at a time. */
#include "config.h"

#include "backend/cpu.h"

/* Tap t of the window: the first one fills, the others must be greater, or
 * NaN, to win. */
static inline void
offer(int64_t c, int32_t t, int is_first, const float *restrict x,
      float *restrict y, int32_t *restrict tap)
{
  int64_t j;

  if (is_first) {
    for (j = 0; j < c; j++) {
      y[j] = x[j];
      tap[j] = t;
    }
    return;
  }
  for (j = 0; j < c; j++) {
    int wins = (x[j] > y[j]) | (x[j] != x[j]);

    y[j] = wins ? x[j] : y[j];
    tap[j] = wins ? t : tap[j];
  }
}

H3D_CPU_KERNEL static void
forward_row(const h3d_pool_shape *s, int64_t od, int64_t oh, const float *x,
            float *y, int32_t *tap)
{
  const h3d_local *l = s->fwd;
  int64_t ow, j, c = s->c;
  int a, b, k;

  for (ow = 0; ow < l[2].out; ow++, y += c, tap += c) {
    int32_t t = 0;
    int is_first = 1;

    for (a = 0; a < l[0].kernel; a++) {
      int64_t d = l[0].stride * od - l[0].pad + (int64_t)a * l[0].dilation;

      for (b = 0; b < l[1].kernel; b++) {
        int64_t h = l[1].stride * oh - l[1].pad + (int64_t)b * l[1].dilation;

        for (k = 0; k < l[2].kernel; k++, t++) {
          int64_t w = l[2].stride * ow - l[2].pad + (int64_t)k * l[2].dilation;

          if (d >= 0 && d < l[0].in && h >= 0 && h < l[1].in && w >= 0
              && w < l[2].in) {
            offer(c, t, is_first, x + ((d * l[1].in + h) * l[2].in + w) * c, y,
                  tap);
            is_first = 0;
          }
        }
      }
    }
    for (j = 0; is_first && j < c; j++) {
      y[j] = 0; /* nothing but padding */
      tap[j] = -1;
    }
  }
}

void
h3d_cpu_max_forward(const h3d_pool_shape *s, int64_t n, const float *x,
                    float *y, int32_t *tap)
{
  const h3d_local *l = s->fwd;
  int64_t in = l[0].in * l[1].in * l[2].in * s->c, row;
  int64_t rows = n * l[0].out * l[1].out;

#pragma omp parallel for
  for (row = 0; row < rows; row++) {
    int64_t at = row * l[2].out * s->c;

    forward_row(s, row / l[1].out % l[0].out, row % l[1].out,
                x + row / l[1].out / l[0].out * in, y + at, tap + at);
  }
}

/* Output of the window whose tap t is input i, -1 if there is none. */
static inline int64_t
reader(const h3d_local *l, int64_t i, int t)
{
  int64_t j = i + l->pad - (int64_t)t * l->dilation;

  return j >= 0 && j % l->stride == 0 && j / l->stride < l->out ? j / l->stride
                                                                : -1;
}

static inline void
gather(int64_t c, int32_t t, const float *restrict dy,
       const int32_t *restrict tap, float *restrict dx)
{
  int64_t j;

  for (j = 0; j < c; j++) {
    dx[j] += tap[j] == t ? dy[j] : 0;
  }
}

H3D_CPU_KERNEL static void
backward_row(const h3d_pool_shape *s, int64_t id, int64_t ih, const float *dy,
             const int32_t *tap, float *dx)
{
  const h3d_local *l = s->bwd;
  int64_t iw, j, c = s->c;
  int a, b, k;

  for (iw = 0; iw < l[2].in; iw++, dx += c) {
    for (j = 0; j < c; j++) {
      dx[j] = 0;
    }
    for (a = 0; a < l[0].kernel; a++) {
      int64_t d = reader(&l[0], id, a);

      for (b = 0; b < l[1].kernel && d >= 0; b++) {
        int64_t h = reader(&l[1], ih, b);

        for (k = 0; k < l[2].kernel && h >= 0; k++) {
          int64_t w = reader(&l[2], iw, k);

          if (w >= 0) {
            int64_t at = ((d * l[1].out + h) * l[2].out + w) * c;

            gather(c, (a * l[1].kernel + b) * l[2].kernel + k, dy + at,
                   tap + at, dx);
          }
        }
      }
    }
  }
}

void
h3d_cpu_max_backward(const h3d_pool_shape *s, int64_t n, const float *dy,
                     const int32_t *tap, float *dx)
{
  const h3d_local *l = s->bwd;
  int64_t out = l[0].out * l[1].out * l[2].out * s->c, row;
  int64_t rows = n * l[0].in * l[1].in;

#pragma omp parallel for
  for (row = 0; row < rows; row++) {
    int64_t at = row / l[1].in / l[0].in * out;

    backward_row(s, row / l[1].in % l[0].in, row % l[1].in, dy + at, tap + at,
                 dx + row * l[2].in * s->c);
  }
}
