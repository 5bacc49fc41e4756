/* ref_vec_loops.h: a template, included by ref_vec.c once per type, with REAL
 * the type and NAME the suffix of its functions.
 */

static void
NAME(dense_forward)(int64_t n, int64_t in, int64_t out, const void *xv,
                    const void *wv, void *yv)
{
  const REAL *x = xv, *w = wv;
  REAL *y = yv;
  int64_t cell;

#pragma omp parallel for
  for (cell = 0; cell < n * out; cell++) {
    const REAL *a = x + cell / out * in, *b = w + cell % out * in;
    double sum = 0;
    int64_t i;

    for (i = 0; i < in; i++) {
      sum += (double)a[i] * b[i];
    }
    y[cell] = (REAL)sum;
  }
}

static void
NAME(dense_backward_data)(int64_t n, int64_t in, int64_t out, const void *dyv,
                          const void *wv, void *dxv)
{
  const REAL *dy = dyv, *w = wv;
  REAL *dx = dxv;
  int64_t cell;

#pragma omp parallel for
  for (cell = 0; cell < n * in; cell++) {
    const REAL *g = dy + cell / in * out;
    double sum = 0;
    int64_t o;

    for (o = 0; o < out; o++) {
      sum += (double)g[o] * w[o * in + cell % in];
    }
    dx[cell] = (REAL)sum;
  }
}

static void
NAME(dense_backward_weights)(int64_t n, int64_t in, int64_t out,
                             const void *xv, const void *dyv, void *dwv)
{
  const REAL *x = xv, *dy = dyv;
  REAL *dw = dwv;
  int64_t cell;

#pragma omp parallel for
  for (cell = 0; cell < out * in; cell++) {
    double sum = 0;
    int64_t s;

    for (s = 0; s < n; s++) {
      sum += (double)dy[s * out + cell / in] * x[s * in + cell % in];
    }
    dw[cell] = (REAL)sum;
  }
}

static void
NAME(bias_add)(int64_t m, int64_t c, const void *bv, void *yv)
{
  const REAL *b = bv;
  REAL *y = yv;
  int64_t i;

#pragma omp parallel for
  for (i = 0; i < m; i++) {
    int64_t j;

    for (j = 0; j < c; j++) {
      y[i * c + j] += b[j];
    }
  }
}

static void
NAME(bias_gradient)(int64_t m, int64_t c, const void *dyv, void *dbv)
{
  const REAL *dy = dyv;
  REAL *db = dbv;
  int64_t j;

#pragma omp parallel for
  for (j = 0; j < c; j++) {
    double sum = 0;
    int64_t i;

    for (i = 0; i < m; i++) {
      sum += dy[i * c + j];
    }
    db[j] = (REAL)sum;
  }
}

static void
NAME(scale)(int64_t size, double a, void *xv)
{
  REAL *x = xv;
  int64_t i;

#pragma omp parallel for
  for (i = 0; i < size; i++) {
    x[i] = (REAL)(a * x[i]);
  }
}

static void
NAME(add)(int64_t size, const void *xv, void *yv)
{
  const REAL *x = xv;
  REAL *y = yv;
  int64_t i;

#pragma omp parallel for
  for (i = 0; i < size; i++) {
    y[i] += x[i];
  }
}

static double
NAME(sum_squares)(int64_t size, const void *xv)
{
  const REAL *x = xv;
  double sum = 0;
  int64_t i;

  for (i = 0; i < size; i++) {
    sum += (double)x[i] * x[i];
  }
  return sum;
}

static int
NAME(is_finite)(int64_t size, const void *xv)
{
  const REAL *x = xv;
  int64_t i;

  for (i = 0; i < size; i++) {
    if (!isfinite(x[i])) {
      return 0;
    }
  }
  return 1;
}

static void
NAME(sgd)(const h3d_sgd_shape *s, int64_t size, const void *gv, void *mv,
          void *wv)
{
  const REAL *g = gv;
  REAL *m = mv, *w = wv;
  int64_t i;

#pragma omp parallel for
  for (i = 0; i < size; i++) {
    double step = g[i] + s->decay * w[i];

    if (m) {
      m[i] = (REAL)(s->momentum * m[i] + step);
      step = s->nesterov ? step + s->momentum * m[i] : m[i];
    }
    w[i] = (REAL)(w[i] - s->lr * step);
  }
}

/* Adam in the form of its algorithm 1, with both bias corrections. */
static void
NAME(adam)(const h3d_adam_shape *s, int64_t size, const void *gv, void *mv,
           void *vv, void *wv)
{
  const REAL *g = gv;
  REAL *m = mv, *v = vv, *w = wv;
  double mend1 = 1 - pow(s->beta1, (double)s->step);
  double mend2 = 1 - pow(s->beta2, (double)s->step);
  int64_t i;

#pragma omp parallel for
  for (i = 0; i < size; i++) {
    double a = w[i], grad = g[i];

    if (s->decoupled) {
      a -= s->lr * s->decay * a;
    } else {
      grad += s->decay * a;
    }
    m[i] = (REAL)(s->beta1 * m[i] + (1 - s->beta1) * grad);
    v[i] = (REAL)(s->beta2 * v[i] + (1 - s->beta2) * grad * grad);
    w[i] = (REAL)(a - s->lr * (m[i] / mend1) / (sqrt(v[i] / mend2) + s->eps));
  }
}
