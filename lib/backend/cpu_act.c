/* cpu_act.c: activations.  tanh is for small outputs, and ref's. */
#include "config.h"

#include "backend/cpu.h"
#include "backend/ref.h"

enum { CHUNK = 1 << 14 };

H3D_CPU_KERNEL static void
leaky(int64_t n, float slope, const float *x, float *y)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    y[i] = x[i] * (x[i] > 0 ? 1.0f : slope);
  }
}

H3D_CPU_KERNEL static void
leaky_back(int64_t n, float slope, const float *y, const float *dy, float *dx)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    dx[i] = dy[i] * (y[i] > 0 ? 1.0f : slope);
  }
}

void
h3d_cpu_act_forward(h3d_device *dev, const h3d_act_shape *s, int64_t size,
                    const void *xv, void *yv)
{
  float slope = s->fn == H3D_ACT_LEAKY ? (float)s->slope : 0;
  const float *x = xv;
  float *y = yv;
  int64_t i;

  if (s->fn == H3D_ACT_TANH) {
    h3d_ref_act_forward(dev, s, size, xv, yv);
    return;
  }
#pragma omp parallel for if (size > CHUNK)
  for (i = 0; i < size; i += CHUNK) {
    leaky(size - i < CHUNK ? size - i : CHUNK, slope, x + i, y + i);
  }
}

void
h3d_cpu_act_backward(h3d_device *dev, const h3d_act_shape *s, int64_t size,
                     const void *yv, const void *dyv, void *dxv)
{
  float slope = s->fn == H3D_ACT_LEAKY ? (float)s->slope : 0;
  const float *y = yv, *dy = dyv;
  float *dx = dxv;
  int64_t i;

  if (s->fn == H3D_ACT_TANH) {
    h3d_ref_act_backward(dev, s, size, yv, dyv, dxv);
    return;
  }
#pragma omp parallel for if (size > CHUNK)
  for (i = 0; i < size; i += CHUNK) {
    leaky_back(size - i < CHUNK ? size - i : CHUNK, slope, y + i, dy + i,
               dx + i);
  }
}
