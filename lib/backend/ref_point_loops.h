/* ref_point_loops.h: a template, included by ref_point.c once per type, with
 * REAL the type and NAME the suffix of its functions.
 */

static void
NAME(act_forward)(const h3d_act_shape *s, int64_t size, const void *xv,
                  void *yv)
{
  const REAL *x = xv;
  REAL *y = yv;
  double slope = s->fn == H3D_ACT_LEAKY ? s->slope : 0;
  int64_t i;

#pragma omp parallel for
  for (i = 0; i < size; i++) {
    double v = x[i];

    if (s->fn == H3D_ACT_TANH) {
      y[i] = (REAL)(s->scale * tanh(v));
    } else {
      y[i] = (REAL)(v > 0 ? v : slope * v);
    }
  }
}

static void
NAME(act_backward)(const h3d_act_shape *s, int64_t size, const void *yv,
                   const void *dyv, void *dxv)
{
  const REAL *y = yv, *dy = dyv;
  REAL *dx = dxv;
  double slope = s->fn == H3D_ACT_LEAKY ? s->slope : 0;
  int64_t i;

#pragma omp parallel for
  for (i = 0; i < size; i++) {
    if (s->fn == H3D_ACT_TANH) {
      double t = y[i] / s->scale;

      dx[i] = (REAL)(s->scale * (1 - t * t) * dy[i]);
    } else {
      dx[i] = (REAL)(y[i] > 0 ? dy[i] : slope * dy[i]);
    }
  }
}

/* Two passes; the second one corrects the mean by what it finds (T. Chan, G.
 * Golub, R. LeVeque 1983, "Algorithms for computing the sample variance"). */
static void
NAME(norm_moments)(int64_t m, int64_t c, const void *xv, double *mean,
                   double *m2)
{
  const REAL *x = xv;
  int64_t j;

#pragma omp parallel for
  for (j = 0; j < c; j++) {
    double sum = 0, rest = 0, squares = 0, about;
    int64_t i;

    for (i = 0; i < m; i++) {
      sum += x[i * c + j];
    }
    about = m > 0 ? sum / (double)m : 0;
    for (i = 0; i < m; i++) {
      double d = x[i * c + j] - about;

      rest += d;
      squares += d * d;
    }
    mean[j] = m > 0 ? about + rest / (double)m : 0;
    m2[j] = m > 0 ? squares - rest * rest / (double)m : 0;
  }
}

static void
NAME(norm_apply)(int64_t m, int64_t c, const double *a, const double *b,
                 const void *xv, void *yv)
{
  const REAL *x = xv;
  REAL *y = yv;
  int64_t i;

#pragma omp parallel for
  for (i = 0; i < m; i++) {
    int64_t j;

    for (j = 0; j < c; j++) {
      y[i * c + j] = (REAL)(a[j] * x[i * c + j] + b[j]);
    }
  }
}

static void
NAME(norm_sums)(int64_t m, int64_t c, const double *mean, const double *inv,
                const void *xv, const void *dyv, double *sum_dy,
                double *sum_dyx)
{
  const REAL *x = xv, *dy = dyv;
  int64_t j;

#pragma omp parallel for
  for (j = 0; j < c; j++) {
    double sum = 0, product = 0;
    int64_t i;

    for (i = 0; i < m; i++) {
      sum += dy[i * c + j];
      product += dy[i * c + j] * (x[i * c + j] - mean[j]);
    }
    sum_dy[j] = sum;
    sum_dyx[j] = product * inv[j];
  }
}

static void
NAME(norm_backward)(int64_t m, int64_t c, const double *a, const double *b,
                    const double *k, const void *xv, const void *dyv,
                    void *dxv)
{
  const REAL *x = xv, *dy = dyv;
  REAL *dx = dxv;
  int64_t i;

#pragma omp parallel for
  for (i = 0; i < m; i++) {
    int64_t j;

    for (j = 0; j < c; j++) {
      dx[i * c + j]
        = (REAL)(a[j] * dy[i * c + j] + b[j] * x[i * c + j] + k[j]);
    }
  }
}

static void
NAME(dropout)(const h3d_place *p, const h3d_rng *rng, double drop,
              const void *xv, void *yv)
{
  const REAL *x = xv;
  REAL *y = yv;
  int64_t rows = p->n * p->len[0] * p->len[1], row;

#pragma omp parallel for
  for (row = 0; row < rows; row++) {
    int64_t h = row % p->len[1], d = row / p->len[1] % p->len[0];
    int64_t s = row / p->len[1] / p->len[0], width = p->len[2] * p->c, i;
    int64_t global
      = ((((p->first + s) * p->extent[0] + p->start[0] + d) * p->extent[1]
          + p->start[1] + h)
           * p->extent[2]
         + p->start[2])
        * p->c;

    for (i = 0; i < width; i++) {
      double u = h3d_rng_uniform(rng, (uint64_t)(global + i));

      y[row * width + i]
        = (REAL)(u >= drop ? x[row * width + i] / (1 - drop) : 0);
    }
  }
}
