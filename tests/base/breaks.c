/* A program that ends as its word says; breaks.sh looks at how. */
#include "config.h"

#include "base/check.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  h3d_status st = H3D_OK;
  int is = 0;

  if (strcmp(how, "early") == 0) {
    H3D_BREAK("before MPI, %d", 7);
  }
  h3d_start(&argc, &argv);
  if (strcmp(how, "late") == 0 && h3d_rank() == h3d_size() - 1) {
    H3D_BREAK("rank %d of %d gives up", h3d_rank(), h3d_size());
  }
  if (strcmp(how, "assert") == 0) {
    H3D_ASSERT(h3d_rank() > 99);
  }
  if (strcmp(how, "mpi") == 0) {
    H3D_MPI(MPI_Send(&is, 1, MPI_INT, 999, 0, MPI_COMM_WORLD));
  }
  if (strcmp(how, "leak") == 0) {
    h3d_new(100, 1);
  }
  if (strcmp(how, "usage") == 0) {
    st = h3d_fail(H3D_ERR_USAGE, "no such option");
  }
  if (strcmp(how, "file") == 0) {
    st = h3d_fail(H3D_ERR_FILE, "no such file");
  }
  if (strcmp(how, "talk") == 0) {
    for (int i = 0; i < 100000; i++) {
      printf("line %d\n", i);
    }
  }
  /* A rank that broke must end the job while others wait. */
  MPI_Barrier(MPI_COMM_WORLD);
  return h3d_finish(h3d_exit_status("breaks", st));
}
