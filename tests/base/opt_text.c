/* Near words and numbers. */
#include "config.h"

#include "base/opt.h"

#include "tap.h"

#include <float.h>
#include <string.h>

TAP_RANKS("1")

static const char *const known[]
  = { "epochs", "batch", "lr", "schedule", "seed", "data", NULL };

static void
test_nearest(void)
{
  static const char *const table[][2] = {
    { "epochs", "epochs" }, { "epoch", "epochs" },
    { "epocsh", "epochs" }, { "bach", "batch" },
    { "l", "lr" },          { "rl", "lr" },
    { "dat", "data" },      { "scheduler", "schedule" },
    { "xyz", NULL },        { "eopchx", "epochs" },
    { "", NULL },
  };
  char longer[200];

  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const char *near = h3d_nearest(table[i][0], known);

    ok(near == table[i][1]
         || (near && table[i][1] && strcmp(near, table[i][1]) == 0),
       "\"%s\" is near %s: %s", table[i][0],
       table[i][1] ? table[i][1] : "nothing", near ? near : "nothing");
  }
  memset(longer, 'a', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  ok(h3d_nearest(longer, known) == NULL, "nothing is near a long word");
}

static int
int_is(const char *text, int64_t want)
{
  int64_t got = -77;

  return h3d_parse_int("--n", text, &got) == H3D_OK && got == want;
}

static int
int_refused(const char *text)
{
  int64_t got = -77;

  return h3d_parse_int("--n", text, &got) == H3D_ERR_USAGE && got == -77
         && strstr(h3d_why(), "--n") != NULL
         && strstr(h3d_why(), text) != NULL;
}

static int
real_is(const char *text, double want)
{
  double got = -77;

  return h3d_parse_real("--x", text, &got) == H3D_OK && got == want;
}

static int
real_refused(const char *text)
{
  double got = -77;

  return h3d_parse_real("--x", text, &got) == H3D_ERR_USAGE && got == -77
         && strstr(h3d_why(), text) != NULL;
}

static void
test_numbers(void)
{
  static const char *const no_int[]
    = { "", " 1", "1 ", "1.0", "x", "0x10", "1e3", "--1", "-", "+" };
  static const char *const no_real[]
    = { "", " 1", "1.5x", "x", "nan", "inf", "-inf", "1e999", "-1e999", "." };

  ok(int_is("0", 0) && int_is("-5", -5) && int_is("+12", 12), "integers");
  ok(int_is("9223372036854775807", INT64_MAX), "the greatest");
  ok(int_is("-9223372036854775808", INT64_MIN), "the least");
  ok(int_refused("9223372036854775808"), "one more is refused");
  ok(int_refused("-9223372036854775809"), "one less is refused");
  for (size_t i = 0; i < sizeof no_int / sizeof *no_int; i++) {
    ok(int_refused(no_int[i]), "\"%s\" is no integer", no_int[i]);
  }
  ok(real_is("1.5", 1.5) && real_is("-2e-3", -2e-3) && real_is(".5", .5),
     "reals");
  ok(real_is("0x1p-3", 0.125), "hexadecimal reals");
  for (size_t i = 0; i < sizeof no_real / sizeof *no_real; i++) {
    ok(real_refused(no_real[i]), "\"%s\" is no real", no_real[i]);
  }
}

void
tap_main(void)
{
  test_nearest();
  test_numbers();
}
