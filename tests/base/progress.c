/* Progress: words, lines, bar. */
#include "config.h"

#include "base/progress.h"

#include "base/log.h"
#include "base/mem.h"
#include "capture.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1 2")

static int
lines(const char *text)
{
  int n = 0;

  for (; *text != '\0'; text++) {
    n += *text == '\n';
  }
  return n;
}

static char *
work(h3d_progress_style style, int64_t total)
{
  h3d_progress p;

  h3d_progress_set_style(style);
  capture_begin(2);
  h3d_progress_begin(&p, "read", "samples", total);
  for (int64_t i = 1; i <= total; i++) {
    h3d_progress_set(&p, i);
  }
  h3d_progress_end(&p);
  return capture_end();
}

static void
test_parse(void)
{
  static const char *const words[] = { "auto", "bar", "lines", "none" };
  h3d_progress_style style;

  for (int i = 0; i < 4; i++) {
    ok(h3d_progress_parse(words[i], &style) == H3D_OK && (int)style == i,
       "%s is known", words[i]);
  }
  ok(h3d_progress_parse("bars", &style) == H3D_ERR_USAGE
       && strstr(h3d_why(), "\"bars\"") && strstr(h3d_why(), "lines"),
     "another word is refused: %s", h3d_why());
}

static void
test_styles(void)
{
  char *text = work(H3D_PROGRESS_LINES, 1000);

  ok(lines(text) == (tap_rank == 0 ? 10 : 0), "ten lines, from rank 0 alone");
  ok(tap_rank != 0
       || (strstr(text, "read: 50 % (500 of 1000 samples, ")
           && strstr(text, "read: 1000 samples in ")),
     "they say how far it is");
  h3d_free(text);
  text = work(H3D_PROGRESS_LINES, 3);
  ok(lines(text) == (tap_rank == 0 ? 3 : 0), "three steps, three lines");
  h3d_free(text);
  text = work(H3D_PROGRESS_BAR, 1000);
  ok(tap_rank == 0
       ? strstr(text, "[..............................] 0/1000")
           && strstr(text, "[##############################] 1000/1000")
           && lines(text) == 1
       : text[0] == '\0',
     "a bar from empty to full on one line");
  h3d_free(text);
  text = work(H3D_PROGRESS_NONE, 10);
  ok(text[0] == '\0', "none is silent");
  h3d_free(text);
  text = work(H3D_PROGRESS_AUTO, 0);
  ok(lines(text) == (tap_rank == 0), "no work is done at once");
  h3d_free(text);
  h3d_log_set_level(H3D_LOG_QUIET);
  text = work(H3D_PROGRESS_BAR, 10);
  ok(text[0] == '\0', "quiet is silent");
  h3d_free(text);
}

void
tap_main(void)
{
  test_parse();
  test_styles();
}
