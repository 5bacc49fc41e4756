#include "config.h"

#include "io/plot_ticks.h"

#include <math.h>
#include <stdio.h>

static void
add(h3d_ticks *t, double at, const char *format, int digits)
{
  if (t->n < H3D_TICKS) {
    t->at[t->n] = at;
    snprintf(t->text[t->n], H3D_TICK_TEXT, format, digits, at);
    t->n++;
  }
}

static void
linear(double low, double high, int wanted, h3d_ticks *t)
{
  const double raw = (high - low) / wanted;
  const double ten = pow(10, floor(log10(raw))), lead = raw / ten;
  const double step = ten
                      * (lead < 1.5   ? 1
                         : lead < 3.5 ? 2
                         : lead < 7.5 ? 5
                                      : 10);
  const double most = fmax(fabs(low), fabs(high));
  const int digits = (int)fmax(0, -floor(log10(step) + 1e-9));
  const double slack = 1e-9 * step;

  for (double i = ceil((low - slack) / step); i * step <= high + slack; i++) {
    /* Adding 0 turns -0 into 0. */
    if (most >= 1e5 || most < 1e-4) {
      const int figures
        = (int)fmax(0, floor(log10(most)) - floor(log10(step) + 1e-9));

      add(t, i * step + 0., "%.*e", figures);
    } else {
      add(t, i * step + 0., "%.*f", digits);
    }
  }
}

static void
logarithmic(double low, double high, int wanted, h3d_ticks *t)
{
  static const double within[] = { 1, 2, 5 };
  const int first = (int)floor(log10(low)), last = (int)ceil(log10(high));
  const int powers = (int)(floor(log10(high)) - ceil(log10(low))) + 1;
  const int every = (powers + wanted - 1) / wanted;
  const int inner = powers < 3 ? 3 : 1;

  for (int p = first; p <= last; p++) {
    for (int i = 0; i < inner; i++) {
      const double at = within[i] * pow(10, p);

      if (at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9)
          && (every < 2 || p % every == 0)) {
        add(t, at, p < -3 || p > 4 ? "%.*e" : "%.*g", p < -3 || p > 4 ? 0 : 3);
      }
    }
  }
}

void
h3d_ticks_make(double low, double high, int wanted, int log, h3d_ticks *t)
{
  t->n = 0;
  if (!(low < high) || isinf(low) || isinf(high) || (log && low <= 0)) {
    return;
  }
  if (log) {
    logarithmic(low, high, wanted, t);
  }
  if (!log || t->n < 2) { /* a narrow range holds no two of 1, 2, 5 */
    t->n = 0;
    linear(low, high, wanted, t);
  }
}
