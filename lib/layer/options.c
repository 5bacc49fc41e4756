#include "config.h"

#include "layer/layer.h"

#include "base/opt.h"

#include <stdio.h>
#include <string.h>

enum { OPTIONS_MAX = 16, VALUE_MAX = 128 };

int
h3d_layer_option_row(const h3d_layer_kind *kind, const char *key)
{
  const h3d_option *o = kind->options;

  for (int i = 0; o != NULL && o[i].key != NULL; i++) {
    if (strcmp(o[i].key, key) == 0) {
      return i;
    }
  }
  return -1;
}

static h3d_status
refuse_key(const h3d_layer *l, const char *key)
{
  const h3d_option *o = l->kind->options;
  const char *known[OPTIONS_MAX + 1] = { NULL };
  char list[256] = "none";
  const char *near;
  int used = 0;

  for (int i = 0; o != NULL && o[i].key != NULL && i < OPTIONS_MAX; i++) {
    known[i] = o[i].key;
    if (used < (int)sizeof list) {
      used += snprintf(list + used, sizeof list - (size_t)used, "%s%s",
                       i > 0 ? ", " : "", o[i].key);
    }
  }
  near = h3d_nearest(key, known);
  return h3d_fail(
    H3D_ERR_USAGE, "layer %s: %s has no option \"%s\"%s%s%s; it has: %s",
    l->name, l->kind->name, key, near != NULL ? ", did you mean \"" : "",
    near != NULL ? near : "", near != NULL ? "\"" : "", list);
}

/* Is value one of the blank-separated words? */
static int
is_word_of(const char *words, const char *value)
{
  size_t len = strlen(value);

  while (*words != '\0') {
    size_t n = strcspn(words, " ");

    if (n == len && n > 0 && strncmp(words, value, n) == 0) {
      return 1;
    }
    words += n + strspn(words + n, " ");
  }
  return 0;
}

static h3d_status
set_word(const h3d_layer *l, const h3d_option *o, const char *value, char *out)
{
  if (o->words != NULL && !is_word_of(o->words, value)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: %s=%s is none of what %s knows: %s", l->name,
                    o->key, value, l->kind->name, o->words);
  }
  if (strlen(value) >= H3D_WORD_MAX || value[0] == '\0') {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: %s=%s has %zu characters, wanted are 1 to %d",
                    l->name, o->key, value, strlen(value), H3D_WORD_MAX - 1);
  }
  memcpy(out, value, strlen(value) + 1);
  return H3D_OK;
}

h3d_status
h3d_layer_set_option(h3d_layer *l, const char *key, const char *value)
{
  int row = h3d_layer_option_row(l->kind, key);
  const h3d_option *o;
  char what[VALUE_MAX];
  void *at;

  if (row < 0) {
    return refuse_key(l, key);
  }
  o = &l->kind->options[row];
  at = (char *)l->option + o->offset;
  snprintf(what, sizeof what, "layer %s: %s", l->name, key);
  switch (o->type) {
  case H3D_INT:
    return h3d_parse_int(what, value, at);
  case H3D_REAL:
    return h3d_parse_real(what, value, at);
  case H3D_WORD:
    return set_word(l, o, value, at);
  case H3D_FLAG:
    break;
  }
  if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: %s=%s is neither \"yes\" nor \"no\"", l->name,
                    key, value);
  }
  *(int *)at = value[0] == 'y';
  return H3D_OK;
}

h3d_status
h3d_layer_set_presets(h3d_layer *l)
{
  const h3d_option *o = l->kind->options;
  h3d_status st = H3D_OK;

  for (; o != NULL && o->key != NULL && st == H3D_OK; o++) {
    if (o->preset != NULL) {
      st = h3d_layer_set_option(l, o->key, o->preset);
    }
  }
  return st;
}

h3d_status
h3d_layer_check_options(const h3d_layer *l, uint64_t given)
{
  const h3d_option *o = l->kind->options;

  for (int i = 0; o != NULL && o[i].key != NULL; i++) {
    if (o[i].preset == NULL && !(given >> i & 1)) {
      return h3d_fail(H3D_ERR_USAGE, "layer %s: %s wants %s=... (%s)", l->name,
                      l->kind->name, o[i].key, o[i].help);
    }
  }
  return H3D_OK;
}
