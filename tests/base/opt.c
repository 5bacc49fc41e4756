/* Command lines. */
#include "config.h"

#include "base/opt.h"

#include "base/mem.h"
#include "capture.h"
#include "tap.h"

#include <stddef.h>
#include <string.h>

TAP_RANKS("1 2")

struct options {
  int force, overlap;
  int64_t epochs, memory;
  double lr;
  const char *out;
  h3d_opt_texts set;
};

#define AT(member) offsetof(struct options, member)

static const h3d_opt table[] = {
  { "Training", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "epochs", 'e', H3D_OPT_INT, AT(epochs), "80", "N", "passes" },
  { "memory", 0, H3D_OPT_INT, AT(memory), NULL, "B", "bytes" },
  { "lr", 0, H3D_OPT_REAL, AT(lr), "0.001", "X", "learning rate" },
  { "overlap", 0, H3D_OPT_FLAG, AT(overlap), "1", NULL,
    "send halos while computing, which takes a very long sentence to say, so"
    " that it must be wrapped somewhere" },
  { "Output", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "force", 'f', H3D_OPT_FLAG, AT(force), NULL, NULL, "replace" },
  { "output", 'o', H3D_OPT_TEXT, AT(out), NULL, "DIR", "where to" },
  { "set", 0, H3D_OPT_TEXTS, AT(set), NULL, "KEY=VALUE", "set a key" },
  { NULL, 0, H3D_OPT_FLAG, 0, NULL, NULL, NULL },
};
static const h3d_opts program
  = { "h3d-toy", "[OPTION]... FILE...", "A toy.", table };

static struct options out;
static char given[10];
static const char *operand[3];
static int n, done;

/* Parse up to eight words, the list ends with NULL. */
static h3d_status
parse(const char *const *words)
{
  char *argv[10] = { (char *)"h3d-toy" };
  int argc = 1;

  for (; *words != NULL; words++) {
    argv[argc++] = (char *)*words;
  }
  memset(&out, 0x55, sizeof out);
  memset(given, 0, sizeof given);
  return h3d_opts_parse(&program, argc, argv, &out, given, operand, 3, &n,
                        &done);
}

#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

#define REFUSED(want, ...)                                                   \
  ok(PARSE(__VA_ARGS__) == H3D_ERR_USAGE && strstr(h3d_why(), want) != NULL, \
     "refused with \"%s\": %s", want, h3d_why())

static void
test_values(void)
{
  ok(parse((const char *const[]){ NULL }) == H3D_OK && out.epochs == 80
       && out.lr == 0.001 && out.overlap == 1 && out.force == 0
       && out.out == NULL && out.memory == 0 && out.set.n == 0 && n == 0
       && done == 0 && memchr(given, 1, sizeof given) == NULL,
     "presets");
  ok(PARSE("--epochs=5", "a", "--lr", "-1e-2", "b") == H3D_OK
       && out.epochs == 5 && out.lr == -1e-2 && n == 2
       && strcmp(operand[0], "a") == 0 && strcmp(operand[1], "b") == 0,
     "options and operands in any order");
  ok(given[1] == 1 && given[3] == 1 && given[4] == 0, "what was given");
  ok(PARSE("-e7", "-fo", "dir") == H3D_OK && out.epochs == 7 && out.force == 1
       && strcmp(out.out, "dir") == 0,
     "letters, together and with values");
  ok(PARSE("-e", "9", "-o-") == H3D_OK && out.epochs == 9
       && strcmp(out.out, "-") == 0,
     "a letter's value may be the next word");
  ok(PARSE("--no-overlap", "--force", "--no-force") == H3D_OK
       && out.overlap == 0 && out.force == 0 && given[4] && given[6],
     "--no-KEY");
  ok(PARSE("--set", "a.b=1", "--set=c.d=2=3") == H3D_OK && out.set.n == 2
       && strcmp(out.set.at[0], "a.b=1") == 0
       && strcmp(out.set.at[1], "c.d=2=3") == 0,
     "an option may be given again and again");
  ok(PARSE("--memory=3K") == H3D_OK && out.memory == 3072, "K");
  ok(PARSE("--memory=-2M") == H3D_OK && out.memory == -2097152, "M");
  ok(PARSE("--memory=5G") == H3D_OK && out.memory == 5368709120, "G");
  ok(PARSE("--", "--force", "-") == H3D_OK && n == 2 && out.force == 0
       && strcmp(operand[0], "--force") == 0,
     "-- ends options");
  ok(PARSE("--output=--force") == H3D_OK && strcmp(out.out, "--force") == 0,
     "= takes any value");
  ok(PARSE("--output=") == H3D_OK && strcmp(out.out, "") == 0,
     "an empty value");
}

static void
test_refusals(void)
{
  REFUSED("did you mean --epochs?", "--epoch=3");
  REFUSED("did you mean --help?", "--hlep");
  REFUSED("--frobnicate is not known; h3d-toy --help", "--frobnicate");
  REFUSED("--no-epochs is not known", "--no-epochs");
  REFUSED("--Training is not known", "--Training");
  REFUSED("-x is not known", "-fx");
  REFUSED("--epochs wants a value (N)", "--epochs");
  REFUSED("--output wants a value, found --force", "--output", "--force");
  REFUSED("--epochs: \"3x\" is no whole number", "--epochs=3x");
  REFUSED("--epochs: \"\"", "--epochs=");
  REFUSED("--memory: 9999999999G does not fit", "--memory=9999999999G");
  REFUSED("--memory: \"xK\"", "--memory=xK");
  REFUSED("--lr: \"fast\" is no number", "--lr", "fast");
  REFUSED("--lr: 1e999 is not finite", "--lr=1e999");
  REFUSED("--force takes no value, found \"yes\"", "--force=yes");
  REFUSED("\"d\" is one argument too many", "a", "b", "c", "d");
}

static void
test_help(void)
{
  char *text;
  int widest = 0;

  ok(PARSE("--help", "--nonsense") == H3D_OK && done == 1, "--help");
  ok(PARSE("-h") == H3D_OK && done == 1, "-h");
  ok(PARSE("--version") == H3D_OK && done == 2, "--version");
  capture_begin(1);
  h3d_opts_print_help(&program);
  text = capture_end();
  for (const char *p = text; *p != '\0';) {
    int length = (int)strcspn(p, "\n");

    widest = length > widest ? length : widest;
    p += length + (p[length] == '\n');
  }
  ok(widest <= 79, "help is %d columns wide", widest);
  ok(tap_rank != 0
       || (strstr(text, "Usage: h3d-toy [OPTION]... FILE...\nA toy.\n")
           && strstr(text, "\nTraining:\n  -e, --epochs=N") != NULL
           && strstr(text, "passes [80]\n") && strstr(text, "--no-overlap]")
           && strstr(text, "--version")),
     "it names groups, options and presets");
  ok(tap_rank == 0 || text[0] == '\0', "from rank 0 alone");
  h3d_free(text);
  capture_begin(1);
  h3d_opts_print_version(&program, "backends ref");
  text = capture_end();
  ok(strcmp(text, tap_rank == 0 ? "h3d-toy (h3d) " PACKAGE_VERSION
                                  "\nbackends ref\n"
                                : "")
       == 0,
     "version and build");
  h3d_free(text);
}

void
tap_main(void)
{
  test_values();
  test_refusals();
  test_help();
}
