#include "config.h"

#include "base/opt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64 };

static int
least(int a, int b)
{
  return a < b ? a : b;
}

/* Damerau-Levenshtein distance in its restricted form (optimal string
 * alignment): single changes and swaps of neighbours.  Both words have at
 * most WORD_MAX letters. */
static int
distance(const char *a, const char *b)
{
  int rows[3][WORD_MAX + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  int na = (int)strlen(a), nb = (int)strlen(b);

  for (int j = 0; j <= nb; j++) {
    before[j] = 0;
    last[j] = j;
  }
  for (int i = 1; i <= na; i++) {
    int *spare = before;

    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int d = last[j - 1] + (a[i - 1] != b[j - 1]);

      d = least(d, least(last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d = least(d, before[j - 2] + 1);
      }
      row[j] = d;
    }
    before = last;
    last = row;
    row = spare;
  }
  return last[nb];
}

const char *
h3d_nearest(const char *word, const char *const *known)
{
  const char *best = NULL;
  int allowed = (int)(strlen(word) / 3), best_d = 0;

  if (strlen(word) > WORD_MAX) {
    return NULL;
  }
  if (allowed < 1) {
    allowed = 1;
  }
  for (; *known != NULL; known++) {
    int d;

    if (strlen(*known) > WORD_MAX) {
      continue;
    }
    d = distance(word, *known);
    if (d <= allowed && (best == NULL || d < best_d)) {
      best = *known;
      best_d = d;
    }
  }
  return best;
}

/* strtoll and strtod skip blanks in front; a number has none. */
static int
is_number_start(char c)
{
  return c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9');
}

h3d_status
h3d_parse_int(const char *what, const char *text, int64_t *out)
{
  char *end;
  long long value;

  errno = 0;
  value = strtoll(text, &end, 10);
  if (!is_number_start(text[0]) || end == text || *end != '\0') {
    return h3d_fail(H3D_ERR_USAGE, "%s: \"%s\" is no whole number", what,
                    text);
  }
  if (errno == ERANGE || value > INT64_MAX || value < INT64_MIN) {
    return h3d_fail(H3D_ERR_USAGE, "%s: %s does not fit into 64 bits", what,
                    text);
  }
  *out = value;
  return H3D_OK;
}

h3d_status
h3d_parse_real(const char *what, const char *text, double *out)
{
  char *end;
  double value = strtod(text, &end);

  if (!is_number_start(text[0]) || end == text || *end != '\0') {
    return h3d_fail(H3D_ERR_USAGE, "%s: \"%s\" is no number", what, text);
  }
  if (!isfinite(value)) {
    return h3d_fail(H3D_ERR_USAGE, "%s: %s is not finite", what, text);
  }
  *out = value;
  return H3D_OK;
}
