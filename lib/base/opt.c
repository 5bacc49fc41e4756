#include "config.h"

#include "base/opt.h"

#include "base/check.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* What one call of h3d_opts_parse carries along. */
struct parse {
  const h3d_opts *o;
  int argc, at;
  char **argv;
  char *out, *given;
};

static int
rows(const h3d_opt *table)
{
  int n = 0;

  while (table[n].key != NULL) {
    n++;
  }
  return n;
}

static const h3d_opt *
find_key(const h3d_opt *table, const char *key, size_t length)
{
  for (; table->key != NULL; table++) {
    if (table->type != H3D_OPT_GROUP && strlen(table->key) == length
        && memcmp(table->key, key, length) == 0) {
      return table;
    }
  }
  return NULL;
}

static const h3d_opt *
find_letter(const h3d_opt *table, char letter)
{
  for (; table->key != NULL; table++) {
    if (table->type != H3D_OPT_GROUP && table->letter == letter) {
      return table;
    }
  }
  return NULL;
}

static h3d_status
unknown(const h3d_opts *o, const char *key)
{
  int n = rows(o->table), m = 0;
  const char **known = h3d_new((size_t)n + 3, sizeof *known);
  const char *near;

  for (int i = 0; i < n; i++) {
    if (o->table[i].type != H3D_OPT_GROUP) {
      known[m++] = o->table[i].key;
    }
  }
  known[m++] = "help";
  known[m] = "version";
  near = h3d_nearest(key, known);
  h3d_free(known);
  if (near != NULL) {
    return h3d_fail(H3D_ERR_USAGE,
                    "option --%s is not known; did you mean"
                    " --%s?",
                    key, near);
  }
  return h3d_fail(H3D_ERR_USAGE,
                  "option --%s is not known; %s --help lists"
                  " them",
                  key, o->program);
}

/* A whole number with K, M or G. */
static h3d_status
parse_scaled(const char *what, const char *text, int64_t *out)
{
  size_t n = strlen(text);
  const char *suffix = n > 1 ? strchr("KMG", text[n - 1]) : NULL;
  char digits[32];
  int64_t value, scale;
  h3d_status st;

  if (suffix == NULL || n >= sizeof digits) {
    return h3d_parse_int(what, text, out);
  }
  memcpy(digits, text, n - 1);
  digits[n - 1] = '\0';
  scale = (int64_t)1 << (*suffix == 'K' ? 10 : *suffix == 'M' ? 20 : 30);
  if ((st = h3d_parse_int(what, digits, &value)) != H3D_OK) {
    return h3d_fail(st, "%s: \"%s\" is no whole number (with K, M or G)", what,
                    text);
  }
  if (value > INT64_MAX / scale || value < INT64_MIN / scale) {
    return h3d_fail(H3D_ERR_USAGE, "%s: %s does not fit into 64 bits", what,
                    text);
  }
  *out = value * scale;
  return H3D_OK;
}

/* text is NULL for a flag. */
static h3d_status
store(const h3d_opt *row, const char *text, char *out)
{
  char what[80];
  h3d_opt_texts *many;

  snprintf(what, sizeof what, "--%s", row->key);
  out += row->offset;
  switch (row->type) {
  case H3D_OPT_FLAG:
    *(int *)(void *)out = 1;
    return H3D_OK;
  case H3D_OPT_INT:
    return parse_scaled(what, text, (int64_t *)(void *)out);
  case H3D_OPT_REAL:
    return h3d_parse_real(what, text, (double *)(void *)out);
  case H3D_OPT_TEXT:
    *(const char **)(void *)out = text;
    return H3D_OK;
  case H3D_OPT_TEXTS:
    many = (h3d_opt_texts *)(void *)out;
    if (many->n == H3D_OPT_TEXTS_MAX) {
      return h3d_fail(H3D_ERR_USAGE, "%s is given more than %d times", what,
                      H3D_OPT_TEXTS_MAX);
    }
    many->at[many->n++] = text;
    return H3D_OK;
  case H3D_OPT_GROUP:
    break;
  }
  return H3D_OK;
}

static void
preset(const h3d_opt *row, char *out)
{
  switch (row->type) {
  case H3D_OPT_FLAG:
    *(int *)(void *)(out + row->offset) = 0;
    break;
  case H3D_OPT_INT:
    *(int64_t *)(void *)(out + row->offset) = 0;
    break;
  case H3D_OPT_REAL:
    *(double *)(void *)(out + row->offset) = 0;
    break;
  case H3D_OPT_TEXT:
    *(const char **)(void *)(out + row->offset) = NULL;
    break;
  case H3D_OPT_TEXTS:
    memset(out + row->offset, 0, sizeof(h3d_opt_texts));
    break;
  case H3D_OPT_GROUP:
    return;
  }
  if (row->preset == NULL) {
    return;
  }
  if (row->type == H3D_OPT_FLAG ? strcmp(row->preset, "1") != 0
                                : row->type == H3D_OPT_TEXTS) {
    H3D_BREAK("preset \"%s\" of --%s is no preset for its type", row->preset,
              row->key);
  }
  if (store(row, row->preset, out) != H3D_OK) {
    H3D_BREAK("%s", h3d_why());
  }
}

static h3d_status
take(struct parse *p, const h3d_opt *row, const char *text)
{
  p->given[row - p->o->table] = 1;
  return store(row, text, p->out);
}

/* The value in the next argument. */
static h3d_status
take_next(struct parse *p, const h3d_opt *row)
{
  const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;

  if (next == NULL) {
    return h3d_fail(H3D_ERR_USAGE, "option --%s wants a value (%s)", row->key,
                    row->arg != NULL ? row->arg : "VALUE");
  }
  if (strncmp(next, "--", 2) == 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "option --%s wants a value, found %s;"
                    " write --%s=%s if that is the value",
                    row->key, next, row->key, next);
  }
  p->at++;
  return take(p, row, next);
}

/* An argument that begins with "--". */
static h3d_status
long_option(struct parse *p, const char *key)
{
  const char *eq = strchr(key, '=');
  size_t length = eq != NULL ? (size_t)(eq - key) : strlen(key);
  const h3d_opt *row = find_key(p->o->table, key, length);
  h3d_status st;

  if (row != NULL) {
    if (row->type == H3D_OPT_FLAG && eq != NULL) {
      return h3d_fail(H3D_ERR_USAGE,
                      "option --%s takes no value, found"
                      " \"%s\"; --no-%s turns it off",
                      row->key, eq + 1, row->key);
    }
    if (row->type == H3D_OPT_FLAG) {
      return take(p, row, NULL);
    }
    return eq != NULL ? take(p, row, eq + 1) : take_next(p, row);
  }
  if (eq == NULL && strncmp(key, "no-", 3) == 0) {
    row = find_key(p->o->table, key + 3, length - 3);
    if (row != NULL && row->type == H3D_OPT_FLAG) {
      p->given[row - p->o->table] = 1;
      *(int *)(void *)(p->out + row->offset) = 0;
      return H3D_OK;
    }
  }
  char *name = h3d_sprintf("%.*s", (int)length, key);
  st = unknown(p->o, name);
  h3d_free(name);
  return st;
}

/* Letters behind one dash: flags, then perhaps one with a value, which is the
 * rest of the argument or the next one. */
static h3d_status
letters(struct parse *p, const char *letter, int *done)
{
  for (; *letter != '\0'; letter++) {
    const h3d_opt *row = find_letter(p->o->table, *letter);
    h3d_status st;

    if (row == NULL && *letter == 'h') {
      *done = 1;
      return H3D_OK;
    }
    if (row == NULL) {
      return h3d_fail(H3D_ERR_USAGE,
                      "option -%c is not known; %s --help lists"
                      " them",
                      *letter, p->o->program);
    }
    if (row->type != H3D_OPT_FLAG) {
      return letter[1] != '\0' ? take(p, row, letter + 1) : take_next(p, row);
    }
    if ((st = take(p, row, NULL)) != H3D_OK) {
      return st;
    }
  }
  return H3D_OK;
}

h3d_status
h3d_opts_parse(const h3d_opts *o, int argc, char **argv, void *out,
               char *given, const char **operand, int max, int *n, int *done)
{
  char *mine = h3d_new((size_t)rows(o->table) + 1, 1);
  struct parse p = { o, argc, 1, argv, out, mine };
  h3d_status st = H3D_OK;
  int only_operands = 0;

  *n = *done = 0;
  for (const h3d_opt *row = o->table; row->key != NULL; row++) {
    preset(row, out);
  }
  for (; p.at < argc && *done == 0 && st == H3D_OK; p.at++) {
    const char *arg = argv[p.at];

    if (only_operands || arg[0] != '-' || arg[1] == '\0') {
      if (*n == max) {
        st = h3d_fail(H3D_ERR_USAGE,
                      "\"%s\" is one argument too many; usage:"
                      " %s %s",
                      arg, o->program, o->usage);
      } else {
        operand[(*n)++] = arg;
      }
    } else if (arg[1] != '-') {
      st = letters(&p, arg + 1, done);
    } else if (arg[2] == '\0') {
      only_operands = 1;
    } else if (strcmp(arg, "--help") == 0) {
      *done = 1;
    } else if (strcmp(arg, "--version") == 0) {
      *done = 2;
    } else {
      st = long_option(&p, arg + 2);
    }
  }
  if (given != NULL) {
    memcpy(given, mine, (size_t)rows(o->table));
  }
  h3d_free(mine);
  return st;
}
