/* Lattice units throughout: lengths in lattice spacings, wave numbers as
 * integers m with k = 2 pi m / box.  The box then enters through the power
 * spectrum alone.
 */
#include "config.h"

#include "simulate_lpt.h"

#include "base/mem.h"

#include <fftw3.h>
#include <math.h>

static const double two_pi = 6.283185307179586;

struct h3d_lpt {
  int64_t n, row; /* row: floats of a line along w, padded for the FFT */
  int order;
  float *first[3], *second[3]; /* [d][h][row] each; second NULL at order 1 */
  fftwf_plan forward, inverse; /* in place, for any of these fields */
};

static size_t
field_floats(int64_t n)
{
  return (size_t)n * (size_t)n * 2 * (size_t)(n / 2 + 1);
}

size_t
h3d_lpt_bytes(int64_t n, int order)
{
  return (order == 2 ? 6 : 3) * field_floats(n) * sizeof(float);
}

void
h3d_lpt_free(h3d_lpt **l)
{
  if (*l) {
    for (int a = 0; a < 3; a++) {
      h3d_free((*l)->first[a]);
      h3d_free((*l)->second[a]);
    }
    if ((*l)->forward) {
      fftwf_destroy_plan((*l)->forward);
    }
    if ((*l)->inverse) {
      fftwf_destroy_plan((*l)->inverse);
    }
    fftwf_cleanup();
    h3d_free(*l);
    *l = NULL;
  }
}

/* Plans by estimate: measured ones may differ between runs, and with them
 * the last bits of the result.
 */
static h3d_status
make_plans(h3d_lpt *l)
{
  const int n = (int)l->n;
  float *f = l->first[0];

  l->forward
    = fftwf_plan_dft_r2c_3d(n, n, n, f, (fftwf_complex *)f, FFTW_ESTIMATE);
  l->inverse
    = fftwf_plan_dft_c2r_3d(n, n, n, (fftwf_complex *)f, f, FFTW_ESTIMATE);
  if (!l->forward || !l->inverse) {
    return h3d_fail(H3D_ERR_BACKEND,
                    "FFTW has no plan for %d^3 points: choose another number "
                    "of particles",
                    n);
  }
  return H3D_OK;
}

h3d_status
h3d_lpt_check(int64_t n)
{
  if (n < 4 || n > 4096 || n % 2 != 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%lld particles per axis: choose an even number from 4 "
                    "to 4096",
                    (long long)n);
  }
  return H3D_OK;
}

h3d_status
h3d_lpt_new(int64_t n, int order, h3d_lpt **out)
{
  h3d_status st = H3D_OK;
  h3d_lpt *l;

  *out = NULL;
  if ((st = h3d_lpt_check(n)) != H3D_OK) {
    return st;
  }
  l = h3d_new(1, sizeof *l);
  l->n = n;
  l->row = 2 * (n / 2 + 1);
  l->order = order;
  for (int a = 0; a < 3; a++) {
    H3D_TRY(h3d_alloc(field_floats(n), sizeof(float), (void **)&l->first[a]));
    if (order == 2) {
      H3D_TRY(
        h3d_alloc(field_floats(n), sizeof(float), (void **)&l->second[a]));
    }
  }
  H3D_TRY(make_plans(l));
  *out = l;
  return H3D_OK;
done:
  h3d_lpt_free(&l);
  return st;
}

static void
forward(const h3d_lpt *l, float *f)
{
  fftwf_execute_dft_r2c(l->forward, f, (fftwf_complex *)f);
}

static void
inverse(const h3d_lpt *l, float *f)
{
  fftwf_execute_dft_c2r(l->inverse, (fftwf_complex *)f, f);
}

/* Index i of a transform's axis as a signed wave number. */
static int64_t
wave(int64_t i, int64_t n)
{
  return i <= n / 2 ? i : i - n;
}

/* Unit white noise, then delta_m = FFT(w) gain(|m|^2).  A Nyquist mode has
 * no sign, so its derivative is not that of a real field: these planes go,
 * and with them the mean.
 */
static void
make_density(const h3d_lpt *l, const double *gain, const h3d_rng *noise,
             float *delta)
{
  const int64_t n = l->n;

  for (int64_t line = 0; line < n * n; line++) {
    for (int64_t w = 0; w < n; w++) {
      delta[line * l->row + w]
        = (float)h3d_rng_normal(noise, (uint64_t)(line * n + w));
    }
  }
  forward(l, delta);
  for (int64_t line = 0; line < n * n; line++) {
    const int64_t d = wave(line / n, n), h = wave(line % n, n);
    float *c = delta + line * l->row;

    for (int64_t w = 0; w <= n / 2; w++) {
      const int nyquist = d == n / 2 || h == n / 2 || w == n / 2;
      const float g = nyquist ? 0 : (float)gain[d * d + h * h + w * w];

      c[2 * w] *= g;
      c[2 * w + 1] *= g;
    }
  }
}

/* out = in m_a m_b / |m|^2, a second derivative of the inverse Laplacian. */
static void
tidal(const h3d_lpt *l, const float *in, float *out, int a, int b)
{
  const int64_t n = l->n;

  for (int64_t line = 0; line < n * n; line++) {
    int64_t m[3] = { wave(line / n, n), wave(line % n, n), 0 };
    const int64_t m2 = m[0] * m[0] + m[1] * m[1];
    const float *from = in + line * l->row;
    float *to = out + line * l->row;

    for (int64_t w = 0; w <= n / 2; w++) {
      m[2] = w;
      const int64_t all = m2 + w * w;
      const float g = all == 0 ? 0 : (float)(m[a] * m[b]) / (float)all;

      to[2 * w] = g * from[2 * w];
      to[2 * w + 1] = g * from[2 * w + 1];
    }
  }
}

/* out = in i m_a / |m|^2 factor; in and out may be the same. */
static void
gradient(const h3d_lpt *l, const float *in, float *out, int a, double factor)
{
  const int64_t n = l->n;

  for (int64_t line = 0; line < n * n; line++) {
    int64_t m[3] = { wave(line / n, n), wave(line % n, n), 0 };
    const int plane = m[0] == n / 2 || m[1] == n / 2;
    const int64_t m2 = m[0] * m[0] + m[1] * m[1];
    const float *from = in + line * l->row;
    float *to = out + line * l->row;

    for (int64_t w = 0; w <= n / 2; w++) {
      m[2] = w;
      const int64_t all = m2 + w * w;
      const int none = all == 0 || plane || w == n / 2;
      const float g = none ? 0 : (float)(factor * (double)m[a] / (double)all);
      const float re = from[2 * w], im = from[2 * w + 1];

      to[2 * w] = -g * im;
      to[2 * w + 1] = g * re;
    }
  }
}

/* The three gradients of source (in Fourier space), which is out[2] itself
 * and therefore overwritten last.
 */
static void
displace(const h3d_lpt *l, float *const out[3], double factor)
{
  for (int a = 0; a < 3; a++) {
    gradient(l, out[2], out[a], a, factor);
    inverse(l, out[a]);
  }
}

/* second[2] = sum over pairs of phi,aa phi,bb - phi,ab^2, in real space;
 * second[0] and second[1] are scratch.  Normalised: FFTW's inverse is not,
 * but delta carries 1/n^3 already.
 */
static void
second_source(const h3d_lpt *l, const float *delta)
{
  static const int pair[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
  const int64_t floats = (int64_t)field_floats(l->n);
  float *x = l->second[0], *y = l->second[1], *z = l->second[2];

  for (int a = 0; a < 3; a++) {
    tidal(l, delta, l->second[a], a, a);
    inverse(l, l->second[a]);
  }
  for (int64_t i = 0; i < floats; i++) {
    z[i] = x[i] * y[i] + (x[i] + y[i]) * z[i];
  }
  for (int p = 0; p < 3; p++) {
    tidal(l, delta, x, pair[p][0], pair[p][1]);
    inverse(l, x);
    for (int64_t i = 0; i < floats; i++) {
      z[i] -= x[i] * x[i];
    }
  }
}

void
h3d_lpt_make(h3d_lpt *l, const h3d_spectrum *s, double box,
             const h3d_rng *noise)
{
  const double n = (double)l->n, points = n * n * n;
  const int64_t modes = 3 * (l->n / 2) * (l->n / 2) + 1;
  double *gain = h3d_new((size_t)modes, sizeof *gain);
  float *delta = l->first[2];

  /* sqrt(P n^3 / V), and 1/n^3 for the inverse transforms to come. */
  for (int64_t m2 = 0; m2 < modes; m2++) {
    const double k = two_pi / box * sqrt((double)m2);

    gain[m2]
      = sqrt(h3d_spectrum_power(s, k) * points / (box * box * box)) / points;
  }
  make_density(l, gain, noise, delta);
  h3d_free(gain);
  if (l->order == 2) {
    second_source(l, delta);
    forward(l, l->second[2]);
    displace(l, l->second, -n / two_pi / points);
  }
  displace(l, l->first, n / two_pi);
}

int64_t
h3d_lpt_cell(double x, int64_t cells)
{
  const int64_t i = (int64_t)floor(x) % cells;

  return i < 0 ? i + cells : i;
}

void
h3d_lpt_count(const h3d_lpt *l, double first, double second, int64_t cells,
              int32_t *counts)
{
  const int64_t n = l->n;
  const double ratio = (double)cells / (double)n;

  for (int64_t i = 0; i < cells * cells * cells; i++) {
    counts[i] = 0;
  }
  for (int64_t line = 0; line < n * n; line++) {
    for (int64_t w = 0; w < n; w++) {
      const int64_t q[3] = { line / n, line % n, w }, i = line * l->row + w;
      int64_t cell = 0;

      for (int a = 0; a < 3; a++) {
        double x = (double)q[a] + 0.5 + first * (double)l->first[a][i];

        if (l->order == 2) {
          x += second * (double)l->second[a][i];
        }
        cell = cell * cells + h3d_lpt_cell(x * ratio, cells);
      }
      counts[cell]++;
    }
  }
}

double
h3d_lpt_rms(const h3d_lpt *l, double first, double second)
{
  const int64_t n = l->n;
  double sum = 0;

  for (int a = 0; a < 3; a++) {
    for (int64_t line = 0; line < n * n; line++) {
      for (int64_t w = 0; w < n; w++) {
        const int64_t i = line * l->row + w;
        double x = first * (double)l->first[a][i];

        if (l->order == 2) {
          x += second * (double)l->second[a][i];
        }
        sum += x * x;
      }
    }
  }
  return sqrt(sum / (3. * (double)(n * n * n)));
}
