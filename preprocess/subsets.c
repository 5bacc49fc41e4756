#include "config.h"

#include "subsets.h"

#include "base/mem.h"
#include "base/opt.h"
#include "base/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, STREAM = 0x73756273 }; /* "subs": no training draws it */

static h3d_status
parse_numbers(const char *text, double out[3])
{
  char word[64];

  for (int i = 0; i < 3; i++) {
    size_t n = strcspn(text, ",");

    if (n == 0 || n >= sizeof word || (i < 2) != (text[n] == ',')) {
      return h3d_fail(H3D_ERR_USAGE,
                      "--subsets wants three numbers for train, validation "
                      "and test, or a file");
    }
    memcpy(word, text, n);
    word[n] = '\0';
    if (h3d_parse_real("--subsets", word, &out[i]) != H3D_OK || out[i] < 0) {
      return h3d_fail(H3D_ERR_USAGE, "--subsets: %s is no share or count",
                      word);
    }
    text += n + 1;
  }
  return H3D_OK;
}

static int64_t
share_of(double share, int64_t n)
{
  int64_t count = llround(share * (double)n);

  return share > 0 && count == 0 && n >= 3 ? 1 : count;
}

static h3d_status
count_families(const char *text, int64_t n, int64_t count[3])
{
  double number[3], sum;
  h3d_status st = parse_numbers(text, number);

  if (st != H3D_OK) {
    return st;
  }
  sum = number[0] + number[1] + number[2];
  if (fabs(sum - 1) < 1e-6) {
    count[1] = share_of(number[1], n);
    count[2] = share_of(number[2], n);
    count[0] = n - count[1] - count[2];
  } else if (sum == (double)n && number[0] == floor(number[0])
             && number[1] == floor(number[1])) {
    for (int i = 0; i < 3; i++) {
      count[i] = (int64_t)number[i];
    }
  } else {
    return h3d_fail(H3D_ERR_USAGE,
                    "--subsets %s: give shares that sum to 1, or counts that "
                    "sum to the %" PRId64 " families (input files)",
                    text, n);
  }
  return H3D_OK;
}

static h3d_status
deal_out(const char *text, uint64_t seed, int64_t n, h3d_subset *subset)
{
  const h3d_rng rng = h3d_rng_init(seed, H3D_RNG_ORDER, 0, STREAM);
  int64_t count[3], *order, at = 0;
  h3d_status st = count_families(text, n, count);

  if (st != H3D_OK) {
    return st;
  }
  order = h3d_new((size_t)n, sizeof *order);
  h3d_rng_shuffle(&rng, n, order);
  for (int s = 0; s < H3D_SUBSETS; s++) {
    for (int64_t i = 0; i < count[s] && at < n; i++) {
      subset[order[at++]] = (h3d_subset)s;
    }
  }
  h3d_free(order);
  return H3D_OK;
}

struct entry {
  const char *id;
  int64_t family;
};

static int
by_id(const void *a, const void *b)
{
  return strcmp(((const struct entry *)a)->id, ((const struct entry *)b)->id);
}

static int64_t
find(const struct entry *e, int64_t n, const char *id)
{
  const struct entry key = { id, 0 };
  const struct entry *hit = bsearch(&key, e, (size_t)n, sizeof *e, by_id);

  return hit != NULL ? hit->family : -1;
}

/* A sample's own id, or that of the family before its "_000". */
static int64_t
find_family(const struct entry *e, int64_t n, char *id)
{
  int64_t family = find(e, n, id);
  char *tail = strrchr(id, '_');

  if (family < 0 && tail != NULL && strlen(tail) >= 4
      && strspn(tail + 1, "0123456789") == strlen(tail + 1)) {
    *tail = '\0';
    family = find(e, n, id);
  }
  return family;
}

static h3d_status
take_line(const char *path, int64_t number, char *line, const struct entry *e,
          int64_t n, int *given)
{
  static const char gaps[] = " \t\r\n,";
  char *id = line + strspn(line, gaps);
  char *word = id + strcspn(id, gaps);
  int64_t family;
  int s = 0;

  if (*id == '\0' || *id == '#') {
    return H3D_OK;
  }
  if (*word != '\0') {
    *word++ = '\0';
    word += strspn(word, gaps);
    word[strcspn(word, gaps)] = '\0';
  }
  while (s < H3D_SUBSETS
         && strcmp(word, h3d_subset_name((h3d_subset)s)) != 0) {
    s++;
  }
  if (s == H3D_SUBSETS) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s, line %" PRId64 ": \"%s\" is no subset; write ID and "
                    "train, validation or test",
                    path, number, word);
  }
  family = find_family(e, n, id);
  if (family < 0) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s, line %" PRId64 ": no input is called %s", path,
                    number, id);
  }
  if (given[family] >= 0 && given[family] != s) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s, line %" PRId64 ": %s is put into %s and %s, but a "
                    "family is never split",
                    path, number, id,
                    h3d_subset_name((h3d_subset)given[family]), word);
  }
  given[family] = s;
  return H3D_OK;
}

static h3d_status
read_file(const char *path, int64_t n, char *const *id, h3d_subset *subset)
{
  FILE *f = fopen(path, "r");
  struct entry *e;
  int *given;
  char *line;
  h3d_status st = H3D_OK;

  if (f == NULL) {
    return h3d_fail(H3D_ERR_FILE, "--subsets %s: %s", path, strerror(errno));
  }
  e = h3d_new((size_t)n, sizeof *e);
  given = h3d_new((size_t)n, sizeof *given);
  line = h3d_new(LINE, 1);
  for (int64_t i = 0; i < n; i++) {
    e[i] = (struct entry){ id[i], i };
    given[i] = -1;
  }
  qsort(e, (size_t)n, sizeof *e, by_id);
  for (int64_t at = 1; st == H3D_OK && fgets(line, LINE, f) != NULL; at++) {
    st = take_line(path, at, line, e, n, given);
  }
  if (st == H3D_OK && ferror(f)) {
    st = h3d_fail(H3D_ERR_FILE, "--subsets %s: cannot be read (%s)", path,
                  strerror(errno));
  }
  for (int64_t i = 0; i < n && st == H3D_OK; i++) {
    if (given[i] < 0) {
      st = h3d_fail(H3D_ERR_FILE,
                    "%s: no subset for %s; add a line \"%s train\" (or "
                    "validation, test)",
                    path, id[i], id[i]);
    } else {
      subset[i] = (h3d_subset)given[i];
    }
  }
  fclose(f);
  h3d_free(line);
  h3d_free(given);
  h3d_free(e);
  return st;
}

h3d_status
h3d_subsets_assign(const char *text, uint64_t seed, int64_t n, char *const *id,
                   h3d_subset *subset)
{
  int is_numbers = strchr(text, ',') != NULL
                   && strspn(text, "0123456789.,eE+-") == strlen(text);
  h3d_status st = is_numbers ? deal_out(text, seed, n, subset)
                             : read_file(text, n, id, subset);

  for (int64_t i = 0; i < n && st == H3D_OK; i++) {
    if (subset[i] == H3D_SUBSET_TRAIN) {
      return H3D_OK;
    }
  }
  return st == H3D_OK
           ? h3d_fail(H3D_ERR_USAGE, "--subsets %s: nobody trains", text)
           : st;
}
