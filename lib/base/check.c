#include "config.h"

#include "base/check.h"

#include "base/mem.h"
#include "base/torture.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int my_rank, world_size = 1;

/* The rest of the job must not wait for this rank for ever. */
_Noreturn static void
end_job(void)
{
  int begun = 0, ended = 0;

  fflush(NULL);
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun && !ended) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  abort();
}

void
h3d_break(const char *file, int line, const char *fmt, ...)
{
  char text[H3D_WHY_MAX];
  va_list ap;

  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  fprintf(stderr, "h3d: rank %d: %s:%d: %s\n", my_rank, file, line, text);
  end_job();
}

void
h3d_break_mpi(const char *file, int line, const char *call, int code)
{
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int n;

  MPI_Error_string(code, text, &n);
  h3d_break(file, line, "%s: %s", call, text);
}

void
h3d_start(int *argc, char ***argv)
{
  int given;

  H3D_MPI(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given));
  H3D_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  H3D_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  H3D_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &my_rank));
  H3D_MPI(MPI_Comm_size(MPI_COMM_WORLD, &world_size));
  if (given < MPI_THREAD_FUNNELED) {
    H3D_BREAK("this MPI allows no threads beside it (level %d, h3d wants"
              " MPI_THREAD_FUNNELED): use an MPI built with threads",
              given);
  }
  h3d_torture_begin(my_rank);
  /* A reader that goes away shows as a failed write. */
  signal(SIGPIPE, SIG_IGN);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

/* Collective over the world. */
static void
say_points(void)
{
  long long points = h3d_torture_points();

  H3D_MPI(MPI_Allreduce(MPI_IN_PLACE, &points, 1, MPI_LONG_LONG, MPI_MAX,
                        MPI_COMM_WORLD));
  if (my_rank == 0) {
    fprintf(stderr, "h3d: %lld points\n", points);
  }
}

int
h3d_finish(int status)
{
  long long left[2] = { (long long)h3d_mem_count(), (long long)h3d_mem_now() };
  int lost = fflush(stdout) != 0 || ferror(stdout);
  struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

  /* A reader that went away (h3d-info | head) has what it wants. */
  if (lost && !(poll(&out, 1, 0) == 1 && out.revents & POLLERR)) {
    fprintf(stderr,
            "h3d: rank %d: cannot write to standard output; is the"
            " disk full?\n",
            my_rank);
  }
  H3D_MPI(MPI_Allreduce(MPI_IN_PLACE, left, 2, MPI_LONG_LONG, MPI_SUM,
                        MPI_COMM_WORLD));
  H3D_MPI(
    MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  if (left[0] != 0 && my_rank == 0) {
    fprintf(stderr,
            "h3d: %lld bytes in %lld blocks of host memory were never"
            " freed (all ranks)\n",
            left[1], left[0]);
  }
  if (h3d_torture_counts()) {
    say_points();
  }
  MPI_Finalize();
  return status == 0 && (left[0] != 0 || lost) ? 1 : status;
}

int
h3d_rank(void)
{
  return my_rank;
}

int
h3d_size(void)
{
  return world_size;
}

const char *
h3d_mpi_library(void)
{
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int n = 0;

  H3D_MPI(MPI_Get_library_version(text, &n));
  /* Some say their whole configuration. */
  text[strcspn(text, ",\n")] = '\0';
  return text;
}

int
h3d_exit_status(const char *program, h3d_status st)
{
  if (st == H3D_OK) {
    return 0;
  }
  if (my_rank == 0) {
    fprintf(stderr, "%s: %s\n", program, h3d_why());
  }
  return st == H3D_ERR_USAGE ? 2 : 1;
}
