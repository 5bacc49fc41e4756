/* Schedules against their formulas. */
#include "config.h"

#include "model/rate.h"
#include "tap.h"

#include <math.h>

TAP_RANKS("1")

static int
near(double a, double b)
{
  return fabs(a - b) <= 1e-15 + 1e-13 * fabs(b);
}

static h3d_rate
rate(const char *text)
{
  h3d_rate r = { .base = 0.01, .epochs = 10, .steps_per_epoch = 4 };

  ok(h3d_rate_parse(text, &r) == H3D_OK, "\"%s\" is read", text);
  return r;
}

static void
test_kinds(void)
{
  h3d_rate r = rate("constant");

  ok(near(h3d_rate_at(&r, 0), 0.01) && near(h3d_rate_at(&r, 999), 0.01),
     "constant");
  r = rate("linear:0.002");
  ok(near(h3d_rate_at(&r, 0), 0.01) && near(h3d_rate_at(&r, 20), 0.006)
       && near(h3d_rate_at(&r, 40), 0.002) && near(h3d_rate_at(&r, 50), 0.002),
     "linear: start, middle, end and after it");
  r = rate("linear");
  ok(near(h3d_rate_at(&r, 10), 0.0075), "linear ends at 0 if nothing is said");
  r = rate("cosine:0.002");
  ok(near(h3d_rate_at(&r, 0), 0.01) && near(h3d_rate_at(&r, 20), 0.006)
       && near(h3d_rate_at(&r, 10), 0.006 + 0.004 * sqrt(0.5))
       && near(h3d_rate_at(&r, 40), 0.002),
     "cosine: start, quarter, middle and end");
}

static void
test_steps(void)
{
  h3d_rate r = rate("step:2=0.25,4.5=0.125");

  ok(r.steps == 2, "two boundaries");
  ok(near(h3d_rate_at(&r, 7), 0.01) && near(h3d_rate_at(&r, 8), 0.0025)
       && near(h3d_rate_at(&r, 17), 0.0025)
       && near(h3d_rate_at(&r, 18), 0.00125),
     "factors are of the base and begin at their epoch");
}

static void
test_warmup(void)
{
  h3d_rate r = rate("constant");

  r.warmup = 2;
  r.from = 0.1;
  ok(near(h3d_rate_at(&r, 0), 0.001) && near(h3d_rate_at(&r, 4), 0.0055)
       && near(h3d_rate_at(&r, 8), 0.01),
     "warm-up is a straight line");
  r.warmup = 0;
  ok(near(h3d_rate_at(&r, 0), 0.01), "no warm-up");
}

static void
test_refusals(void)
{
  static const char *const bad[] = {
    "constant:1", "step",     "step:1",        "step:3=1,2=1", "exp",
    "linear:x",   "step:x=1", "step:1=2,=3",   "lin",          "",
    "cosine:",    "step:",    "step:1=2,,2=3", "cosine:-1",    "linear:-1e-9",
    "step:-1=1",  "step:1=-1"
  };
  h3d_rate r;

  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    ok(h3d_rate_parse(bad[i], &r) == H3D_ERR_USAGE, "\"%s\" is refused",
       bad[i]);
  }
}

void
tap_main(void)
{
  test_kinds();
  test_steps();
  test_warmup();
  test_refusals();
}
