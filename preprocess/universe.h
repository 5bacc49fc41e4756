/* universe.h: one simulated universe, from a seed to a file.
 *
 * The file has the layout of the public CosmoFlow data: `full` int16
 * [d][h][w][c], particles per cell, a channel per redshift; `unitPar` and
 * `physPar` float32 [n], `namePar` text [n]; and, beyond it, `redshifts`
 * float32 [c] and attributes boxsize, boxsize_unit, seed, universe, particles,
 * method, Omega_b, T_cmb (K) and version.
 */
#ifndef H3D_PREPROCESS_UNIVERSE_H
#define H3D_PREPROCESS_UNIVERSE_H

#include "base/status.h"
#include "prior.h"

#include <stddef.h>
#include <stdint.h>

enum { H3D_UNIVERSE_REDSHIFTS = 16 };

/* The same for all universes of a run. */
typedef struct h3d_universe_plan {
  int64_t cells, particles; /* per axis */
  double box;               /* Mpc/h */
  int channels;
  double redshift[H3D_UNIVERSE_REDSHIFTS];
  int order;   /* 1 Zel'dovich, 2 second order */
  int deflate; /* 0 none, else level */
  uint64_t seed;
  h3d_prior prior;
} h3d_universe_plan;

/* Room to make universes in, one after the other. */
typedef struct h3d_universe h3d_universe;

/* Borrows the plan.  Refuses what h3d_lpt_new refuses and want of memory.
 * Not collective: ranks make different universes.
 */
h3d_status h3d_universe_new(const h3d_universe_plan *plan, h3d_universe **out);
void h3d_universe_free(h3d_universe **u);

/* Host memory of one, and bytes of voxels that it writes. */
size_t h3d_universe_memory(const h3d_universe_plan *plan);
int64_t h3d_universe_disk(const h3d_universe_plan *plan);

/* Universe number index: field, particles, counts.  Refuses
 * (H3D_ERR_SHAPE) a cell with more particles than int16 can tell.
 */
h3d_status h3d_universe_make(h3d_universe *u, int64_t index);

/* Write what was made last; the file has its name only when complete. */
h3d_status h3d_universe_write(const h3d_universe *u, const char *path);

#endif /* H3D_PREPROCESS_UNIVERSE_H */
