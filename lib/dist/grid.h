/* grid.h: the process grid, and the owner of every communicator.
 *
 * World ranks form a grid of groups x D x H x W, W fastest:
 *
 *     rank = ((group * D + d) * H + h) * W + w
 *
 * The ranks of one group are a space: they share each of its samples.  The
 * batch is spread over groups.  All communicators are made here, at start.
 */
#ifndef H3D_DIST_GRID_H
#define H3D_DIST_GRID_H

#include "base/status.h"
#include "dist/dist.h"

#include <mpi.h>

typedef struct h3d_grid {
  MPI_Comm world; /* a duplicate, owned */
  int rank, size;
  int n[H3D_AXES];              /* ranks along N (groups), C (1), D, H, W */
  int at[H3D_AXES];             /* my coordinates */
  MPI_Comm comm[1 << H3D_AXES]; /* by mask, see h3d_grid_comm */
} h3d_grid;

/* Collective over comm.  space: parts along D, H, W; the group count follows.
 * H3D_ERR_USAGE if their product does not divide the number of ranks, naming
 * grids that would work.
 */
h3d_status h3d_grid_new(MPI_Comm comm, const int space[3], h3d_grid **out);
void h3d_grid_free(h3d_grid **g);

/* The ranks that differ from me only along the axes in mask (bit a: axis a),
 * in world order.  mask = 0 is me alone, all axes the world.  Borrowed.
 */
MPI_Comm h3d_grid_comm(const h3d_grid *g, unsigned mask);
int h3d_grid_comm_size(const h3d_grid *g, unsigned mask);

void h3d_grid_coords(const h3d_grid *g, int rank, int at[H3D_AXES]);
int h3d_grid_rank(const h3d_grid *g, const int at[H3D_AXES]);

/* "2x1x4" or "auto" to parts along D H W.  auto: all ranks on D as far as
 * extent D gives every rank two voxels, then H, then W.  H3D_ERR_USAGE.
 */
h3d_status h3d_grid_parse(const char *text, int ranks, const int64_t extent[3],
                          int space[3]);

/* Set the number of OpenMP threads of this rank: OMP_NUM_THREADS if the user
 * gave it, else cores of the affinity mask shared by the ranks of the node.
 * Warns where the launcher bound all threads to one core.  Collective; to be
 * called before the first device is opened.  Returns the number.
 */
int h3d_grid_set_threads(MPI_Comm comm);

/* The sum of x over the ranks that share my node's memory.  Collective over
 * the grid. */
double h3d_grid_node_sum(const h3d_grid *g, double x);

/* Collective helpers, so that floors above need no MPI.  All in rank order. */
h3d_status h3d_grid_agree(const h3d_grid *g, h3d_status mine);
/* out[0..n-1] = sum over the ranks of comm of x, added in rank order. */
void h3d_grid_sum(MPI_Comm comm, int n, const double *x, double *out);
/* The values of all ranks of comm, [size][n] in rank order. */
void h3d_grid_gather(MPI_Comm comm, int n, const double *x, double *all);
double h3d_grid_max(MPI_Comm comm, double x);
/* Rank from sends bytes, any number, rank to receives; others do nothing.
 * from == to: nothing. */
void h3d_grid_send(MPI_Comm comm, int from, int to, void *mem, int64_t bytes);
void h3d_grid_barrier(MPI_Comm comm);

#endif /* H3D_DIST_GRID_H */
