#include "config.h"

#include "base/clock.h"

#include <stdio.h>
#include <time.h>

double
h3d_clock(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *
h3d_clock_text(double seconds, char out[32])
{
  /* Bounds lie where rounding would print "60.0 s" or "60 min". */
  if (!(seconds >= 0) || seconds > 1e12) {
    snprintf(out, 32, "unknown time");
  } else if (seconds < 59.95) {
    snprintf(out, 32, "%.1f s", seconds);
  } else if (seconds < 3599.5) {
    long s = (long)(seconds + 0.5);

    snprintf(out, 32, "%ld min %02ld s", s / 60, s % 60);
  } else {
    long min = (long)(seconds / 60 + 0.5);

    snprintf(out, 32, "%ld h %02ld min", min / 60, min % 60);
  }
  return out;
}
