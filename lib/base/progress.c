#include "config.h"

#include "base/progress.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 30 };

static h3d_progress_style style_now = H3D_PROGRESS_AUTO;

h3d_status
h3d_progress_parse(const char *word, h3d_progress_style *style)
{
  static const char *const words[] = { "auto", "bar", "lines", "none" };

  for (int i = 0; i < 4; i++) {
    if (strcmp(word, words[i]) == 0) {
      *style = (h3d_progress_style)i;
      return H3D_OK;
    }
  }
  return h3d_fail(H3D_ERR_USAGE,
                  "progress \"%s\" is not known; it is one of"
                  " auto, bar, lines, none",
                  word);
}

void
h3d_progress_set_style(h3d_progress_style style)
{
  style_now = style;
}

static h3d_progress_style
style_here(void)
{
  if (h3d_rank() != 0 || h3d_log_level_now() == H3D_LOG_QUIET) {
    return H3D_PROGRESS_NONE;
  }
  if (style_now != H3D_PROGRESS_AUTO) {
    return style_now;
  }
  return isatty(STDERR_FILENO) ? H3D_PROGRESS_BAR : H3D_PROGRESS_LINES;
}

/* "3.2/s, 26.0 s left", or nothing while there is no rate. */
static void
rate_text(const h3d_progress *p, double now, char *out, size_t size)
{
  double past = now - p->start;
  char left[32];

  out[0] = '\0';
  if (p->done > 0 && past > 0) {
    double rate = (double)p->done / past;

    snprintf(out, size, "%.3g/s, %s left", rate,
             h3d_clock_text((double)(p->total - p->done) / rate, left));
  }
}

static void
draw_bar(const h3d_progress *p, double now)
{
  char bar[BAR + 1], rate[64];
  int full = p->total > 0 ? (int)(BAR * p->done / p->total) : BAR;

  for (int i = 0; i < BAR; i++) {
    bar[i] = i < full ? '#' : '.';
  }
  bar[BAR] = '\0';
  rate_text(p, now, rate, sizeof rate);
  fprintf(stderr, "\r%s [%s] %" PRId64 "/%" PRId64 " %s %s\033[K", p->what,
          bar, p->done, p->total, p->unit, rate);
  fflush(stderr);
}

void
h3d_progress_begin(h3d_progress *p, const char *what, const char *unit,
                   int64_t total)
{
  double now = h3d_clock();

  *p = (h3d_progress){
    .what = what, .unit = unit, .total = total, .start = now, .shown = now
  };
  if (style_here() == H3D_PROGRESS_BAR) {
    draw_bar(p, now);
  }
}

void
h3d_progress_set(h3d_progress *p, int64_t done)
{
  h3d_progress_style style = style_here();
  double now;
  int tenth;

  p->done = done;
  if (style == H3D_PROGRESS_NONE || p->total <= 0) {
    return;
  }
  now = h3d_clock();
  tenth = (int)(10 * done / p->total);
  if (style == H3D_PROGRESS_BAR) {
    /* Ten times a second is as often as anyone can read. */
    if (now - p->shown >= 0.1 || done == p->total) {
      p->shown = now;
      draw_bar(p, now);
    }
  } else if (tenth > p->tenth && tenth < 10) {
    char rate[64];

    p->tenth = tenth;
    rate_text(p, now, rate, sizeof rate);
    h3d_log("%s: %d %% (%" PRId64 " of %" PRId64 " %s, %s)", p->what,
            10 * tenth, done, p->total, p->unit, rate);
  }
}

void
h3d_progress_end(h3d_progress *p)
{
  h3d_progress_style style = style_here();
  char past[32];

  if (style == H3D_PROGRESS_NONE) {
    return;
  }
  if (style == H3D_PROGRESS_BAR) {
    fputs("\r\033[K", stderr);
  }
  h3d_log("%s: %" PRId64 " %s in %s", p->what, p->done, p->unit,
          h3d_clock_text(h3d_clock() - p->start, past));
}
