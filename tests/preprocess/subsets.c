/* Families are dealt out whole, the same for the same seed. */
#include "config.h"

#include "base/mem.h"
#include "preprocess/subsets.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

TAP_RANKS("1")

enum { MOST = 200 };
static const char path[] = "test-preprocess-subsets";
static char names[MOST][16];
static char *ids[MOST];

static int
counts_are(const char *text, int64_t n, int64_t train, int64_t validation,
           int64_t test)
{
  h3d_subset s[MOST];
  int64_t count[H3D_SUBSETS] = { 0 };

  if (h3d_subsets_assign(text, 1, n, ids, s) != H3D_OK) {
    return 0;
  }
  for (int64_t i = 0; i < n; i++) {
    count[s[i]]++;
  }
  return count[0] == train && count[1] == validation && count[2] == test;
}

static void
test_counts(void)
{
  ok(counts_are("0.8,0.1,0.1", 100, 80, 10, 10), "shares of 100");
  ok(counts_are("0.8,0.1,0.1", 128, 102, 13, 13), "shares are rounded");
  ok(counts_are("0.8,0.1,0.1", 3, 1, 1, 1), "a few families: one each");
  ok(counts_are("0.8,0.1,0.1", 1, 1, 0, 0), "one family trains");
  ok(counts_are("0.5,0.5,0", 7, 3, 4, 0), "nobody tests");
  ok(counts_are("1,0,0", 5, 5, 0, 0), "all train");
  ok(counts_are("96,16,16", 128, 96, 16, 16), "counts");
}

static void
test_seed(void)
{
  h3d_subset a[MOST], b[MOST], c[MOST];

  h3d_subsets_assign("0.5,0.25,0.25", 1, MOST, ids, a);
  h3d_subsets_assign("0.5,0.25,0.25", 1, MOST, ids, b);
  h3d_subsets_assign("0.5,0.25,0.25", 2, MOST, ids, c);
  ok(memcmp(a, b, sizeof a) == 0, "the same seed deals the same");
  ok(memcmp(a, c, sizeof a) != 0, "another one does not");
}

static h3d_status
from_text(const char *text, int64_t n, h3d_subset *s)
{
  FILE *f = fopen(path, "w");

  fputs(text, f);
  fclose(f);
  return h3d_subsets_assign(path, 1, n, ids, s);
}

static void
test_file(void)
{
  h3d_subset s[MOST];

  ok(from_text("# mine\nu1 test\n\nu0\ttrain\nu2_000,validation\n"
               "u2_001 validation\n",
               3, s)
         == H3D_OK
       && s[0] == H3D_SUBSET_TRAIN && s[1] == H3D_SUBSET_TEST
       && s[2] == H3D_SUBSET_VALIDATION,
     "a file, with comments and cubes: %s", "");
  ok(from_text("u0 train\n", 2, s) == H3D_ERR_FILE
       && strstr(h3d_why(), "no subset for u1") != NULL,
     "%s", h3d_why());
  ok(from_text("u0 train\nu9 test\n", 2, s) == H3D_ERR_FILE
       && strstr(h3d_why(), "line 2") != NULL,
     "%s", h3d_why());
  ok(from_text("u0 train\nu1 tset\n", 2, s) == H3D_ERR_FILE, "%s", h3d_why());
  ok(from_text("u0_000 train\nu1 test\nu0_001 test\n", 2, s) == H3D_ERR_FILE
       && strstr(h3d_why(), "never split") != NULL,
     "%s", h3d_why());
  ok(from_text("u0 test\nu1 test\n", 2, s) == H3D_ERR_USAGE, "%s", h3d_why());
  unlink(path);
  ok(h3d_subsets_assign(path, 1, 2, ids, s) == H3D_ERR_FILE, "%s", h3d_why());
}

static void
test_refusals(void)
{
  static const char *const bad[]
    = { "0.8,0.1", "0.8,0.1,0.2", "3,3,3",     "0.5,0.5,-0.0,1",
        ",,",      "-1,1,1",      "0,0.5,0.5", NULL };
  h3d_subset s[MOST];

  for (const char *const *b = bad; *b != NULL; b++) {
    ok(h3d_subsets_assign(*b, 1, 10, ids, s) == H3D_ERR_USAGE, "%s: %s", *b,
       h3d_why());
  }
}

void
tap_main(void)
{
  const size_t blocks = h3d_mem_count();

  for (int i = 0; i < MOST; i++) {
    snprintf(names[i], sizeof names[i], "u%d", i);
    ids[i] = names[i];
  }
  test_counts();
  test_seed();
  test_file();
  test_refusals();
  ok(h3d_mem_count() == blocks, "no memory is left");
}
