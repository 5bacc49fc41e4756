/* cpu_norm.c: sums over voxels by channel, and what a norm does with them.
 *
 * Voxels are cut in PARTS equal parts whatever the number of threads, and the
 * parts are combined in order, so that results do not depend on it.
 */
#include "config.h"

#include "backend/cpu.h"

#include <string.h>

enum {
  PARTS = 64,
  BLOCK = 64, /* channels at a time */
  VOXELS = 64 /* read twice, from cache */
};

/* Sums of a part, or of everything. */
typedef struct sums {
  double n, a[BLOCK], b[BLOCK];
} sums;

/* p := p and q together: means in a, squares in b (T. Chan, G. Golub, R.
 * LeVeque 1983). */
static inline void
combine(sums *p, const sums *q, int64_t nb)
{
  double n = p->n + q->n;
  int64_t j;

  if (q->n > 0) {
    for (j = 0; j < nb; j++) {
      double d = q->a[j] - p->a[j];

      p->a[j] += d * (q->n / n);
      p->b[j] += q->b[j] + d * d * (p->n * q->n / n);
    }
    p->n = n;
  }
}

H3D_CPU_KERNEL static void
moments(int64_t m, int64_t c, int64_t nb, const float *x, sums *out)
{
  int64_t from, i, j;

  memset(out, 0, sizeof *out);
  for (from = 0; from < m; from += VOXELS) {
    int64_t n = m - from < VOXELS ? m - from : VOXELS;
    sums s = { .n = (double)n };

    for (i = 0; i < n; i++) {
      for (j = 0; j < nb; j++) {
        s.a[j] += x[(from + i) * c + j];
      }
    }
    for (j = 0; j < nb; j++) {
      s.a[j] /= s.n;
    }
    for (i = 0; i < n; i++) {
      for (j = 0; j < nb; j++) {
        double d = x[(from + i) * c + j] - s.a[j];

        s.b[j] += d * d;
      }
    }
    combine(out, &s, nb);
  }
}

/* a: sum of dy; b: sum of dy (x - mean). */
H3D_CPU_KERNEL static void
products(int64_t m, int64_t c, int64_t nb, const double *mean, const float *x,
         const float *dy, sums *out)
{
  int64_t i, j;

  memset(out, 0, sizeof *out);
  for (i = 0; i < m; i++) {
    for (j = 0; j < nb; j++) {
      double g = dy[i * c + j];

      out->a[j] += g;
      out->b[j] += g * (x[i * c + j] - mean[j]);
    }
  }
}

H3D_CPU_KERNEL static void
total(int64_t m, int64_t c, int64_t nb, const float *dy, sums *out)
{
  int64_t i, j;

  memset(out, 0, sizeof *out);
  for (i = 0; i < m; i++) {
    for (j = 0; j < nb; j++) {
      out->a[j] += dy[i * c + j];
    }
  }
}

static int64_t
part_start(int64_t m, int p)
{
  return m / PARTS * p + m % PARTS * p / PARTS;
}

void
h3d_cpu_norm_moments(h3d_device *dev, int64_t m, int64_t c, const void *xv,
                     double *mean, double *m2)
{
  const float *x = xv;
  int64_t first;

  (void)dev;
  for (first = 0; first < c; first += BLOCK) {
    int64_t nb = c - first < BLOCK ? c - first : BLOCK;
    sums part[PARTS], all;
    int p;

#pragma omp parallel for
    for (p = 0; p < PARTS; p++) {
      int64_t at = part_start(m, p);

      moments(part_start(m, p + 1) - at, c, nb, x + at * c + first, &part[p]);
    }
    memset(&all, 0, sizeof all);
    for (p = 0; p < PARTS; p++) {
      combine(&all, &part[p], nb);
    }
    memcpy(mean + first, all.a, (size_t)nb * sizeof *mean);
    memcpy(m2 + first, all.b, (size_t)nb * sizeof *m2);
  }
}

void
h3d_cpu_norm_sums(h3d_device *dev, int64_t m, int64_t c, const double *mean,
                  const double *inv, const void *xv, const void *dyv,
                  double *sum_dy, double *sum_dyx)
{
  const float *x = xv, *dy = dyv;
  int64_t first, j;

  (void)dev;
  for (first = 0; first < c; first += BLOCK) {
    int64_t nb = c - first < BLOCK ? c - first : BLOCK;
    sums part[PARTS];
    int p;

#pragma omp parallel for
    for (p = 0; p < PARTS; p++) {
      int64_t at = part_start(m, p), from = at * c + first;

      products(part_start(m, p + 1) - at, c, nb, mean + first, x + from,
               dy + from, &part[p]);
    }
    for (j = 0; j < nb; j++) {
      double a = 0, b = 0;

      for (p = 0; p < PARTS; p++) {
        a += part[p].a[j];
        b += part[p].b[j];
      }
      sum_dy[first + j] = a;
      sum_dyx[first + j] = b * inv[first + j];
    }
  }
}

void
h3d_cpu_bias_gradient(h3d_device *dev, int64_t m, int64_t c, const void *dyv,
                      void *dbv)
{
  const float *dy = dyv;
  float *db = dbv;
  int64_t first, j;

  (void)dev;
  for (first = 0; first < c; first += BLOCK) {
    int64_t nb = c - first < BLOCK ? c - first : BLOCK;
    sums part[PARTS];
    int p;

#pragma omp parallel for
    for (p = 0; p < PARTS; p++) {
      int64_t at = part_start(m, p);

      total(part_start(m, p + 1) - at, c, nb, dy + at * c + first, &part[p]);
    }
    for (j = 0; j < nb; j++) {
      double a = 0;

      for (p = 0; p < PARTS; p++) {
        a += part[p].a[j];
      }
      db[first + j] = (float)a;
    }
  }
}

/* In double, for a mean that is large beside the deviation. */
H3D_CPU_KERNEL static void
apply(int64_t m, int64_t c, const double *a, const double *b, const float *x,
      float *y)
{
  int64_t i, j;

  for (i = 0; i < m; i++) {
    for (j = 0; j < c; j++) {
      y[i * c + j] = (float)(a[j] * x[i * c + j] + b[j]);
    }
  }
}

H3D_CPU_KERNEL static void
back(int64_t m, int64_t c, const double *a, const double *b, const double *k,
     const float *x, const float *dy, float *dx)
{
  int64_t i, j;

  for (i = 0; i < m; i++) {
    for (j = 0; j < c; j++) {
      dx[i * c + j]
        = (float)(a[j] * dy[i * c + j] + b[j] * x[i * c + j] + k[j]);
    }
  }
}

void
h3d_cpu_norm_apply(h3d_device *dev, int64_t m, int64_t c, const double *a,
                   const double *b, const void *xv, void *yv)
{
  const float *x = xv;
  float *y = yv;
  int p;

  (void)dev;
#pragma omp parallel for
  for (p = 0; p < PARTS; p++) {
    int64_t at = part_start(m, p);

    apply(part_start(m, p + 1) - at, c, a, b, x + at * c, y + at * c);
  }
}

void
h3d_cpu_norm_backward(h3d_device *dev, int64_t m, int64_t c, const double *a,
                      const double *b, const double *k, const void *xv,
                      const void *dyv, void *dxv)
{
  const float *x = xv, *dy = dyv;
  float *dx = dxv;
  int p;

  (void)dev;
#pragma omp parallel for
  for (p = 0; p < PARTS; p++) {
    int64_t at = part_start(m, p);

    back(part_start(m, p + 1) - at, c, a, b, k, x + at * c, dy + at * c,
         dx + at * c);
  }
}
