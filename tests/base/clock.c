/* Seconds, and how they read. */
#include "config.h"

#include "base/clock.h"

#include "tap.h"

#include <math.h>
#include <string.h>

TAP_RANKS("1")

void
tap_main(void)
{
  static const struct {
    double seconds;
    const char *text;
  } table[] = {
    { 0, "0.0 s" },
    { 4.25, "4.2 s" },
    { 59.94, "59.9 s" },
    { 59.96, "1 min 00 s" },
    { 200, "3 min 20 s" },
    { 3599.4, "59 min 59 s" },
    { 3599.6, "1 h 00 min" },
    { 3720, "1 h 02 min" },
    { 360000, "100 h 00 min" },
    { -1, "unknown time" },
    { NAN, "unknown time" },
    { INFINITY, "unknown time" },
  };
  double a = h3d_clock(), b = h3d_clock();
  char out[32];

  ok(b >= a, "time does not run back");
  while (h3d_clock() < a + 0.01) {
  }
  ok(h3d_clock() - a < 5, "it runs in seconds");
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    h3d_clock_text(table[i].seconds, out);
    ok(strcmp(out, table[i].text) == 0, "%g s is \"%s\", found \"%s\"",
       table[i].seconds, table[i].text, out);
  }
}
