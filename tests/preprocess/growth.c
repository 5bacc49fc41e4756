/* Growth against a table of another implementation, the growth integral done
 * here by brute force, and the rate against its own definition.
 */
#include "config.h"

#include "preprocess/growth.h"
#include "tap.h"

#include <math.h>

TAP_RANKS("1")

/* Omega_m; D early-normalised at z = 0; D/D0 at z[]; f at 0, 0.5, 1.5, 3 */
static const double z[7] = { 0.5, 1, 1.5, 2, 3, 9, 49 };
static const double rate_z[4] = { 0, 0.5, 1.5, 3 };
static const double table[4][13] = {
  { 0.27, 0.760010, 0.782293, 0.622814, 0.510972, 0.430960, 0.326466, 0.131513,
    0.026315, 0.48315, 0.72358, 0.91646, 0.97767 },
  { 0.30, 0.778981, 0.773181, 0.611806, 0.500448, 0.421446, 0.318840, 0.128318,
    0.025674, 0.51280, 0.74922, 0.92676, 0.98065 },
  { 0.3175, 0.789246, 0.768230, 0.605938, 0.494893, 0.416449, 0.314854,
    0.126654, 0.025341, 0.52946, 0.76290, 0.93199, 0.98213 },
  { 0.33, 0.796258, 0.764841, 0.601967, 0.491154, 0.413095, 0.312184, 0.125541,
    0.025117, 0.54110, 0.77216, 0.93543, 0.98310 },
};

static void
test_table(void)
{
  for (int i = 0; i < 4; i++) {
    const double *t = table[i], om = t[0];

    ok(fabs(h3d_growth_early(om, 0) - t[1]) < 6e-7,
       "Omega_m %g: D(0) %.7f is %.6f", om, h3d_growth_early(om, 0), t[1]);
    for (int j = 0; j < 7; j++) {
      ok(fabs(h3d_growth(om, z[j]) - t[2 + j]) < 6e-7,
         "Omega_m %g: D(%g)/D(0) %.7f is %.6f", om, z[j], h3d_growth(om, z[j]),
         t[2 + j]);
    }
    for (int j = 0; j < 4; j++) {
      ok(fabs(h3d_growth_rate(om, rate_z[j]) - t[9 + j]) < 6e-6,
         "Omega_m %g: f(%g) %.6f is %.5f", om, rate_z[j],
         h3d_growth_rate(om, rate_z[j]), t[9 + j]);
    }
  }
}

/* D = 5/2 Omega_m E(a) integral_0^a da' / (a' E)^3, Simpson's rule. */
static double
by_integral(double om, double at)
{
  enum { STEPS = 20000 };
  const double a = 1 / (1 + at), step = a / STEPS;
  double sum = 0;

  for (int i = 1; i <= STEPS; i++) {
    const double x = i * step, ae2 = om / x + (1 - om) * x * x;

    sum += (i == STEPS ? 1 : i % 2 ? 4 : 2) / (ae2 * sqrt(ae2));
  }
  return 2.5 * om * sqrt(om / (a * a * a) + 1 - om) * sum * step / 3;
}

void
tap_main(void)
{
  static const double omega[] = { 0.05, 0.1, 0.3, 0.5, 0.9, 1 };

  test_table();
  for (int i = 0; i < 6; i++) {
    const double om = omega[i], step = 1e-4;
    /* a dD/da / D by central differences in ln a */
    const double slope = (log(h3d_growth(om, exp(-step) * 1.7 - 1))
                          - log(h3d_growth(om, exp(step) * 1.7 - 1)))
                         / (2 * step);

    ok(fabs(h3d_growth_early(om, 0.7) / by_integral(om, 0.7) - 1) < 1e-7,
       "Omega_m %g: the integral gives the same", om);
    ok(fabs(slope - h3d_growth_rate(om, 0.7)) < 1e-7,
       "Omega_m %g: f is the slope of D", om);
  }
  ok(fabs(h3d_growth_early(1, 3) - 0.25) < 1e-15, "Omega_m 1: D is a");
  ok(fabs(h3d_growth_second(1, 1) + 3. / 28) < 1e-15,
     "Omega_m 1: D2 is -3/7 D^2");
}
