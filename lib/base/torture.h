/* torture.h: refusals on demand, for tests of what comes after them.
 *
 * A point is a place where a refusal is born: memory, a file that is opened,
 * read, written or named, the verdict that ranks agree on.  Every rank counts
 * those that it passes.  With H3D_FAIL_AT=n in the environment the n-th one
 * refuses, on all ranks or, with H3D_FAIL_RANK=r, on rank r alone.
 * H3D_FAIL_AT=0 refuses nothing; h3d_finish says how many points the rank that
 * passed most of them has seen, or rank r.  Every build has this; without
 * H3D_FAIL_AT a point costs one comparison, and a training step has none but
 * those of reading its samples.
 */
#ifndef H3D_BASE_TORTURE_H
#define H3D_BASE_TORTURE_H

#include "base/status.h"

extern int h3d_torture_on; /* 1: H3D_FAIL_AT is set */

/* Reads the environment; by h3d_start, which tells the rank.  Aborts on what
 * is no number. */
void h3d_torture_begin(int rank);
/* Points that count on this rank so far: 0 on others than H3D_FAIL_RANK. */
long long h3d_torture_points(void);
/* 1 if the points are to be counted only. */
int h3d_torture_counts(void);

h3d_status h3d_torture_pass(h3d_status kind, const char *what);

/* kind with a sentence about what (a path, "memory") if this is the point;
 * H3D_OK else.  Any thread. */
static inline h3d_status
h3d_point(h3d_status kind, const char *what)
{
  return h3d_torture_on ? h3d_torture_pass(kind, what) : H3D_OK;
}

#endif /* H3D_BASE_TORTURE_H */
