#include "config.h"

#include "growth.h"

#include <math.h>

double
h3d_growth_omega(double omega_m, double z)
{
  const double matter = omega_m * pow(1 + z, 3);

  return matter / (matter + 1 - omega_m);
}

/* Gauss's series of 2F1(a, b; c; x) for 0 <= x < 1. */
static double
hypergeometric(double a, double b, double c, double x)
{
  double term = 1, sum = 1;

  for (int n = 0; n < 100000 && term > 1e-17 * sum; n++) {
    term *= (a + n) * (b + n) / ((c + n) * (1 + n)) * x;
    sum += term;
  }
  return sum;
}

/* D = a 2F1(1/3, 1; 11/6; 1 - 1/Omega_m(a)).  Pfaff's transformation brings
 * the argument to 1 - Omega_m(a), where the series always converges.
 */
double
h3d_growth_early(double omega_m, double z)
{
  const double omega = h3d_growth_omega(omega_m, z);

  return cbrt(omega) / (1 + z)
         * hypergeometric(1. / 3, 5. / 6, 11. / 6, 1 - omega);
}

double
h3d_growth(double omega_m, double z)
{
  return h3d_growth_early(omega_m, z) / h3d_growth_early(omega_m, 0);
}

double
h3d_growth_rate(double omega_m, double z)
{
  const double a_over_d = 1 / ((1 + z) * h3d_growth_early(omega_m, z));

  return h3d_growth_omega(omega_m, z) * (2.5 * a_over_d - 1.5);
}

double
h3d_growth_second(double omega_m, double z)
{
  const double d = h3d_growth(omega_m, z);

  return -3. / 7 * d * d * pow(h3d_growth_omega(omega_m, z), -1. / 143);
}
