/* simulate_lpt.h: particles moved by Lagrangian perturbation theory.
 *
 * A Gaussian density field on an n^3 lattice, its displacement field to first
 * (Ya. Zel'dovich, A&A 5 (1970) 84) or second order (R. Scoccimarro, MNRAS
 * 299 (1998) 1097; M. Crocce, S. Pueblas, R. Scoccimarro, MNRAS 373 (2006)
 * 369), and the number of displaced particles in each cell of a coarser or
 * equal mesh.  Only two growth factors change with redshift: one field serves
 * all channels.
 *
 * The white noise is drawn in real space from a counter-based stream at the
 * lattice point's global index [d][h][w].  The result is a function of the
 * stream, the spectrum, n and the box alone, to the last bit.
 */
#ifndef H3D_PREPROCESS_SIMULATE_LPT_H
#define H3D_PREPROCESS_SIMULATE_LPT_H

#include "base/rng.h"
#include "base/status.h"
#include "spectrum.h"

#include <stddef.h>
#include <stdint.h>

typedef struct h3d_lpt h3d_lpt;

/* Refuses a lattice that is odd (so that Nyquist planes are where the source
 * clears them), below 4 or above 4096 (H3D_ERR_USAGE).
 */
h3d_status h3d_lpt_check(int64_t n);

/* Room and FFT plans for fields of n^3, order 1 or 2.  Refuses what
 * h3d_lpt_check does, and want of memory.  Free with h3d_lpt_free.
 */
h3d_status h3d_lpt_new(int64_t n, int order, h3d_lpt **out);
void h3d_lpt_free(h3d_lpt **l);

/* Host memory that h3d_lpt_new takes. */
size_t h3d_lpt_bytes(int64_t n, int order);

/* The displacement field in a periodic box of this many Mpc/h. */
void h3d_lpt_make(h3d_lpt *l, const h3d_spectrum *s, double box,
                  const h3d_rng *noise);

/* Particles per cell, counts[d][h][w] of cells^3, after moving particle q to
 * q + first * psi1 + second * psi2 (growth factors of growth.h; second is
 * ignored at order 1).  Particles start at the centres of the lattice's
 * cells; positions are wrapped; cell i covers [i, i+1) of its own width.
 */
void h3d_lpt_count(const h3d_lpt *l, double first, double second,
                   int64_t cells, int32_t *counts);

/* Root mean square of one component of the displacement, over all
 * particles and components, in units of the lattice's spacing.
 */
double h3d_lpt_rms(const h3d_lpt *l, double first, double second);

/* The cell of 0..cells-1 that holds x (in cells), periodic. */
int64_t h3d_lpt_cell(double x, int64_t cells);

#endif /* H3D_PREPROCESS_SIMULATE_LPT_H */
