/* growth.h: how linear and second-order perturbations grow.
 *
 * Flat, matter and a cosmological constant.  D in closed form as a
 * hypergeometric function (W. Percival, A&A 443 (2005) 819, and many before),
 * second order by the fit of F. Bouchet et al., A&A 296 (1995) 575.
 */
#ifndef H3D_PREPROCESS_GROWTH_H
#define H3D_PREPROCESS_GROWTH_H

/* Omega_m at redshift z for omega_m today, 0 < omega_m <= 1, z > -1. */
double h3d_growth_omega(double omega_m, double z);

/* D(z), which tends to a = 1/(1+z) early on. */
double h3d_growth_early(double omega_m, double z);

/* D(z)/D(0). */
double h3d_growth(double omega_m, double z);

/* f = dlnD/dlna. */
double h3d_growth_rate(double omega_m, double z);

/* Second order for D(0) = 1: -3/7 D^2 Omega_m(z)^(-1/143); within 2e-4 of
 * the differential equation for omega_m 0.1 to 0.5.
 */
double h3d_growth_second(double omega_m, double z);

#endif /* H3D_PREPROCESS_GROWTH_H */
