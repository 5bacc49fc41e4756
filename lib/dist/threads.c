#include "config.h"

#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "dist/grid.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#else
static void
omp_set_num_threads(int n)
{
  (void)n;
}
#endif

/* How many ranks of this node may run on exactly the cores that I may. */
static int
sharers(MPI_Comm node, const cpu_set_t *mine, int *node_size)
{
  int same = 0;
  cpu_set_t *all;

  H3D_MPI(MPI_Comm_size(node, node_size));
  all = h3d_new((size_t)*node_size, sizeof *all);
  H3D_MPI(MPI_Allgather(mine, (int)sizeof *mine, MPI_BYTE, all,
                        (int)sizeof *mine, MPI_BYTE, node));
  for (int r = 0; r < *node_size; r++) {
    same += CPU_EQUAL(mine, &all[r]) != 0;
  }
  h3d_free(all);
  return same;
}

int
h3d_grid_set_threads(MPI_Comm comm)
{
  MPI_Comm node;
  cpu_set_t mask;
  int ranks, cores, share, threads;
  const char *given = getenv("OMP_NUM_THREADS");
  long online = sysconf(_SC_NPROCESSORS_ONLN);

  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  cores = CPU_COUNT(&mask) > 0 ? CPU_COUNT(&mask) : 1;
  H3D_MPI(
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  share = sharers(node, &mask, &ranks);
  H3D_MPI(MPI_Comm_free(&node));
  threads = cores / share > 0 ? cores / share : 1;
  if (given && *given) {
    long n = strtol(given, NULL, 10);

    threads = n > 0 && n < 4096 ? (int)n : threads;
  }
  if (threads > cores) {
    h3d_warn("%d threads a rank share %d core%s: start with mpirun --bind-to "
             "none, or set OMP_NUM_THREADS=%d",
             threads, cores, cores > 1 ? "s" : "", cores);
  } else if (cores == 1 && online >= 2L * ranks) {
    h3d_warn("the launcher binds this rank to one core of %ld: start with "
             "mpirun --bind-to none to use %ld threads a rank",
             online, online / ranks);
  }
  omp_set_num_threads(threads);
  return threads;
}

double
h3d_grid_node_sum(const h3d_grid *g, double x)
{
  MPI_Comm node;
  double sum;

  H3D_MPI(MPI_Comm_split_type(g->world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                              &node));
  h3d_grid_sum(node, 1, &x, &sum);
  H3D_MPI(MPI_Comm_free(&node));
  return sum;
}
