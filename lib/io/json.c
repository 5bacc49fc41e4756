#include "config.h"

#include "io/json.h"

#include "base/check.h"
#include "base/mem.h"
#include "io/publish.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* h3d_json is jansson's value, unnamed to those above. */
static json_t *
value_of(h3d_json *j)
{
  return (json_t *)j;
}

/* jansson returns -1 for a NULL value only: no memory. */
static void
set(h3d_json *j, const char *key, json_t *value)
{
  if (json_object_set_new(value_of(j), key, value) != 0) {
    H3D_BREAK("no memory for the JSON key %s", key);
  }
}

static void
append(json_t *array, json_t *value)
{
  if (json_array_append_new(array, value) != 0) {
    H3D_BREAK("no memory for a JSON array");
  }
}

static json_t *
text_value(const char *text)
{
  json_t *value = json_string(text);

  if (value == NULL) { /* not UTF-8 */
    char *plain = h3d_strdup(text);

    for (char *p = plain; *p != '\0'; p++) {
      *p = (unsigned char)*p < 128 ? *p : '?';
    }
    value = json_string(plain);
    h3d_free(plain);
  }
  return value;
}

static json_t *
real_value(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

h3d_json *
h3d_json_new(void)
{
  json_t *j = json_object();

  if (j == NULL) {
    H3D_BREAK("no memory for JSON");
  }
  return (h3d_json *)j;
}

void
h3d_json_free(h3d_json **j)
{
  json_decref(value_of(*j));
  *j = NULL;
}

void
h3d_json_set_text(h3d_json *j, const char *key, const char *text)
{
  set(j, key, text_value(text));
}

void
h3d_json_set_int(h3d_json *j, const char *key, int64_t value)
{
  set(j, key, json_integer(value));
}

void
h3d_json_set_real(h3d_json *j, const char *key, double value)
{
  set(j, key, real_value(value));
}

void
h3d_json_set_flag(h3d_json *j, const char *key, int value)
{
  set(j, key, json_boolean(value != 0));
}

void
h3d_json_set_reals(h3d_json *j, const char *key, int64_t n,
                   const double *value)
{
  json_t *array = value_of(h3d_json_set_array(j, key));

  for (int64_t i = 0; i < n; i++) {
    append(array, real_value(value[i]));
  }
}

void
h3d_json_set_texts(h3d_json *j, const char *key, int64_t n,
                   const char *const *text)
{
  json_t *array = value_of(h3d_json_set_array(j, key));

  for (int64_t i = 0; i < n; i++) {
    append(array, text_value(text[i]));
  }
}

h3d_json *
h3d_json_set_object(h3d_json *j, const char *key)
{
  json_t *object = json_object();

  set(j, key, object);
  return (h3d_json *)object;
}

h3d_json *
h3d_json_set_array(h3d_json *j, const char *key)
{
  json_t *array = json_array();

  set(j, key, array);
  return (h3d_json *)array;
}

h3d_json *
h3d_json_add_object(h3d_json *array)
{
  json_t *object = json_object();

  append(value_of(array), object);
  return (h3d_json *)object;
}

struct growing {
  char *text;
  size_t n, room;
};

static int
grow(const char *piece, size_t n, void *into)
{
  struct growing *g = into;

  if (g->n + n + 1 > g->room) {
    g->room = 2 * (g->n + n + 1);
    g->text = h3d_grow(g->text, g->room, 1);
  }
  memcpy(g->text + g->n, piece, n);
  g->n += n;
  g->text[g->n] = '\0';
  return 0;
}

char *
h3d_json_text(const h3d_json *j)
{
  struct growing g = { 0 };

  if (json_dump_callback((const json_t *)j, grow, &g,
                         JSON_INDENT(2) | JSON_PRESERVE_ORDER)
      != 0) {
    H3D_BREAK("no memory for JSON text");
  }
  return g.text;
}

h3d_status
h3d_json_write(const h3d_json *j, const char *path)
{
  char *text = h3d_json_text(j);
  FILE *f;
  h3d_status st = h3d_text_create(path, &f);

  if (st == H3D_OK) {
    fprintf(f, "%s\n", text);
    st = h3d_text_publish(path, &f, 0);
  }
  h3d_free(text);
  return st;
}
