#include "config.h"

#include "base/check.h"
#include "base/conf_impl.h"
#include "base/mem.h"
#include "base/torture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* One reading of one text. */
struct reading {
  h3d_conf *c;
  const char *name, *next, *from;
  int line;
  h3d_status st;
};

/* fgets for libinih.  We hand out the lines, so that we know their number, a
 * line too long is refused instead of cut, and an indented line is a line and
 * not the tail of the one above. */
static char *
next_line(char *out, int size, void *reading)
{
  struct reading *r = reading;
  size_t length;

  if (r->st != H3D_OK || *r->next == '\0') {
    return NULL;
  }
  r->line++;
  length = strcspn(r->next, "\n");
  if (length + 3 > (size_t)size) {
    r->st = h3d_fail(H3D_ERR_USAGE,
                     "%s:%d: a line of %zu bytes; this build"
                     " reads %d",
                     r->name, r->line, length, size - 3);
    return NULL;
  }
  const char *from = r->next + strspn(r->next, " \t");
  const char *end = r->next + length;
  if (from > end) {
    from = end;
  }
  /* libinih would go on and misread what follows. */
  if (*from == '[' && memchr(from, ']', (size_t)(end - from)) == NULL) {
    r->st = h3d_fail(H3D_ERR_USAGE, "%s:%d: a section without \"]\"", r->name,
                     r->line);
    return NULL;
  }
  memcpy(out, from, (size_t)(end - from));
  memcpy(out + (end - from), "\n", 2);
  r->next = end + (*end == '\n');
  return out;
}

static int
take(void *reading, const char *section, const char *name, const char *value)
{
  struct reading *r = reading;
  char *key = section[0] != '\0' ? h3d_sprintf("%s.%s", section, name)
                                 : h3d_strdup(name);
  char *from = r->from != NULL ? h3d_strdup(r->from)
                               : h3d_sprintf("%s:%d", r->name, r->line);
  int i = h3d_conf_find(r->c, key);

  if (r->st != H3D_OK) {
    /* One sentence is enough: libinih goes on to the end of the text. */
  } else if (i >= 0 && r->c->value[i].reading == r->c->reading) {
    r->st = h3d_fail(H3D_ERR_USAGE, "%s:%d: key %s is given twice; keep one",
                     r->name, r->line, key);
  } else {
    r->st = h3d_conf_set(r->c, key, value, from);
    if (r->st != H3D_OK) {
      h3d_fail(r->st, "%s:%d: %s", r->name, r->line, h3d_why());
    }
  }
  h3d_free(key);
  h3d_free(from);
  return r->st == H3D_OK;
}

h3d_status
h3d_conf_read_text(h3d_conf *c, const char *name, const char *text,
                   const char *from)
{
  struct reading r = { c, name, text, from, 0, H3D_OK };
  int line;

#if HAVE_DECL_INI_MAX_LINE
  ini_use_stack = false;
  ini_max_line = ini_initial_alloc = H3D_CONF_LINE;
#endif
  c->reading = ++c->readings;
  line = ini_parse_stream(next_line, &r, take, &r);
  c->reading = 0;
  if (r.st == H3D_OK && line > 0) {
    r.st = h3d_fail(H3D_ERR_USAGE,
                    "%s:%d: neither [section] nor key = value"
                    " nor a comment",
                    name, line);
  } else if (r.st == H3D_OK && line < 0) {
    r.st = h3d_fail(H3D_ERR_MEMORY, "%s: libinih found no memory", name);
  }
  return r.st;
}

static h3d_status
read_all(const char *path, FILE *file, char **text)
{
  size_t size = 0, room = 4096;

  *text = h3d_new(room, 1);
  for (;;) {
    size += fread(*text + size, 1, room - 1 - size, file);
    if (size < room - 1) {
      break;
    }
    room *= 2;
    *text = h3d_grow(*text, room, 1);
  }
  if (ferror(file)) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot read: %s", path,
                    strerror(errno));
  }
  (*text)[size] = '\0';
  if (strlen(*text) != size) {
    return h3d_fail(H3D_ERR_FILE, "%s: holds zero bytes; a run file is text",
                    path);
  }
  return H3D_OK;
}

h3d_status
h3d_conf_read_file(h3d_conf *c, const char *path)
{
  h3d_status st = h3d_point(H3D_ERR_FILE, path);
  FILE *file = st == H3D_OK ? fopen(path, "r") : NULL;
  char *text = NULL;

  if (st != H3D_OK) {
    return st;
  }
  if (file == NULL) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot open the run file: %s", path,
                    strerror(errno));
  }
  st = read_all(path, file, &text);
  fclose(file);
  if (st == H3D_OK) {
    st = h3d_conf_read_text(c, path, text, NULL);
  }
  h3d_free(text);
  return st;
}

/* The length of "section" in "section.key"; 0 without one. */
static size_t
section_length(const char *name)
{
  const char *dot = strrchr(name, '.');

  return dot != NULL ? (size_t)(dot - name) : 0;
}

char *
h3d_conf_dump(const h3d_conf *c)
{
  const char *last = "";
  size_t last_length = 0, size = 1, at = 0;
  char *text;

  for (int i = 0; i < c->n; i++) {
    size += 2 * strlen(c->table[i].name) + strlen(c->value[i].text)
            + strlen(c->value[i].from) + 16;
  }
  text = h3d_new(size, 1);
  for (int i = 0; i < c->n; i++) {
    const char *name = c->table[i].name;
    size_t length = section_length(name);

    if (length != last_length || memcmp(name, last, length) != 0) {
      at += (size_t)snprintf(text + at, size - at, "%s[%.*s]\n",
                             at > 0 ? "\n" : "", (int)length, name);
      last = name;
      last_length = length;
    }
    at += (size_t)snprintf(text + at, size - at, "# %s\n%s = %s\n",
                           c->value[i].from, name + length + (length > 0),
                           c->value[i].text);
    H3D_ASSERT(at < size);
  }
  return text;
}
