/* spectrum.h: the linear matter power spectrum.
 *
 * D. Eisenstein, W. Hu: "Baryonic features in the matter transfer function",
 * ApJ 496 (1998) 605, the full fit (equations 2-24) and the one without
 * wiggles (26, 28-31).  Both are good to a few per cent against Boltzmann
 * codes; labels and fields come from the same formula.  k is in h/Mpc, P in
 * (Mpc/h)^3 at redshift 0.
 */
#ifndef H3D_PREPROCESS_SPECTRUM_H
#define H3D_PREPROCESS_SPECTRUM_H

#include "base/status.h"

/* Flat, matter and a cosmological constant.  t_cmb in K. */
typedef struct h3d_cosmology {
  double omega_m, omega_b, h, n_s, sigma_8, t_cmb;
} h3d_cosmology;

typedef struct h3d_spectrum {
  h3d_cosmology cosmology;
  int wiggles;      /* 1: the full fit */
  double amplitude; /* P = amplitude k^n_s T(k)^2 */
  /* Scales of the fit: redshifts, 1/Mpc, Mpc, pure numbers. */
  double z_eq, z_drag, r_drag, r_eq, k_eq, sound, k_silk;
  double alpha_c, beta_c, alpha_b, beta_b, beta_node;
  double sound_fit, alpha_gamma;
} h3d_spectrum;

/* Fills the scales and normalises to sigma_8.  Refuses (H3D_ERR_USAGE)
 * numbers that are no such universe: 0 < Omega_b < Omega_m <= 1, h, sigma_8
 * and t_cmb positive.
 */
h3d_status h3d_spectrum_init(h3d_spectrum *s, const h3d_cosmology *c,
                             int wiggles);

/* T(k), tends to 1 for small k. */
double h3d_spectrum_transfer(const h3d_spectrum *s, double k);

/* P(k) in (Mpc/h)^3 at redshift 0; 0 at k = 0. */
double h3d_spectrum_power(const h3d_spectrum *s, double k);

/* Deviation of the linear density in spheres of radius r Mpc/h, redshift 0. */
double h3d_spectrum_sigma(const h3d_spectrum *s, double r);

#endif /* H3D_PREPROCESS_SPECTRUM_H */
