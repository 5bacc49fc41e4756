#include "config.h"

#include "dist/grid.h"

#include "base/agree.h"
#include "base/check.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 30 }; /* bytes of one MPI call at most */

/* Grids of this many ranks or fewer, for the sentence of a refusal. */
static void
workable(int size, char *text, size_t room)
{
  size_t used = 0;

  text[0] = '\0';
  for (int p = 1; p <= size && used + 24 < room; p++) {
    if (size % p == 0) {
      used += (size_t)snprintf(text + used, room - used, "%s%dx1x1",
                               used ? ", " : "", p);
    }
  }
}

static h3d_status
check_space(int size, const int space[3])
{
  char works[160];
  /* A double, for three ints may exceed 64 bits. */
  double product = (double)space[0] * space[1] * space[2];

  if (space[0] < 1 || space[1] < 1 || space[2] < 1 || product > size
      || size % (int)product != 0) {
    workable(size, works, sizeof works);
    return h3d_fail(H3D_ERR_USAGE,
                    "grid %dx%dx%d needs a multiple of %.0f ranks and there "
                    "are %d: use --grid %s, or any whose product divides %d",
                    space[0], space[1], space[2], product, size, works, size);
  }
  return H3D_OK;
}

/* The axes along which the grid really has ranks. */
static unsigned
real_axes(const h3d_grid *g, unsigned mask)
{
  unsigned real = 0;

  for (int a = 0; a < H3D_AXES; a++) {
    real |= mask & (g->n[a] > 1 ? H3D_MASK(a) : 0);
  }
  return real;
}

/* One communicator for each set of axes that have ranks. */
static void
split(h3d_grid *g)
{
  for (unsigned mask = 0; mask < 1u << H3D_AXES; mask++) {
    int at[H3D_AXES];

    g->comm[mask] = MPI_COMM_NULL;
    if (real_axes(g, mask) != mask) {
      continue;
    }
    for (int a = 0; a < H3D_AXES; a++) {
      at[a] = mask & H3D_MASK(a) ? 0 : g->at[a];
    }
    H3D_MPI(
      MPI_Comm_split(g->world, h3d_grid_rank(g, at), g->rank, &g->comm[mask]));
    H3D_MPI(MPI_Comm_set_errhandler(g->comm[mask], MPI_ERRORS_RETURN));
  }
}

h3d_status
h3d_grid_new(MPI_Comm comm, const int space[3], h3d_grid **out)
{
  h3d_grid *g = NULL;
  h3d_status st;
  int size;

  *out = NULL;
  H3D_MPI(MPI_Comm_size(comm, &size));
  st = h3d_agree(comm, check_space(size, space));
  if (st != H3D_OK) {
    return st;
  }
  g = h3d_new(1, sizeof *g);
  H3D_MPI(MPI_Comm_dup(comm, &g->world));
  H3D_MPI(MPI_Comm_set_errhandler(g->world, MPI_ERRORS_RETURN));
  H3D_MPI(MPI_Comm_rank(comm, &g->rank));
  g->size = size;
  g->n[H3D_AXIS_N] = size / (space[0] * space[1] * space[2]);
  g->n[H3D_AXIS_C] = 1;
  for (int a = 0; a < 3; a++) {
    g->n[H3D_AXIS_D + a] = space[a];
  }
  h3d_grid_coords(g, g->rank, g->at);
  split(g);
  *out = g;
  return H3D_OK;
}

void
h3d_grid_free(h3d_grid **pg)
{
  h3d_grid *g = *pg;

  if (!g) {
    return;
  }
  for (unsigned mask = 0; mask < 1u << H3D_AXES; mask++) {
    if (g->comm[mask] != MPI_COMM_NULL) {
      H3D_MPI(MPI_Comm_free(&g->comm[mask]));
    }
  }
  H3D_MPI(MPI_Comm_free(&g->world));
  h3d_free(g);
  *pg = NULL;
}

MPI_Comm
h3d_grid_comm(const h3d_grid *g, unsigned mask)
{
  return g->comm[real_axes(g, mask)];
}

int
h3d_grid_comm_size(const h3d_grid *g, unsigned mask)
{
  int size = 1;

  for (int a = 0; a < H3D_AXES; a++) {
    size *= mask & H3D_MASK(a) ? g->n[a] : 1;
  }
  return size;
}

void
h3d_grid_coords(const h3d_grid *g, int rank, int at[H3D_AXES])
{
  for (int a = H3D_AXES - 1; a >= 0; a--) {
    at[a] = rank % g->n[a];
    rank /= g->n[a];
  }
}

int
h3d_grid_rank(const h3d_grid *g, const int at[H3D_AXES])
{
  int rank = 0;

  for (int a = 0; a < H3D_AXES; a++) {
    rank = rank * g->n[a] + at[a];
  }
  return rank;
}

/* The largest part count that divides ranks and leaves every part two voxels.
 */
static int
most_parts(int ranks, int64_t extent)
{
  int64_t most = extent / 2 < ranks ? extent / 2 : ranks;

  for (int p = (int)most; p > 1; p--) {
    if (ranks % p == 0) {
      return p;
    }
  }
  return 1;
}

h3d_status
h3d_grid_parse(const char *text, int ranks, const int64_t extent[3],
               int space[3])
{
  char junk;

  if (strcmp(text, "auto") == 0) {
    for (int a = 0; a < 3; a++) {
      space[a] = most_parts(ranks, extent[a]);
      ranks /= space[a];
    }
    return H3D_OK;
  }
  if (sscanf(text, "%dx%dx%d%c", &space[0], &space[1], &space[2], &junk) != 3
      || space[0] < 1 || space[1] < 1 || space[2] < 1) {
    return h3d_fail(H3D_ERR_USAGE,
                    "grid '%s' is not auto or parts along depth, height and "
                    "width such as 2x1x1",
                    text);
  }
  for (int a = 0; a < 3; a++) {
    if (space[a] > extent[a]) {
      return h3d_fail(H3D_ERR_USAGE,
                      "grid %s cuts axis %c of %" PRId64 " voxels into %d "
                      "parts: use at most %" PRId64 " parts there",
                      text, h3d_axis_name[H3D_AXIS_D + a], extent[a], space[a],
                      extent[a]);
    }
  }
  return check_space(ranks, space);
}

h3d_status
h3d_grid_agree(const h3d_grid *g, h3d_status mine)
{
  return h3d_agree(g->world, mine);
}

void
h3d_grid_gather(MPI_Comm comm, int n, const double *x, double *all)
{
  H3D_MPI(MPI_Allgather(x, n, MPI_DOUBLE, all, n, MPI_DOUBLE, comm));
}

/* Adds n numbers whose copies from all ranks fit into all. */
static void
sum_some(MPI_Comm comm, int size, int n, const double *x, double *out,
         double *all)
{
  h3d_grid_gather(comm, n, x, all);
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int r = 0; r < size; r++) {
      out[i] += all[(size_t)r * (size_t)n + (size_t)i];
    }
  }
}

void
h3d_grid_sum(MPI_Comm comm, int n, const double *x, double *out)
{
  double few[4096], *all = few;
  int size, most;

  H3D_MPI(MPI_Comm_size(comm, &size));
  if (size > 4096) { /* a step allocates nothing on any grid up to here */
    all = h3d_new((size_t)size, sizeof *all);
  }
  most = size > 4096 ? 1 : 4096 / size;
  for (int i = 0; i < n; i += most) {
    int some = n - i < most ? n - i : most;

    sum_some(comm, size, some, x + i, out + i, all);
  }
  if (all != few) {
    h3d_free(all);
  }
}

double
h3d_grid_max(MPI_Comm comm, double x)
{
  double most;

  H3D_MPI(MPI_Allreduce(&x, &most, 1, MPI_DOUBLE, MPI_MAX, comm));
  return most;
}

void
h3d_grid_send(MPI_Comm comm, int from, int to, void *mem, int64_t bytes)
{
  int rank;

  H3D_MPI(MPI_Comm_rank(comm, &rank));
  if (from == to || (rank != from && rank != to)) {
    return;
  }
  for (char *p = mem; bytes > 0; p += PIECE, bytes -= PIECE) {
    int n = (int)(bytes < PIECE ? bytes : PIECE);

    if (rank == from) {
      H3D_MPI(MPI_Send(p, n, MPI_BYTE, to, 0, comm));
    } else {
      H3D_MPI(MPI_Recv(p, n, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE));
    }
  }
}

void
h3d_grid_barrier(MPI_Comm comm)
{
  H3D_MPI(MPI_Barrier(comm));
}
