/* cpu_dense.c: dense layers.  With few samples the matrix is read from memory
 * once and each element is used a few times: own loops, which allocate
 * nothing.  With many it is oneDNN's matrix product. */
#include "config.h"

#include "backend/cpu.h"

enum {
  FEW = 8,     /* samples up to which own loops serve */
  CHUNK = 1024 /* columns whose inputs stay in L1 */
};

static int64_t
min(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

H3D_CPU_KERNEL static float
dot(int64_t n, const float *x, const float *w)
{
  float sum = 0;
  int64_t i;

#pragma omp simd reduction(+ : sum)
  for (i = 0; i < n; i++) {
    sum += x[i] * w[i];
  }
  return sum;
}

/* y += a x */
H3D_CPU_KERNEL static void
axpy(int64_t n, float a, const float *restrict x, float *restrict y)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    y[i] += a * x[i];
  }
}

static int
is_few(int64_t n, int64_t in, int64_t out)
{
  return n <= FEW || in == 0 || out == 0;
}

void
h3d_cpu_dense_forward(h3d_device *dev, int64_t n, int64_t in, int64_t out,
                      const void *xv, const void *wv, void *yv)
{
  const float *x = xv, *w = wv;
  float *y = yv;
  int64_t o;

  (void)dev;
  if (!is_few(n, in, out)) {
    h3d_dnnl_gemm(0, 1, n, out, in, x, in, w, in, y, out);
    return;
  }
#pragma omp parallel for if (in * out > 16384)
  for (o = 0; o < out; o++) {
    int64_t s, i;

    for (s = 0; s < n; s += FEW) {
      int64_t k, few = min(FEW, n - s);
      double sum[FEW] = { 0 };

      for (i = 0; i < in; i += CHUNK) {
        for (k = 0; k < few; k++) {
          sum[k]
            += dot(min(CHUNK, in - i), x + (s + k) * in + i, w + o * in + i);
        }
      }
      for (k = 0; k < few; k++) {
        y[(s + k) * out + o] = (float)sum[k];
      }
    }
  }
}

void
h3d_cpu_dense_backward_data(h3d_device *dev, int64_t n, int64_t in,
                            int64_t out, const void *dyv, const void *wv,
                            void *dxv)
{
  const float *dy = dyv, *w = wv;
  float *dx = dxv;
  int64_t i;

  (void)dev;
  if (!is_few(n, in, out)) {
    h3d_dnnl_gemm(0, 0, n, in, out, dy, out, w, in, dx, in);
    return;
  }
#pragma omp parallel for if (in * out > 16384)
  for (i = 0; i < in; i += CHUNK) {
    int64_t len = min(CHUNK, in - i), s, o, j;

    for (s = 0; s < n; s++) {
      for (j = 0; j < len; j++) {
        dx[s * in + i + j] = 0;
      }
    }
    for (o = 0; o < out; o++) {
      for (s = 0; s < n; s++) {
        axpy(len, dy[s * out + o], w + o * in + i, dx + s * in + i);
      }
    }
  }
}

void
h3d_cpu_dense_backward_weights(h3d_device *dev, int64_t n, int64_t in,
                               int64_t out, const void *xv, const void *dyv,
                               void *dwv)
{
  const float *x = xv, *dy = dyv;
  float *dw = dwv;
  int64_t o;

  (void)dev;
  if (!is_few(n, in, out)) {
    h3d_dnnl_gemm(1, 0, out, in, n, dy, out, x, in, dw, in);
    return;
  }
#pragma omp parallel for if (in * out > 16384)
  for (o = 0; o < out; o++) {
    int64_t i, s, j;

    for (i = 0; i < in; i += CHUNK) {
      int64_t len = min(CHUNK, in - i);
      float *to = dw + o * in + i;

      for (j = 0; j < len; j++) {
        to[j] = 0;
      }
      for (s = 0; s < n; s++) {
        axpy(len, dy[s * out + o], x + s * in + i, to);
      }
    }
  }
}
