#include "config.h"

#include "source.h"

#include <stdio.h>
#include <string.h>

extern const h3d_source_kind h3d_source_cosmoflow, h3d_source_npy,
  h3d_source_npz, h3d_source_raw;

const h3d_source_kind *const h3d_source_kinds[]
  = { &h3d_source_cosmoflow, &h3d_source_npy, &h3d_source_npz, &h3d_source_raw,
      NULL };

h3d_status
h3d_source_find(const char *word, const h3d_source_kind **kind)
{
  char known[128] = "auto";

  *kind = NULL;
  if (strcmp(word, "auto") == 0) {
    return H3D_OK;
  }
  for (const h3d_source_kind *const *k = h3d_source_kinds; *k != NULL; k++) {
    size_t n = strlen(known);

    if (strcmp(word, (*k)->name) == 0) {
      *kind = *k;
      return H3D_OK;
    }
    snprintf(known + n, sizeof known - n, ", %s", (*k)->name);
  }
  return h3d_fail(H3D_ERR_USAGE, "--from %s is not known; it is one of %s",
                  word, known);
}

static int
ends_with(const char *path, const char *suffix)
{
  size_t n = strlen(path), m = strlen(suffix);

  return n > m && strcmp(path + n - m, suffix) == 0;
}

const h3d_source_kind *
h3d_source_guess(const char *path)
{
  for (const h3d_source_kind *const *k = h3d_source_kinds; *k != NULL; k++) {
    for (const char *const *s = (*k)->suffixes; *s != NULL; s++) {
      if (ends_with(path, *s)) {
        return *k;
      }
    }
  }
  return NULL;
}

h3d_status
h3d_source_open(const h3d_source_kind *kind, const h3d_source_options *options,
                const char *path, h3d_source *s)
{
  memset(s, 0, sizeof *s);
  s->kind = kind;
  s->options = options;
  s->path = path;
  for (int a = 0; a < 3; a++) {
    s->about.spacing[a] = 1;
  }
  return kind->open(s);
}

void
h3d_source_close(h3d_source *s)
{
  if (s->state != NULL) {
    s->kind->close(s);
    s->state = NULL;
  }
}
