#include "config.h"

#include "io/csv.h"

#include "base/mem.h"
#include "base/opt.h"
#include "base/torture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct h3d_csv {
  char *path, *text; /* cells point into text */
  int columns;
  int64_t rows;  /* the header is row 0 here */
  char **cell;   /* [rows][columns] */
  int64_t *line; /* [rows] */
  size_t room;   /* cells */
};

static h3d_status
slurp(const char *path, char **text)
{
  h3d_status st = h3d_point(H3D_ERR_FILE, path);
  FILE *f = st == H3D_OK ? fopen(path, "rb") : NULL;
  size_t n = 0, room = 1 << 16, got;

  *text = NULL;
  if (st != H3D_OK) {
    return st;
  }
  if (f == NULL) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s", path, strerror(errno));
  }
  *text = h3d_new(room + 1, 1);
  while ((got = fread(*text + n, 1, room - n, f)) > 0) {
    n += got;
    if (n == room) {
      room *= 2;
      *text = h3d_grow(*text, room + 1, 1);
    }
  }
  (*text)[n] = '\0';
  if (ferror(f)) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be read (%s)", path,
                  strerror(errno));
  } else if (strlen(*text) != n) {
    st = h3d_fail(H3D_ERR_FILE, "%s: not a text file", path);
  }
  fclose(f);
  return st;
}

/* One cell in place; *at moves to the character that ended it, which the
 * cell's end may overwrite.  Returns the ender, or 'q' for an open quote.
 */
static char
cut_cell(char **at, char **cell, int64_t *line)
{
  char *to = *at, *from = *at, ender;
  int quoted = *from == '"';

  *cell = to;
  from += quoted;
  while (quoted) {
    if (*from == '\0') {
      return 'q';
    }
    if (*from == '"' && from[1] != '"') {
      from++;
      break;
    }
    from += *from == '"';
    *line += *from == '\n';
    *to++ = *from++;
  }
  while (*from != ',' && *from != '\n' && *from != '\0') {
    *to++ = *from++;
  }
  ender = *from;
  while (!quoted && to > *cell && (to[-1] == '\r' || to[-1] == ' ')) {
    to--;
  }
  if (quoted && to > *cell && to[-1] == '\r') {
    to--;
  }
  *to = '\0';
  *at = from;
  return ender;
}

static void
keep_cell(h3d_csv *t, size_t n, char *cell)
{
  if (n >= t->room) {
    t->room = 2 * n + 64;
    t->cell = h3d_grow(t->cell, t->room, sizeof *t->cell);
  }
  t->cell[n] = cell;
}

static h3d_status
parse(h3d_csv *t)
{
  static const char mark[] = "\357\273\277";
  char *at = t->text + (strncmp(t->text, mark, 3) == 0 ? 3 : 0);
  size_t n = 0;
  int64_t line = 1;

  while (*at != '\0') {
    int64_t first = line;
    char ender = ',';
    int cells = 0;

    if (*at == '\n' || (*at == '\r' && at[1] == '\n')) {
      at += *at == '\r';
      at++;
      line++;
      continue;
    }
    while (ender == ',') {
      char *cell;

      ender = cut_cell(&at, &cell, &line);
      if (ender == 'q') {
        return h3d_fail(H3D_ERR_FILE,
                        "%s, line %" PRId64 ": a quote does not end", t->path,
                        first);
      }
      at += ender != '\0';
      keep_cell(t, n++, cell);
      cells++;
    }
    line++;
    if (t->rows == 0) {
      t->columns = cells;
    } else if (cells != t->columns) {
      return h3d_fail(H3D_ERR_FILE,
                      "%s, line %" PRId64 ": %d cells, the header has %d",
                      t->path, first, cells, t->columns);
    }
    t->line = h3d_grow(t->line, (size_t)t->rows + 1, sizeof *t->line);
    t->line[t->rows++] = first;
  }
  return t->rows > 0 ? H3D_OK
                     : h3d_fail(H3D_ERR_FILE, "%s: no header line", t->path);
}

static h3d_status
check_names(const h3d_csv *t)
{
  for (int a = 0; a < t->columns; a++) {
    if (h3d_csv_find(t, t->cell[a]) != a) {
      return h3d_fail(H3D_ERR_FILE, "%s: two columns are called \"%s\"",
                      t->path, t->cell[a]);
    }
  }
  return H3D_OK;
}

h3d_status
h3d_csv_read(const char *path, h3d_csv **out)
{
  h3d_csv *t = *out = h3d_new(1, sizeof *t);
  h3d_status st;

  t->path = h3d_strdup(path);
  H3D_TRY(slurp(path, &t->text));
  H3D_TRY(parse(t));
  st = check_names(t);
done:
  if (st != H3D_OK) {
    h3d_csv_free(out);
  }
  return st;
}

void
h3d_csv_free(h3d_csv **t)
{
  if (*t != NULL) {
    h3d_free((*t)->path);
    h3d_free((*t)->text);
    h3d_free((*t)->cell);
    h3d_free((*t)->line);
    h3d_free(*t);
    *t = NULL;
  }
}

int64_t
h3d_csv_rows(const h3d_csv *t)
{
  return t->rows - 1;
}

int
h3d_csv_columns(const h3d_csv *t)
{
  return t->columns;
}

const char *
h3d_csv_name(const h3d_csv *t, int column)
{
  return t->cell[column];
}

int
h3d_csv_find(const h3d_csv *t, const char *name)
{
  for (int a = 0; a < t->columns; a++) {
    if (strcmp(t->cell[a], name) == 0) {
      return a;
    }
  }
  return -1;
}

const char *
h3d_csv_at(const h3d_csv *t, int64_t row, int column)
{
  return t->cell[(row + 1) * t->columns + column];
}

h3d_status
h3d_csv_real(const h3d_csv *t, int64_t row, int column, double *out)
{
  const char *cell = h3d_csv_at(t, row, column);

  if (h3d_parse_real("cell", cell, out) != H3D_OK) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s, line %" PRId64 ", column %s: \"%s\" is not a number",
                    t->path, t->line[row + 1], t->cell[column], cell);
  }
  return H3D_OK;
}
