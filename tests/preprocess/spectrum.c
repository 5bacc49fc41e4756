/* Transfer functions, power and sigma(R) against tables made by another
 * implementation, which itself was checked against CosmoMAD's.
 */
#include "config.h"

#include "preprocess/spectrum.h"
#include "tap.h"

#include <math.h>
#include <string.h>

TAP_RANKS("1")

static const h3d_cosmology a = { 0.3, 0.05, 0.7, 0.96, 0.8, 2.725 };
static const h3d_cosmology b = { 0.3, 0.045, 0.7, 0.96, 0.8, 2.7255 };
static const h3d_cosmology quijote
  = { 0.3175, 0.049, 0.6711, 0.9624, 0.834, 2.7255 };

/* k; A full T, P; A no-wiggle T, P; B full T, P. */
static const double table[][7] = {
  { 0.001, 0.992258, 3895.01, 0.992079, 3872.33, 0.992258, 3654.76 },
  { 0.01, 0.779960, 21948.4, 0.786207, 22179.6, 0.780260, 20610.5 },
  { 0.02, 0.581383, 23723.1, 0.583903, 23798.6, 0.583097, 22391.4 },
  { 0.05, 0.267788, 12129.8, 0.275028, 12724.6, 0.274600, 11968.0 },
  { 0.1, 0.128680, 5448.59, 0.131257, 5638.01, 0.132551, 5424.68 },
  { 0.2, 0.0541338, 1875.80, 0.0536675, 1833.55, 0.0557997, 1870.09 },
  { 0.5, 0.0138256, 294.874, 0.0138090, 292.561, 0.0143633, 298.626 },
  { 1.0, 0.00459061, 63.2412, 0.00455592, 61.9488, 0.00477849, 64.2971 },
  { 5.0, 2.99495e-4, 1.26197, 2.95879e-4, 1.22496, 3.12557e-4, 1.28967 },
};
enum { ROWS = sizeof table / sizeof table[0] };

/* Six digits, and one unit for how the tables were rounded. */
static int
near(double x, double want)
{
  return fabs(x - want) <= 6e-6 * fabs(want);
}

static void
test_table(const h3d_cosmology *c, int wiggles, int column, const char *name)
{
  h3d_spectrum s;

  ok(h3d_spectrum_init(&s, c, wiggles) == H3D_OK, "%s is a universe", name);
  for (int i = 0; i < ROWS; i++) {
    const double k = table[i][0], t = table[i][column],
                 p = table[i][column + 1];

    ok(near(h3d_spectrum_transfer(&s, k), t), "%s: T(%g) %.7g is %.7g", name,
       k, h3d_spectrum_transfer(&s, k), t);
    ok(near(h3d_spectrum_power(&s, k), p), "%s: P(%g) %.7g is %.7g", name, k,
       h3d_spectrum_power(&s, k), p);
  }
  ok(fabs(h3d_spectrum_transfer(&s, 1e-7) - 1) < 1e-6, "%s: T tends to 1",
     name);
}

static void
test_sigma(const h3d_cosmology *c, double amplitude, const double want[6],
           const char *name)
{
  h3d_spectrum s;

  h3d_spectrum_init(&s, c, 1);
  ok(near(s.amplitude, amplitude), "%s: amplitude %.7g is %.7g", name,
     s.amplitude, amplitude);
  for (int i = 0; i < 6; i++) {
    const double r = 1 << i, got = h3d_spectrum_sigma(&s, r);

    ok(fabs(got - want[i]) <= 6e-6, "%s: sigma(%g) %.6f is %.5f", name, r, got,
       want[i]);
  }
}

static void
test_scales(void)
{
  h3d_spectrum s;

  h3d_spectrum_init(&s, &b, 1);
  ok(near(s.z_eq, 3539.38) && near(s.z_drag, 1020.33)
       && fabs(s.r_drag - 0.65497) < 6e-6 && fabs(s.r_eq - 0.18900) < 6e-6,
     "B: z_eq %g z_d %g R_d %g R_eq %g", s.z_eq, s.z_drag, s.r_drag, s.r_eq);
  ok(fabs(s.k_eq - 0.010762) < 6e-7 && near(s.sound, 150.015)
       && fabs(s.k_silk - 0.09059) < 6e-6,
     "B: k_eq %g s %g k_silk %g", s.k_eq, s.sound, s.k_silk);
  ok(near(s.alpha_c, 0.77856) && near(s.beta_c, 1.16885)
       && fabs(s.alpha_b - 0.55457) < 6e-6 && near(s.beta_b, 7.99122)
       && near(s.beta_node, 3.65241),
     "B: %.6g %.6g %.6g %.6g %.6g", s.alpha_c, s.beta_c, s.alpha_b, s.beta_b,
     s.beta_node);
  ok(near(s.sound_fit, 149.156) && fabs(s.alpha_gamma - 0.80603) < 6e-6,
     "B: s_fit %g a %g", s.sound_fit, s.alpha_gamma);
}

static void
test_refusals(void)
{
  h3d_cosmology c = b;
  h3d_spectrum s;

  c.omega_b = 0.4;
  ok(h3d_spectrum_init(&s, &c, 1) == H3D_ERR_USAGE
       && strstr(h3d_why(), "Omega_b 0.4") != NULL,
     "more baryons than matter are refused");
  c = b;
  c.sigma_8 = (double)NAN;
  ok(h3d_spectrum_init(&s, &c, 1) == H3D_ERR_USAGE, "so is a NaN");
}

void
tap_main(void)
{
  static const double sigma_a[6]
    = { 2.37558, 1.75427, 1.22711, 0.80000, 0.47543, 0.25092 };
  static const double sigma_b[6]
    = { 2.39220, 1.76366, 1.23096, 0.80000, 0.47326, 0.24820 };
  h3d_spectrum s;

  test_table(&a, 1, 1, "A full");
  test_table(&a, 0, 3, "A no-wiggle");
  test_table(&b, 1, 5, "B full");
  test_sigma(&a, 3.000952e6, sigma_a, "A");
  test_sigma(&b, 2.815849e6, sigma_b, "B");
  test_scales();
  h3d_spectrum_init(&s, &quijote, 1);
  ok(near(h3d_spectrum_power(&s, 0.01), 21908.5)
       && near(h3d_spectrum_power(&s, 0.1), 5944.87)
       && near(h3d_spectrum_power(&s, 1), 70.6155)
       && near(s.amplitude, 3.000228e6),
     "C: %.7g %.7g %.7g, amplitude %.7g", h3d_spectrum_power(&s, 0.01),
     h3d_spectrum_power(&s, 0.1), h3d_spectrum_power(&s, 1), s.amplitude);
  test_refusals();
}
