/* ref_conv_loops.h: a template, included by ref_conv.c once per type, with
 * REAL the type and NAME the suffix of its functions.  The order of summation
 * of an output, or of an input's gradient, is by tap and channel: it does not
 * depend on where the domain is cut.
 */

/* out[tap][a][b] = w[b][a][tap], or w[a][b][tap] if not swapped. */
static void
NAME(transpose)(const ref_conv *p, const REAL *w, int swap, double *out)
{
  int64_t cin = p->s.cin, cout = p->s.cout, co, ci, t;

  for (co = 0; co < cout; co++) {
    for (ci = 0; ci < cin; ci++) {
      for (t = 0; t < p->taps; t++) {
        int64_t to
          = swap ? (t * cin + ci) * cout + co : (t * cout + co) * cin + ci;

        out[to] = w[(co * cin + ci) * p->taps + t];
      }
    }
  }
}

/* sum[0..nb) += x[0..ni) times the rows w[i][first..first+nb) of width nw. */
static inline void
NAME(multiply)(int64_t ni, int64_t nb, const REAL *x, int64_t nw,
               const double *w, double *sum)
{
  int64_t i, j;

  for (i = 0; i < ni; i++) {
    double v = x[i];
    const double *row = w + i * nw;

    for (j = 0; j < nb; j++) {
      sum[j] += v * row[j];
    }
  }
}

static void
NAME(forward)(ref_conv *p, int64_t n, const void *xv, const void *w,
              const void *bv, void *yv)
{
  const h3d_local *l = p->s.fwd;
  const REAL *x = xv, *b = bv;
  REAL *y = yv;
  int64_t cells = n * volume(l, extent_out), cin = p->s.cin, cout = p->s.cout;
  int64_t cell;

  NAME(transpose)(p, w, 1, p->w);
#pragma omp parallel for
  for (cell = 0; cell < cells; cell++) {
    int64_t ow = cell % l[2].out, oh = cell / l[2].out % l[1].out;
    int64_t od = cell / l[2].out / l[1].out % l[0].out;
    int64_t s = cell / volume(l, extent_out), first, t, j;

    for (first = 0; first < cout; first += BLOCK) {
      int64_t nb = cout - first < BLOCK ? cout - first : BLOCK;
      double sum[BLOCK];

      for (j = 0; j < nb; j++) {
        sum[j] = b ? b[first + j] : 0;
      }
      for (t = 0; t < p->taps; t++) {
        int64_t k[3], d, h, v;

        split(l, t, k);
        d = reads(&l[0], od, k[0]);
        h = reads(&l[1], oh, k[1]);
        v = reads(&l[2], ow, k[2]);
        if (d >= 0 && h >= 0 && v >= 0) {
          NAME(multiply)
          (cin, nb,
           x + (((s * l[0].in + d) * l[1].in + h) * l[2].in + v) * cin, cout,
           p->w + t * cin * cout + first, sum);
        }
      }
      for (j = 0; j < nb; j++) {
        y[cell * cout + first + j] = (REAL)sum[j];
      }
    }
  }
}

static void
NAME(backward_data)(ref_conv *p, int64_t n, const void *dyv, const void *w,
                    void *dxv)
{
  const h3d_local *l = p->s.bwd;
  const REAL *dy = dyv;
  REAL *dx = dxv;
  int64_t cells = n * volume(l, extent_in), cin = p->s.cin, cout = p->s.cout;
  int64_t cell;

  NAME(transpose)(p, w, 0, p->w);
#pragma omp parallel for
  for (cell = 0; cell < cells; cell++) {
    int64_t iw = cell % l[2].in, ih = cell / l[2].in % l[1].in;
    int64_t id = cell / l[2].in / l[1].in % l[0].in;
    int64_t s = cell / volume(l, extent_in), first, t, j;

    for (first = 0; first < cin; first += BLOCK) {
      int64_t nb = cin - first < BLOCK ? cin - first : BLOCK;
      double sum[BLOCK] = { 0 };

      for (t = 0; t < p->taps; t++) {
        int64_t k[3], d, h, v;

        split(l, t, k);
        d = reader(&l[0], id, k[0]);
        h = reader(&l[1], ih, k[1]);
        v = reader(&l[2], iw, k[2]);
        if (d >= 0 && h >= 0 && v >= 0) {
          NAME(multiply)
          (cout, nb,
           dy + (((s * l[0].out + d) * l[1].out + h) * l[2].out + v) * cout,
           cin, p->w + t * cin * cout + first, sum);
        }
      }
      for (j = 0; j < nb; j++) {
        dx[cell * cin + first + j] = (REAL)sum[j];
      }
    }
  }
}

/* sum[cin][cout] of one tap over all output cells. */
static void
NAME(correlate)(const ref_conv *p, int64_t n, int64_t t, const REAL *x,
                const REAL *dy, double *sum)
{
  const h3d_local *l = p->s.fwd;
  int64_t cin = p->s.cin, cout = p->s.cout, rows = n * l[0].out * l[1].out;
  int64_t k[3], row, ow, i, j;

  split(l, t, k);
  for (row = 0; row < rows; row++) {
    int64_t s = row / l[1].out / l[0].out;
    int64_t d = reads(&l[0], row / l[1].out % l[0].out, k[0]);
    int64_t h = reads(&l[1], row % l[1].out, k[1]);

    for (ow = 0; d >= 0 && h >= 0 && ow < l[2].out; ow++) {
      int64_t v = reads(&l[2], ow, k[2]);
      const REAL *g = dy + (row * l[2].out + ow) * cout;
      const REAL *a
        = x + (((s * l[0].in + d) * l[1].in + h) * l[2].in + v) * cin;

      for (i = 0; v >= 0 && i < cin; i++) {
        for (j = 0; j < cout; j++) {
          sum[i * cout + j] += (double)a[i] * g[j];
        }
      }
    }
  }
}

static void
NAME(backward_weights)(ref_conv *p, int64_t n, const void *x, const void *dy,
                       void *dwv)
{
  REAL *dw = dwv;
  int64_t cin = p->s.cin, cout = p->s.cout, t;

  memset(p->w, 0, p->bytes);
#pragma omp parallel for schedule(dynamic)
  for (t = 0; t < p->taps; t++) {
    double *sum = p->w + t * cin * cout;
    int64_t ci, co;

    NAME(correlate)(p, n, t, x, dy, sum);
    for (co = 0; co < cout; co++) {
      for (ci = 0; ci < cin; ci++) {
        dw[(co * cin + ci) * p->taps + t] = (REAL)sum[ci * cout + co];
      }
    }
  }
}
