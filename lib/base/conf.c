#include "config.h"

#include "base/conf.h"

#include "base/check.h"
#include "base/conf_impl.h"
#include "base/mem.h"
#include "base/opt.h"

#include <ctype.h>
#include <string.h>

h3d_conf *
h3d_conf_new(const h3d_conf_key *table)
{
  h3d_conf *c = h3d_new(1, sizeof *c);

  while (table[c->n].name != NULL) {
    c->n++;
  }
  c->table = table;
  c->value = h3d_new((size_t)c->n, sizeof *c->value);
  for (int i = 0; i < c->n; i++) {
    if (h3d_conf_set(c, table[i].name, table[i].preset, "preset") != H3D_OK) {
      H3D_BREAK("%s", h3d_why());
    }
  }
  return c;
}

void
h3d_conf_free(h3d_conf **c)
{
  if (*c == NULL) {
    return;
  }
  for (int i = 0; i < (*c)->n; i++) {
    h3d_free((*c)->value[i].text);
    h3d_free((*c)->value[i].from);
  }
  h3d_free((*c)->value);
  h3d_free(*c);
  *c = NULL;
}

int
h3d_conf_find(const h3d_conf *c, const char *key)
{
  for (int i = 0; i < c->n; i++) {
    if (strcmp(c->table[i].name, key) == 0) {
      return i;
    }
  }
  return -1;
}

static h3d_status
unknown(const h3d_conf *c, const char *key)
{
  const char **known = h3d_new((size_t)c->n + 1, sizeof *known);
  const char *near;

  for (int i = 0; i < c->n; i++) {
    known[i] = c->table[i].name;
  }
  near = h3d_nearest(key, known);
  h3d_free(known);
  return h3d_fail(H3D_ERR_USAGE, "key %s is not known%s%s%s", key,
                  near != NULL ? "; did you mean " : "",
                  near != NULL ? near : "", near != NULL ? "?" : "");
}

static h3d_status
parse_flag(const char *key, const char *text, int64_t *out)
{
  static const char *const words[]
    = { "no", "yes", "false", "true", "off", "on", "0", "1" };

  for (int i = 0; i < 8; i++) {
    if (strcmp(words[i], text) == 0) {
      *out = i % 2;
      return H3D_OK;
    }
  }
  return h3d_fail(H3D_ERR_USAGE, "%s: \"%s\" is neither yes nor no", key,
                  text);
}

/* Is text what libinih gives back for "key = text"?  It cuts blanks at the
 * ends and comments. */
static h3d_status
check_text(const char *key, const char *text)
{
  size_t n = strlen(text);

  if (n > H3D_CONF_LINE - strlen(key) - 8) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s: a value of %zu bytes; a line of a run"
                    " file holds %d",
                    key, n, H3D_CONF_LINE);
  }
  for (size_t i = 0; i < n; i++) {
    if (iscntrl((unsigned char)text[i])) {
      return h3d_fail(H3D_ERR_USAGE,
                      "%s: the value holds a control character"
                      " (byte %zu); run files cannot",
                      key, i);
    }
    if (text[i] == ';' && (i == 0 || text[i - 1] == ' ')) {
      return h3d_fail(H3D_ERR_USAGE,
                      "%s: \"%s\" would end in a comment at"
                      " \";\"; take the blank before it away",
                      key, text);
    }
  }
  if (n > 0 && (text[0] == ' ' || text[n - 1] == ' ')) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s: \"%s\" begins or ends with a blank,"
                    " which run files drop",
                    key, text);
  }
  return H3D_OK;
}

h3d_status
h3d_conf_set(h3d_conf *c, const char *key, const char *value, const char *from)
{
  int i = h3d_conf_find(c, key);
  h3d_conf_value v = { 0 };
  h3d_status st = H3D_OK;

  if (i < 0) {
    return unknown(c, key);
  }
  switch (c->table[i].type) {
  case H3D_CONF_INT:
    st = h3d_parse_int(key, value, &v.whole);
    break;
  case H3D_CONF_REAL:
    st = h3d_parse_real(key, value, &v.real);
    break;
  case H3D_CONF_FLAG:
    st = parse_flag(key, value, &v.whole);
    break;
  case H3D_CONF_TEXT:
    st = check_text(key, value);
    break;
  }
  if (st != H3D_OK) {
    return st;
  }
  v.text = h3d_strdup(value);
  v.from = h3d_strdup(from);
  v.reading = c->reading;
  /* It ends up in a comment of one line. */
  for (char *p = v.from; *p != '\0'; p++) {
    if (iscntrl((unsigned char)*p)) {
      *p = '?';
    }
  }
  h3d_free(c->value[i].text);
  h3d_free(c->value[i].from);
  c->value[i] = v;
  return H3D_OK;
}

h3d_status
h3d_conf_set_pair(h3d_conf *c, const char *pair, const char *from)
{
  const char *eq = strchr(pair, '=');
  h3d_status st;
  char *key;

  if (eq == NULL || eq == pair) {
    return h3d_fail(H3D_ERR_USAGE,
                    "\"%s\" sets nothing; write"
                    " section.key=value",
                    pair);
  }
  key = h3d_sprintf("%.*s", (int)(eq - pair), pair);
  st = h3d_conf_set(c, key, eq + 1, from);
  h3d_free(key);
  return st;
}

static const h3d_conf_value *
look_up(const h3d_conf *c, const char *key, int types)
{
  int i = h3d_conf_find(c, key);

  if (i < 0 || !(types & 1 << c->table[i].type)) {
    H3D_BREAK("key %s is asked for, but %s", key,
              i < 0 ? "is in no table" : "has another type");
  }
  return &c->value[i];
}

int64_t
h3d_conf_int(const h3d_conf *c, const char *key)
{
  return look_up(c, key, 1 << H3D_CONF_INT)->whole;
}

double
h3d_conf_real(const h3d_conf *c, const char *key)
{
  return look_up(c, key, 1 << H3D_CONF_REAL)->real;
}

int
h3d_conf_flag(const h3d_conf *c, const char *key)
{
  return (int)look_up(c, key, 1 << H3D_CONF_FLAG)->whole;
}

const char *
h3d_conf_text(const h3d_conf *c, const char *key)
{
  return look_up(c, key, ~0)->text;
}

const char *
h3d_conf_from(const h3d_conf *c, const char *key)
{
  return look_up(c, key, ~0)->from;
}
