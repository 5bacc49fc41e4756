/* ref_pool_loops.h: a template, included by ref_pool.c once per type, with
 * REAL the type and NAME the suffix of its functions.
 */

/* One output channel: at[a] is the first input of its window on axis a. */
static REAL
NAME(window)(const h3d_pool_shape *s, const REAL *x, const int64_t at[3],
             int32_t *which)
{
  const h3d_local *l = s->fwd;
  double sum = 0, best = 0;
  int32_t first = -1, t = 0;
  int a, b, c;

  for (a = 0; a < l[0].kernel; a++) {
    for (b = 0; b < l[1].kernel; b++) {
      for (c = 0; c < l[2].kernel; c++, t++) {
        int64_t d = at[0] + (int64_t)a * l[0].dilation;
        int64_t h = at[1] + (int64_t)b * l[1].dilation;
        int64_t w = at[2] + (int64_t)c * l[2].dilation;
        double v;

        if (d < 0 || d >= l[0].in || h < 0 || h >= l[1].in || w < 0
            || w >= l[2].in) {
          continue;
        }
        v = x[((d * l[1].in + h) * l[2].in + w) * s->c];
        sum += v;
        /* A NaN wins, so that a broken network shows. */
        if (first < 0 || v > best || v != v) {
          best = v;
          first = t;
        }
      }
    }
  }
  *which = first;
  return (REAL)(s->op == H3D_POOL_MAX ? best : sum / t);
}

static void
NAME(forward)(const h3d_pool_shape *s, int64_t n, const void *xv, void *yv,
              int32_t *tap)
{
  const h3d_local *l = s->fwd;
  const REAL *x = xv;
  REAL *y = yv;
  int64_t outs = l[0].out * l[1].out * l[2].out, cell;

#pragma omp parallel for
  for (cell = 0; cell < n * outs; cell++) {
    int64_t j[3], at[3], c;
    const REAL *from = x + cell / outs * (l[0].in * l[1].in * l[2].in) * s->c;
    int a;

    j[2] = cell % l[2].out;
    j[1] = cell / l[2].out % l[1].out;
    j[0] = cell / l[2].out / l[1].out % l[0].out;
    for (a = 0; a < 3; a++) {
      at[a] = l[a].stride * j[a] - l[a].pad;
    }
    for (c = 0; c < s->c; c++) {
      int32_t which;

      y[cell * s->c + c] = NAME(window)(s, from + c, at, &which);
      if (tap) {
        tap[cell * s->c + c] = which;
      }
    }
  }
}

/* One input channel: what the windows over input i give it. */
static REAL
NAME(gather)(const h3d_pool_shape *s, const REAL *dy, const int32_t *tap,
             const int64_t i[3])
{
  const h3d_local *l = s->bwd;
  double sum = 0;
  int32_t t = 0;
  int k[3], a;

  for (k[0] = 0; k[0] < l[0].kernel; k[0]++) {
    for (k[1] = 0; k[1] < l[1].kernel; k[1]++) {
      for (k[2] = 0; k[2] < l[2].kernel; k[2]++, t++) {
        int64_t at = 0;

        for (a = 0; a < 3 && at >= 0; a++) {
          int64_t j = i[a] + l[a].pad - (int64_t)k[a] * l[a].dilation;

          at = j >= 0 && j % l[a].stride == 0 && j / l[a].stride < l[a].out
                 ? at * l[a].out + j / l[a].stride
                 : -1;
        }
        if (at >= 0 && (s->op == H3D_POOL_MEAN || tap[at * s->c] == t)) {
          sum += dy[at * s->c];
        }
      }
    }
  }
  return (REAL)(s->op == H3D_POOL_MEAN ? sum / t : sum);
}

static void
NAME(backward)(const h3d_pool_shape *s, int64_t n, const void *dyv,
               const int32_t *tap, void *dxv)
{
  const h3d_local *l = s->bwd;
  const REAL *dy = dyv;
  REAL *dx = dxv;
  int64_t ins = l[0].in * l[1].in * l[2].in, cell;
  int64_t outs = l[0].out * l[1].out * l[2].out;

#pragma omp parallel for
  for (cell = 0; cell < n * ins; cell++) {
    int64_t i[3], from = cell / ins * outs * s->c, c;

    i[2] = cell % l[2].in;
    i[1] = cell / l[2].in % l[1].in;
    i[0] = cell / l[2].in / l[1].in % l[0].in;
    for (c = 0; c < s->c; c++) {
      dx[cell * s->c + c]
        = NAME(gather)(s, dy + from + c, tap ? tap + from + c : NULL, i);
    }
  }
}
