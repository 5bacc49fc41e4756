/* cpu_vec.c: vectors, dropout and optimizers. */
#include "config.h"

#include "backend/cpu.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 14 };

static int64_t
left(int64_t size, int64_t i)
{
  return size - i < CHUNK ? size - i : CHUNK;
}

H3D_CPU_KERNEL static void
add(int64_t n, const float *x, float *y)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    y[i] += x[i];
  }
}

void
h3d_cpu_add(h3d_device *dev, int64_t size, const void *xv, void *yv)
{
  const float *x = xv;
  float *y = yv;
  int64_t i;

  (void)dev;
#pragma omp parallel for if (size > CHUNK)
  for (i = 0; i < size; i += CHUNK) {
    add(left(size, i), x + i, y + i);
  }
}

H3D_CPU_KERNEL static double
squares(int64_t n, const float *x)
{
  double sum = 0;
  int64_t i;

#pragma omp simd reduction(+ : sum)
  for (i = 0; i < n; i++) {
    sum += (double)x[i] * x[i];
  }
  return sum;
}

double
h3d_cpu_sum_squares(h3d_device *dev, int64_t size, const void *xv)
{
  enum { PARTS = 64 }; /* whatever the number of threads */
  double part[PARTS], sum = 0;
  const float *x = xv;
  int p;

  (void)dev;
#pragma omp parallel for if (size > CHUNK)
  for (p = 0; p < PARTS; p++) {
    int64_t at = size / PARTS * p + size % PARTS * p / PARTS;
    int64_t end = size / PARTS * (p + 1) + size % PARTS * (p + 1) / PARTS;

    part[p] = squares(end - at, x + at);
  }
  for (p = 0; p < PARTS; p++) {
    sum += part[p];
  }
  return sum;
}

/* Infinities and NaN have all bits of the exponent. */
H3D_CPU_KERNEL static int
is_finite(int64_t n, const float *x)
{
  const uint32_t exponent = 0x7f800000u;
  int bad = 0;
  int64_t i;

#pragma omp simd reduction(| : bad)
  for (i = 0; i < n; i++) {
    uint32_t bits;

    memcpy(&bits, &x[i], sizeof bits);
    bad |= (bits & exponent) == exponent;
  }
  return !bad;
}

int
h3d_cpu_is_finite(h3d_device *dev, int64_t size, const void *xv)
{
  const float *x = xv;
  int bad = 0;
  int64_t i;

  (void)dev;
#pragma omp parallel for reduction(| : bad) if (size > CHUNK)
  for (i = 0; i < size; i += CHUNK) {
    bad |= !is_finite(left(size, i), x + i);
  }
  return !bad;
}

void
h3d_cpu_dropout(h3d_device *dev, const h3d_place *p, const h3d_rng *rng,
                double drop, const void *xv, void *yv)
{
  int64_t rows = p->n * p->len[0] * p->len[1], width = p->len[2] * p->c, row;
  const float *x = xv;
  float *y = yv;

  (void)dev;
#pragma omp parallel for
  for (row = 0; row < rows; row++) {
    int64_t h = row % p->len[1], d = row / p->len[1] % p->len[0], i;
    int64_t s = p->first + row / p->len[1] / p->len[0];
    int64_t voxel
      = ((s * p->extent[0] + p->start[0] + d) * p->extent[1] + p->start[1] + h)
          * p->extent[2]
        + p->start[2];
    uint64_t at = (uint64_t)(voxel * p->c);
    uint32_t word[4];

    for (i = 0; i < width; i++, at++) {
      double u;

      /* A block of the stream is four words: made once. */
      if (i == 0 || at % 4 == 0) {
        h3d_rng_block(rng, at / 4, word);
      }
      u = word[at % 4] * 0x1p-32;
      y[row * width + i]
        = u >= drop ? (float)(x[row * width + i] / (1 - drop)) : 0;
    }
  }
}

typedef struct sgd_step {
  float lr, momentum, decay;
  int nesterov;
} sgd_step;

H3D_CPU_KERNEL static void
plain_sgd(sgd_step s, int64_t n, const float *restrict g, float *restrict w)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    w[i] -= s.lr * (g[i] + s.decay * w[i]);
  }
}

H3D_CPU_KERNEL static void
momentum_sgd(sgd_step s, int64_t n, const float *restrict g, float *restrict m,
             float *restrict w)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    float grad = g[i] + s.decay * w[i];

    m[i] = s.momentum * m[i] + grad;
    w[i] -= s.lr * (s.nesterov ? grad + s.momentum * m[i] : m[i]);
  }
}

void
h3d_cpu_sgd(h3d_device *dev, const h3d_sgd_shape *s, int64_t size,
            const void *gv, void *mv, void *wv)
{
  sgd_step step
    = { (float)s->lr, (float)s->momentum, (float)s->decay, s->nesterov };
  const float *g = gv;
  float *m = mv, *w = wv;
  int64_t i;

  (void)dev;
#pragma omp parallel for if (size > CHUNK)
  for (i = 0; i < size; i += CHUNK) {
    if (m) {
      momentum_sgd(step, left(size, i), g + i, m + i, w + i);
    } else {
      plain_sgd(step, left(size, i), g + i, w + i);
    }
  }
}

typedef struct adam_step {
  float shrink, decay;              /* of weights, of the gradient */
  float beta1, rest1, beta2, rest2; /* rest: 1 - beta */
  float rate, root, eps; /* lr / (1 - beta1^t), 1 / sqrt (1 - beta2^t) */
} adam_step;

H3D_CPU_KERNEL static void
adam(adam_step s, int64_t n, const float *restrict g, float *restrict m,
     float *restrict v, float *restrict w)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    float grad = g[i] + s.decay * w[i];

    m[i] = s.beta1 * m[i] + s.rest1 * grad;
    v[i] = s.beta2 * v[i] + s.rest2 * grad * grad;
    w[i] = s.shrink * w[i] - s.rate * m[i] / (sqrtf(v[i]) * s.root + s.eps);
  }
}

void
h3d_cpu_adam(h3d_device *dev, const h3d_adam_shape *s, int64_t size,
             const void *gv, void *mv, void *vv, void *wv)
{
  double mend1 = 1 - pow(s->beta1, (double)s->step);
  double mend2 = 1 - pow(s->beta2, (double)s->step);
  adam_step step = {
    .shrink = (float)(s->decoupled ? 1 - s->lr * s->decay : 1),
    .decay = (float)(s->decoupled ? 0 : s->decay),
    .beta1 = (float)s->beta1,
    .rest1 = (float)(1 - s->beta1),
    .beta2 = (float)s->beta2,
    .rest2 = (float)(1 - s->beta2),
    .rate = (float)(s->lr / mend1),
    .root = (float)(1 / sqrt(mend2)),
    .eps = (float)s->eps,
  };
  const float *g = gv;
  float *m = mv, *v = vv, *w = wv;
  int64_t i;

  (void)dev;
#pragma omp parallel for if (size > CHUNK)
  for (i = 0; i < size; i += CHUNK) {
    adam(step, left(size, i), g + i, m + i, v + i, w + i);
  }
}
