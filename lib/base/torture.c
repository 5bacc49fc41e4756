#include "config.h"

#include "base/torture.h"

#include "base/check.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

int h3d_torture_on;

static long long at;
static int mine; /* this rank's points count */
static atomic_llong passed;

/* The number in an environment variable, or other where there is none. */
static long long
number(const char *name, long long other)
{
  const char *text = getenv(name);
  char *end;
  long long n;

  if (text == NULL || *text == '\0') {
    return other;
  }
  errno = 0;
  n = strtoll(text, &end, 10);
  if (*end != '\0' || errno != 0 || n < 0) {
    H3D_BREAK("%s=%s: give a number from 0 on, or unset it", name, text);
  }
  return n;
}

void
h3d_torture_begin(int rank)
{
  long long who = number("H3D_FAIL_RANK", -1);

  at = number("H3D_FAIL_AT", -1);
  mine = who < 0 || who == rank;
  h3d_torture_on = at >= 0;
}

long long
h3d_torture_points(void)
{
  return atomic_load(&passed);
}

int
h3d_torture_counts(void)
{
  return h3d_torture_on && at == 0;
}

h3d_status
h3d_torture_pass(h3d_status kind, const char *what)
{
  if (!mine || atomic_fetch_add(&passed, 1) + 1 != at) {
    return H3D_OK;
  }
  return h3d_fail(kind, "%s: refused at point %lld; unset H3D_FAIL_AT", what,
                  at);
}
