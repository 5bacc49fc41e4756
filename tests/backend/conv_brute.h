/* conv_brute.h: convolutions by a scatter over all products, in double.
 *
 * size holds the sum of the products' magnitudes: a sum of K products in a
 * type of rounding e is off by less than K e size, in practice by about
 * sqrt(K) of them.
 */
#ifndef TESTS_BACKEND_CONV_BRUTE_H
#define TESTS_BACKEND_CONV_BRUTE_H

#include "backend/devices.h"

enum { ULPS = 24 };

typedef struct result {
  int64_t n;
  double *value, *size;
} result;

static inline result
new_result(int64_t n)
{
  result r = { n, h3d_new((size_t)n, sizeof(double)),
               h3d_new((size_t)n, sizeof(double)) };

  return r;
}

static inline void
free_result(result *r)
{
  h3d_free(r->value);
  h3d_free(r->size);
}

static inline void
add_product(result *r, int64_t at, double a, double b)
{
  r->value[at] += a * b;
  r->size[at] += fabs(a * b);
}

/* The next (output, tap) pair of three axes; 0 at the end.  i: input cell. */
typedef struct walk {
  int64_t j[3], t[3], i[3];
} walk;

static inline int
step(const h3d_local l[3], walk *w)
{
  int a;

  for (a = 2; a >= 0; a--) {
    if (++w->t[a] < l[a].kernel) {
      return 1;
    }
    w->t[a] = 0;
    if (++w->j[a] < l[a].out) {
      return 1;
    }
    w->j[a] = 0;
  }
  return 0;
}

static inline int
is_inside(const h3d_local l[3], walk *w)
{
  int a;

  for (a = 0; a < 3; a++) {
    w->i[a] = l[a].stride * w->j[a] - l[a].pad + w->t[a] * l[a].dilation;
    if (w->i[a] < 0 || w->i[a] >= l[a].in) {
      return 0;
    }
  }
  return 1;
}

static inline int64_t
ins(const h3d_local l[3])
{
  return l[0].in * l[1].in * l[2].in;
}

static inline int64_t
outs(const h3d_local l[3])
{
  return l[0].out * l[1].out * l[2].out;
}

static inline int64_t
taps(const h3d_local l[3])
{
  return (int64_t)l[0].kernel * l[1].kernel * l[2].kernel;
}

enum { FORWARD, DATA, WEIGHTS };

/* Every product of input (or its gradient), weight and output once. */
static inline void
brute(int pass, const h3d_conv_shape *s, int64_t n, const h3d_local l[3],
      const double *x, const double *w, const double *y, result *r)
{
  int64_t sample, ci, co;
  walk k = { { 0 }, { 0 }, { 0 } };

  if (ins(l) == 0 || outs(l) == 0) {
    return;
  }
  do {
    int64_t in, out, tap;

    if (!is_inside(l, &k)) {
      continue;
    }
    in = (k.i[0] * l[1].in + k.i[1]) * l[2].in + k.i[2];
    out = (k.j[0] * l[1].out + k.j[1]) * l[2].out + k.j[2];
    tap = (k.t[0] * l[1].kernel + k.t[1]) * l[2].kernel + k.t[2];
    for (sample = 0; sample < n; sample++) {
      for (ci = 0; ci < s->cin; ci++) {
        for (co = 0; co < s->cout; co++) {
          int64_t xi = (sample * ins(l) + in) * s->cin + ci;
          int64_t yi = (sample * outs(l) + out) * s->cout + co;
          int64_t wi = (co * s->cin + ci) * taps(l) + tap;

          if (pass == FORWARD) {
            add_product(r, yi, x[xi], w[wi]);
          } else if (pass == DATA) {
            add_product(r, xi, y[yi], w[wi]);
          } else {
            add_product(r, wi, x[xi], y[yi]);
          }
        }
      }
    }
  } while (step(l, &k));
}

static inline void
add_bias(const h3d_conv_shape *s, const double *b, result *y)
{
  int64_t i;

  for (i = 0; i < y->n; i++) {
    add_product(y, i, b[i % s->cout], 1);
  }
}

static inline void
bias_gradient(const h3d_conv_shape *s, int64_t cells, const double *dy,
              result *db)
{
  int64_t i;

  for (i = 0; i < cells * s->cout; i++) {
    add_product(db, i % s->cout, dy[i], 1);
  }
}

#endif /* TESTS_BACKEND_CONV_BRUTE_H */
