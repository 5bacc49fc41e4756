/* Displacements against the differential equations they solve, counts against
 * placement by hand, statistics against many boxes of another implementation.
 */
#include "config.h"

#include "base/mem.h"
#include "preprocess/growth.h"
#include "preprocess/simulate_lpt.h"
#include "tap.h"

#include <math.h>
#include <string.h>

TAP_RANKS("1")

static const h3d_cosmology centre = { 0.3, 0.045, 0.7, 0.96, 0.8, 2.7255 };
static const double redshift[4] = { 0, 0.5, 1.5, 3 };

static double
variance(const int32_t *counts, int64_t cells, double mean)
{
  double sum = 0;

  for (int64_t i = 0; i < cells; i++) {
    const double x = counts[i] / mean - 1;

    sum += x * x;
  }
  return sum / (double)cells;
}

static int64_t
total(const int32_t *counts, int64_t cells)
{
  int64_t sum = 0;

  for (int64_t i = 0; i < cells; i++) {
    sum += counts[i];
  }
  return sum;
}

/* Mean variance of n/mean over three boxes, 64^3 particles and cells, against
 * the mean of 24 boxes with four times the scatter of a mean of three.
 */
static void
test_statistics(int order, const double want[4], const double scatter[4])
{
  enum { N = 64, CELLS = N * N * N, SEEDS = 3 };
  int32_t *counts = h3d_new(CELLS, sizeof *counts);
  double got[4] = { 0 }, rms = 0;
  h3d_spectrum s;
  h3d_lpt *l = NULL;

  h3d_spectrum_init(&s, &centre, 1);
  ok(h3d_lpt_new(N, order, &l) == H3D_OK, "room for order %d", order);
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    const h3d_rng r = h3d_rng_init(seed, H3D_RNG_TEST, seed, 0);

    h3d_lpt_make(l, &s, 256, &r);
    rms += h3d_lpt_rms(l, 1, h3d_growth_second(0.3, 0)) * 256 / N / SEEDS;
    for (int c = 0; c < 4; c++) {
      h3d_lpt_count(l, h3d_growth(0.3, redshift[c]),
                    h3d_growth_second(0.3, redshift[c]), N, counts);
      got[c] += variance(counts, CELLS, 1) / SEEDS;
      if (total(counts, CELLS) != CELLS) {
        got[c] = (double)NAN;
      }
    }
  }
  for (int c = 0; c < 4; c++) {
    ok(fabs(got[c] - want[c]) < 4 * scatter[c] / sqrt(SEEDS),
       "order %d, z %g: variance %.3f is %.3f +- %.3f", order, redshift[c],
       got[c], want[c], scatter[c]);
  }
  if (order == 2) {
    ok(fabs(rms - 5.13) < 4 * 0.23 / sqrt(SEEDS),
       "rms displacement %.2f is 5.13 Mpc/h", rms);
  }
  h3d_lpt_free(&l);
  h3d_free(counts);
}

/* Floor-modulo, at and beyond both ends. */
static void
test_wrap(void)
{
  static const struct {
    double x;
    int64_t cells, want;
  } t[] = {
    { 0, 8, 0 },    { 7.999, 8, 7 },   { 8, 8, 0 },   { -1e-7, 8, 7 },
    { -8, 8, 0 },   { -8.5, 8, 7 },    { 12, 8, 4 },  { 100.25, 8, 4 },
    { -0.0, 8, 0 }, { -1e-300, 8, 7 }, { 2.5, 1, 0 },
  };

  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    ok(h3d_lpt_cell(t[i].x, t[i].cells) == t[i].want, "%g of %d is cell %d",
       t[i].x, (int)t[i].cells, (int)t[i].want);
  }
}

/* Unmoved, every cell has its share, whatever the ratio. */
static void
test_lattice(void)
{
  int32_t counts[512];
  int uneven = 0;
  h3d_spectrum s;
  h3d_lpt *l = NULL;
  const h3d_rng r = h3d_rng_init(1, H3D_RNG_TEST, 0, 0);

  h3d_spectrum_init(&s, &centre, 1);
  ok(h3d_lpt_new(16, 2, &l) == H3D_OK, "room for 16^3");
  h3d_lpt_make(l, &s, 64, &r);
  h3d_lpt_count(l, 0, 0, 8, counts);
  for (int i = 0; i < 512; i++) {
    uneven += counts[i] != 8;
  }
  ok(uneven == 0, "without growth 8 particles stay in each cell");
  h3d_lpt_free(&l);
}

/* One box of 8^3 by sums over all modes instead of transforms. */
enum { B = 8, POINTS = B * B * B };

typedef struct modes {
  double re[POINTS], im[POINTS]; /* [d][h][w] of wave number m, mod B */
} modes;

static int
signed_wave(int i)
{
  return i <= B / 2 ? i : i - B;
}

static void
split(int i, int at[3])
{
  at[0] = i / (B * B);
  at[1] = i / B % B;
  at[2] = i % B;
}

static double
phase(const int m[3], const int at[3])
{
  const int turn = m[0] * at[0] + m[1] * at[1] + m[2] * at[2];

  return 2 * 3.141592653589793 * turn / B;
}

/* f_m = sum over points f exp(-i phase) */
static void
to_modes(const double *f, modes *out)
{
  for (int j = 0; j < POINTS; j++) {
    int m[3], at[3];

    split(j, m);
    out->re[j] = out->im[j] = 0;
    for (int i = 0; i < POINTS; i++) {
      split(i, at);
      out->re[j] += f[i] * cos(phase(m, at));
      out->im[j] -= f[i] * sin(phase(m, at));
    }
  }
}

/* f = 1/n^3 sum over modes f_m factor(m) exp(i phase), where factor is
 * i m_a/|m|^2 (b < 0) or m_a m_b/|m|^2; Nyquist modes and the mean left out.
 */
static void
from_modes(const modes *in, int a, int b, double *out)
{
  for (int i = 0; i < POINTS; i++) {
    int at[3];

    split(i, at);
    out[i] = 0;
    for (int j = 1; j < POINTS; j++) {
      int m[3];

      split(j, m);
      if (m[0] == B / 2 || m[1] == B / 2 || m[2] == B / 2) {
        continue;
      }
      for (int x = 0; x < 3; x++) {
        m[x] = signed_wave(m[x]);
      }
      const double m2 = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
      const double c = cos(phase(m, at)), s = sin(phase(m, at));

      if (b < 0) {
        out[i] -= m[a] / m2 * (in->re[j] * s + in->im[j] * c) / POINTS;
      } else {
        out[i] += m[a] * m[b] / m2 * (in->re[j] * c - in->im[j] * s) / POINTS;
      }
    }
  }
}

static void
test_brute_force(void)
{
  const double box = 40, unit = B / (2 * 3.141592653589793);
  const double growth2 = h3d_growth_second(0.3, 0);
  double(*psi)[POINTS] = h3d_new(6, sizeof *psi);
  double(*phi)[POINTS] = h3d_new(6, sizeof *phi);
  double *f = h3d_new(POINTS, sizeof *f);
  modes *delta = h3d_new(2, sizeof *delta), *source = delta + 1;
  int32_t *got = h3d_new(POINTS, sizeof *got);
  int32_t *want = h3d_new(POINTS, sizeof *want);
  const h3d_rng r = h3d_rng_init(5, H3D_RNG_TEST, 0, 0);
  h3d_spectrum s;
  h3d_lpt *l = NULL;

  h3d_spectrum_init(&s, &centre, 1);
  for (int i = 0; i < POINTS; i++) {
    f[i] = h3d_rng_normal(&r, (uint64_t)i);
  }
  to_modes(f, delta);
  for (int j = 0; j < POINTS; j++) {
    int m[3];

    split(j, m);
    const double k
      = 2 * 3.141592653589793 / box
        * sqrt(pow(signed_wave(m[0]), 2) + pow(signed_wave(m[1]), 2)
               + pow(signed_wave(m[2]), 2));
    const double g
      = sqrt(h3d_spectrum_power(&s, k) * POINTS / (box * box * box));

    delta->re[j] *= g;
    delta->im[j] *= g;
  }
  for (int a = 0, p = 3; a < 3; a++) {
    from_modes(delta, a, -1, psi[a]);
    from_modes(delta, a, a, phi[a]);
    for (int c = a + 1; c < 3; c++, p++) {
      from_modes(delta, a, c, phi[p]);
    }
  }
  for (int i = 0; i < POINTS; i++) {
    f[i] = phi[0][i] * phi[1][i] + phi[0][i] * phi[2][i]
           + phi[1][i] * phi[2][i] - pow(phi[3][i], 2) - pow(phi[4][i], 2)
           - pow(phi[5][i], 2);
  }
  to_modes(f, source);
  for (int a = 0; a < 3; a++) {
    from_modes(source, a, -1, psi[3 + a]);
  }
  for (int i = 0; i < POINTS; i++) {
    int at[3];
    int64_t cell = 0;

    split(i, at);
    for (int a = 0; a < 3; a++) {
      const double x
        = at[a] + 0.5 + unit * (psi[a][i] - growth2 * psi[3 + a][i]);

      cell = cell * B + h3d_lpt_cell(x, B);
    }
    want[cell]++;
  }
  h3d_lpt_new(B, 2, &l);
  h3d_lpt_make(l, &s, box, &r);
  h3d_lpt_count(l, 1, growth2, B, got);
  ok(memcmp(got, want, POINTS * sizeof *got) == 0,
     "8^3 particles where sums over modes put them");
  h3d_lpt_free(&l);
  h3d_free(psi);
  h3d_free(phi);
  h3d_free(f);
  h3d_free(delta);
  h3d_free(got);
  h3d_free(want);
}

static void
test_same_bits(void)
{
  enum { CELLS = 16 * 16 * 16 };
  int32_t *one = h3d_new(CELLS, sizeof *one);
  int32_t *two = h3d_new(CELLS, sizeof *two);
  h3d_spectrum s;
  h3d_lpt *l = NULL;
  h3d_rng r = h3d_rng_init(7, H3D_RNG_TEST, 3, 0);
  const h3d_rng other = h3d_rng_init(7, H3D_RNG_TEST, 4, 0);

  h3d_spectrum_init(&s, &centre, 1);
  h3d_lpt_new(32, 2, &l);
  h3d_lpt_make(l, &s, 128, &r);
  h3d_lpt_count(l, 1, h3d_growth_second(0.3, 0), 16, one);
  h3d_lpt_make(l, &s, 128, &other);
  h3d_lpt_count(l, 1, h3d_growth_second(0.3, 0), 16, two);
  ok(memcmp(one, two, CELLS * sizeof *one) != 0, "universes differ");
  h3d_lpt_free(&l);
  h3d_lpt_new(32, 2, &l);
  h3d_lpt_make(l, &s, 128, &r);
  h3d_lpt_count(l, 1, h3d_growth_second(0.3, 0), 16, two);
  ok(memcmp(one, two, CELLS * sizeof *one) == 0,
     "the same universe again, after another and in other memory");
  h3d_lpt_free(&l);
  h3d_free(one);
  h3d_free(two);
}

void
tap_main(void)
{
  static const double want2[4] = { 2.487, 2.077, 1.156, 0.566 };
  static const double want1[4] = { 2.577, 1.984, 1.071, 0.549 };
  static const double scatter[4] = { 0.029, 0.023, 0.012, 0.020 };
  h3d_lpt *l = NULL;

  test_wrap();
  test_lattice();
  test_brute_force();
  test_same_bits();
  test_statistics(2, want2, scatter);
  test_statistics(1, want1, scatter);
  ok(h3d_lpt_new(63, 2, &l) == H3D_ERR_USAGE && l == NULL
       && strstr(h3d_why(), "63") != NULL,
     "an odd lattice is refused");
}
