/* A line of a network file as a layer. */
#include "config.h"

#include "base/mem.h"
#include "base/opt.h"
#include "model/net_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_ = 1024, WORDS_MAX = 24 };

/* One line under the parser: a layer. */
typedef struct line {
  const char *file;
  int number;
  char text[LINE_MAX_];
  int words;
  char *word[WORDS_MAX];
} line;

static h3d_status
split_line(line *l)
{
  char *p = l->text;

  l->text[strcspn(l->text, "#\r\n")] = '\0';
  l->words = 0;
  for (;;) {
    p += strspn(p, " \t");
    if (*p == '\0') {
      return H3D_OK;
    }
    if (l->words == WORDS_MAX) {
      return h3d_fail(H3D_ERR_USAGE, "%s:%d: more than %d words in a line",
                      l->file, l->number, WORDS_MAX);
    }
    l->word[l->words++] = p;
    p += strcspn(p, " \t");
    if (*p != '\0') {
      *p++ = '\0';
    }
  }
}

static int
find_layer(const h3d_net *net, const char *name)
{
  for (int i = 0; i < net->layers; i++) {
    if (strcmp(net->layer[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static h3d_status
find_kind(const line *l, const h3d_layer_kind **out)
{
  const char *known[64] = { NULL }, *near;
  int n = 0;

  *out = h3d_layer_kind_find(l->word[0]);
  if (*out && !(*out)->internal) {
    return H3D_OK;
  }
  for (const h3d_layer_kind *const *k = h3d_layer_kinds; *k && n < 63; k++) {
    if (!(*k)->internal) {
      known[n++] = (*k)->name;
    }
  }
  near = h3d_nearest(l->word[0], known);
  return h3d_fail(H3D_ERR_USAGE,
                  "%s:%d: no layer kind is called '%s'%s%s%s; h3d-info "
                  "--build lists the kinds",
                  l->file, l->number, l->word[0],
                  near ? ", did you mean '" : "", near ? near : "",
                  near ? "'" : "");
}

static h3d_status
refuse_name(const h3d_net *net, const line *l, const char *name)
{
  const char *known[257] = { NULL }, *near;

  for (int i = 0; i < net->layers && i < 256; i++) {
    known[i] = net->layer[i].name;
  }
  near = h3d_nearest(name, known);
  return h3d_fail(H3D_ERR_USAGE,
                  "%s:%d: '%s' reads '%s', which no layer above is called%s"
                  "%s%s",
                  l->file, l->number, l->word[1], name,
                  near ? ", did you mean '" : "", near ? near : "",
                  near ? "'?" : "");
}

/* "a,b" or "-" into the layer's inputs. */
static h3d_status
set_inputs(const h3d_net *net, const line *l, h3d_layer *y)
{
  char *p = l->word[2];

  while (p && strcmp(l->word[2], "-") != 0) {
    char *comma = strchr(p, ',');
    int at;

    if (comma) {
      *comma = '\0';
    }
    at = find_layer(net, p);
    if (at < 0) {
      return refuse_name(net, l, p);
    }
    if (y->inputs == H3D_INPUTS_MAX) {
      return h3d_fail(H3D_ERR_USAGE, "%s:%d: '%s' reads more than %d layers",
                      l->file, l->number, y->name, H3D_INPUTS_MAX);
    }
    y->input[y->inputs++] = at;
    p = comma ? comma + 1 : NULL;
  }
  if (y->kind->inputs >= 0 && y->kind->inputs != y->inputs) {
    return h3d_fail(
      H3D_ERR_USAGE, "%s:%d: '%s' reads %d layers, and a %s reads %d", l->file,
      l->number, y->name, y->inputs, y->kind->name, y->kind->inputs);
  }
  return H3D_OK;
}

/* The words that stand for what the dataset has. */
static h3d_status
substitute(const line *l, const h3d_data_shape *data, const char *value,
           char out[32], const char **text)
{
  int channels = strcmp(value, "data") == 0;
  int targets = strcmp(value, "targets") == 0;

  *text = value;
  if (targets && data->targets < 1) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "%s:%d: the network asks for the dataset's targets and "
                    "the dataset has none: prepare it with targets",
                    l->file, l->number);
  }
  if (channels || targets) {
    snprintf(out, 32, "%" PRId64, channels ? data->channels : data->targets);
    *text = out;
  }
  return H3D_OK;
}

static h3d_status
at_line(const line *l, h3d_status st)
{
  if (st != H3D_OK) {
    char why[512];

    snprintf(why, sizeof why, "%s", h3d_why());
    return h3d_fail(st, "%s:%d: %s", l->file, l->number, why);
  }
  return H3D_OK;
}

static h3d_status
set_options(const line *l, const h3d_data_shape *data, h3d_layer *y)
{
  uint64_t given = 0;
  h3d_status st = at_line(l, h3d_layer_set_presets(y));

  for (int i = 3; st == H3D_OK && i < l->words; i++) {
    char *value = strchr(l->word[i], '='), number[32];
    const char *text;
    int row;

    if (!value) {
      return h3d_fail(H3D_ERR_USAGE, "%s:%d: '%s' is not key=value", l->file,
                      l->number, l->word[i]);
    }
    *value++ = '\0';
    row = h3d_layer_option_row(y->kind, l->word[i]);
    if (row >= 0 && given >> row & 1) {
      return h3d_fail(H3D_ERR_USAGE, "%s:%d: %s is given twice", l->file,
                      l->number, l->word[i]);
    }
    given |= row >= 0 ? (uint64_t)1 << row : 0;
    st = substitute(l, data, value, number, &text);
    if (st == H3D_OK) {
      st = at_line(l, h3d_layer_set_option(y, l->word[i], text));
    }
  }
  return st == H3D_OK ? at_line(l, h3d_layer_check_options(y, given)) : st;
}

static h3d_status
set_shapes(const h3d_net *net, const line *l, const h3d_data_shape *data,
           h3d_layer *y)
{
  for (int i = 0; i < 3; i++) {
    y->window[i] = h3d_window_point();
  }
  for (int i = 0; i < y->inputs; i++) {
    y->x_shape[i] = net->layer[y->input[i]].y_shape;
  }
  if (y->inputs == 0) {
    y->y_shape.c = data->channels;
    memcpy(y->y_shape.n, data->extent, sizeof y->y_shape.n);
  }
  return at_line(l, y->kind->shape(y));
}

/* A loss compares the numbers of a sample with its targets. */
static h3d_status
check_loss(const h3d_net *net, const line *l, const h3d_data_shape *data,
           const h3d_layer *y)
{
  if (y->kind->is_loss && data->targets > 0
      && y->x_shape[0].c != data->targets) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "%s:%d: '%s' reads %" PRId64 " numbers a sample of '%s', "
                    "and there are %" PRId64 " targets: give '%s' "
                    "out=targets, or choose %" PRId64 " by --targets",
                    l->file, l->number, y->name, y->x_shape[0].c,
                    net->layer[y->input[0]].name, (int64_t)data->targets,
                    net->layer[y->input[0]].name, y->x_shape[0].c);
  }
  return H3D_OK;
}

static h3d_status
add_layer(h3d_net *net, line *l, const h3d_data_shape *data)
{
  const h3d_layer_kind *kind;
  h3d_layer *y;
  h3d_status st;

  if (l->words < 3) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s:%d: a line is: kind name reads [key=value ...]",
                    l->file, l->number);
  }
  H3D_TRY(find_kind(l, &kind));
  if (strlen(l->word[1]) >= H3D_NAME_MAX || strchr(l->word[1], '/')) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s:%d: the name '%s' is longer than %d letters or has a "
                    "'/'",
                    l->file, l->number, l->word[1], H3D_NAME_MAX - 1);
  }
  if (find_layer(net, l->word[1]) >= 0) {
    return h3d_fail(H3D_ERR_USAGE, "%s:%d: two layers are called '%s'",
                    l->file, l->number, l->word[1]);
  }
  if (net->layers > 0 && net->layer[net->layers - 1].kind->is_loss) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s:%d: '%s' stands after the loss, which "
                    "must be the last layer",
                    l->file, l->number, l->word[1]);
  }
  net->layer
    = h3d_grow(net->layer, (size_t)net->layers + 1, sizeof *net->layer);
  y = &net->layer[net->layers];
  memset(y, 0, sizeof *y);
  y->kind = kind;
  y->index = net->layers;
  snprintf(y->name, sizeof y->name, "%s", l->word[1]);
  y->option = h3d_new(1, kind->option_size + 1);
  st = set_inputs(net, l, y);
  net->layers++; /* from here on the net owns the option */
  H3D_TRY(st);
  H3D_TRY(set_options(l, data, y));
  H3D_TRY(set_shapes(net, l, data, y));
  H3D_TRY(check_loss(net, l, data, y));
done:
  return st;
}

h3d_status
h3d_net_add_line(h3d_net *net, int number, const char *text, size_t len,
                 const h3d_data_shape *data)
{
  line *l;
  h3d_status st;

  if (len >= LINE_MAX_) {
    return h3d_fail(H3D_ERR_USAGE, "%s:%d: a line of %zu characters",
                    net->name, number, len);
  }
  l = h3d_new(1, sizeof *l);
  l->file = net->name;
  l->number = number;
  memcpy(l->text, text, len);
  l->text[len] = '\0';
  st = split_line(l);
  if (st == H3D_OK && l->words > 0) {
    st = add_layer(net, l, data);
  }
  h3d_free(l);
  return st;
}
