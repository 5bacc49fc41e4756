/* check.h: bugs and breakdowns.
 *
 * H3D_ASSERT states an invariant: compiled in by --enable-debug only, always
 * type-checked.  h3d_break is for what cannot go on and is nobody's mistake in
 * the input (MPI failed, the disk went away inside a step): it says where and
 * on which rank, and ends the whole job with a non-zero status.
 */
#ifndef H3D_BASE_CHECK_H
#define H3D_BASE_CHECK_H

#include "base/status.h"

#include <mpi.h>

_Noreturn void h3d_break(const char *file, int line, const char *fmt, ...)
  __attribute__((format(printf, 3, 4)));

#define H3D_BREAK(...) h3d_break(__FILE__, __LINE__, __VA_ARGS__)

#define H3D_ASSERT(claim)                                  \
  do {                                                     \
    if (H3D_DEBUG && !(claim)) {                           \
      h3d_break(__FILE__, __LINE__, "broken: %s", #claim); \
    }                                                      \
  } while (0)

/* An MPI call that must not fail. */
#define H3D_MPI(call)                                    \
  do {                                                   \
    int h3d_rc_ = (call);                                \
    if (h3d_rc_ != MPI_SUCCESS) {                        \
      h3d_break_mpi(__FILE__, __LINE__, #call, h3d_rc_); \
    }                                                    \
  } while (0)
_Noreturn void h3d_break_mpi(const char *file, int line, const char *call,
                             int code);

/* Start and end of every program: MPI (FUNNELED), errors returned instead of
 * fatal, the rank kept for messages.  Works with and without mpirun.
 * h3d_finish returns the exit status to give: status, or 1 if status is 0 and
 * host memory is left (the sum is printed).  Collective over the world.
 */
void h3d_start(int *argc, char ***argv);
int h3d_finish(int status);
int h3d_rank(void); /* in MPI_COMM_WORLD; 0 before h3d_start */
int h3d_size(void); /* of MPI_COMM_WORLD; 1 before h3d_start */
/* "Open MPI v4.1.4": the library that is running, its first words. */
const char *h3d_mpi_library(void);

/* End a program: print why st was returned (rank 0, one sentence on stderr,
 * "PROGRAM: sentence") and give the exit status, 0 done, 1 refused, 2 usage.
 * Collective over the world (all ranks bring the same st, from h3d_agree).
 */
int h3d_exit_status(const char *program, h3d_status st);

#endif /* H3D_BASE_CHECK_H */
