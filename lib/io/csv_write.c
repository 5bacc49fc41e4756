#include "config.h"

#include "io/csv.h"

#include "base/mem.h"
#include "io/publish.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct h3d_csv_writer {
  char *path;
  FILE *file;
  int cells; /* in this row */
};

h3d_status
h3d_csv_create(const char *path, h3d_csv_writer **out)
{
  h3d_csv_writer *w = h3d_new(1, sizeof *w);
  h3d_status st = h3d_text_create(path, &w->file);

  w->path = h3d_strdup(path);
  *out = w;
  if (st != H3D_OK) {
    h3d_free(w->path);
    h3d_free(w);
    *out = NULL;
  }
  return st;
}

void
h3d_csv_put(h3d_csv_writer *w, const char *text)
{
  if (w->cells++ > 0) {
    fputc(',', w->file);
  }
  /* An empty first cell would make an empty line, which readers skip. */
  if (text[strcspn(text, ",\"\r\n")] == '\0' && text[0] != ' '
      && (text[0] != '\0' || w->cells > 1)) {
    fputs(text, w->file);
    return;
  }
  fputc('"', w->file);
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '"') {
      fputc('"', w->file);
    }
    fputc(*p, w->file);
  }
  fputc('"', w->file);
}

void
h3d_csv_put_int(h3d_csv_writer *w, int64_t value)
{
  char text[32];

  snprintf(text, sizeof text, "%" PRId64, value);
  h3d_csv_put(w, text);
}

void
h3d_csv_put_real(h3d_csv_writer *w, double value)
{
  char text[40];

  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) {
      break;
    }
  }
  h3d_csv_put(w, text);
}

void
h3d_csv_put_float(h3d_csv_writer *w, float value)
{
  char text[40];

  for (int digits = 6; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, (double)value);
    if (strtof(text, NULL) == value) {
      break;
    }
  }
  h3d_csv_put(w, text);
}

void
h3d_csv_end_row(h3d_csv_writer *w)
{
  fputc('\n', w->file);
  w->cells = 0;
}

h3d_status
h3d_csv_publish(h3d_csv_writer **w, int drop)
{
  h3d_status st = h3d_text_publish((*w)->path, &(*w)->file, drop);

  h3d_free((*w)->path);
  h3d_free(*w);
  *w = NULL;
  return st;
}
