/* prior.h: which parameters vary between universes, and how.
 *
 * Uniform and independent in a box; the number of parameter j of universe u
 * is a function of (seed, u, j) alone.  So a universe stays the same when
 * more of them are asked for, which a Latin hypercube could not promise.
 * unit is in [-1, 1), phys = centre + half-width * unit.
 */
#ifndef H3D_PREPROCESS_PRIOR_H
#define H3D_PREPROCESS_PRIOR_H

#include "base/status.h"
#include "spectrum.h"

#include <stdint.h>

enum { H3D_PRIOR_MAX = 5, H3D_PRIOR_NAME = 16 };

typedef struct h3d_prior {
  h3d_cosmology fixed; /* values of what does not vary */
  int n;               /* varied parameters, in output order */
  char name[H3D_PRIOR_MAX][H3D_PRIOR_NAME];
  int which[H3D_PRIOR_MAX]; /* 0..4: see prior.c */
  double low[H3D_PRIOR_MAX], high[H3D_PRIOR_MAX];
} h3d_prior;

/* word is "wide" (Omega_m 0.1 to 0.5, sigma_8 0.6 to 1.0, as Quijote and
 * CAMELS), "cosmoflow" (Omega_m 0.3, sigma_8 0.8, N_spec 0.96, H_0 70, each
 * within 10 per cent, as the public CosmoFlow data) or a file.  What is not
 * named is fixed: Omega_m 0.3, Omega_b 0.045, H_0 70 km/s/Mpc, N_spec 0.96,
 * sigma_8 0.8, T_cmb 2.7255 K.
 *
 * A file has a line per parameter, "NAME LOW HIGH" to vary it or
 * "NAME VALUE" to fix it; NAME is Omega_m, sigma_8, N_spec (or n_s), H_0 or
 * Omega_b; "#" begins a comment.  Refuses by file and line what it does not
 * understand, a name that comes twice, LOW >= HIGH, a file that varies
 * nothing (H3D_ERR_USAGE) and bounds outside what h3d_spectrum_init takes;
 * H3D_ERR_FILE if it cannot be read.  Not collective.
 */
h3d_status h3d_prior_read(const char *word, h3d_prior *p);

/* Universe number u: the parameters that vary, [n] each, and all of them. */
void h3d_prior_draw(const h3d_prior *p, uint64_t seed, uint64_t u,
                    double *unit, double *phys, h3d_cosmology *c);

#endif /* H3D_PREPROCESS_PRIOR_H */
