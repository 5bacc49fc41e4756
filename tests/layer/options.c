/* Options of layers as text: what is taken, what is refused and how. */
#include "config.h"

#include "layer/layer.h"

#include "base/mem.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1")

/* A layer of this kind with its presets, reading n[0] x n[1] x n[2] x c. */
static h3d_layer
make(const char *kind, int64_t c, int64_t d, int64_t h, int64_t w)
{
  h3d_layer l = { .name = "here" };

  l.kind = h3d_layer_kind_find(kind);
  l.option = h3d_new(1, l.kind->option_size);
  l.x_shape[0] = (h3d_shape){ c, { d, h, w } };
  for (int a = 0; a < 3; a++) {
    l.window[a] = h3d_window_point();
  }
  ok(h3d_layer_set_presets(&l) == H3D_OK, "%s: presets are taken", kind);
  return l;
}

/* Set options "a=b c=d" one by one, then ask for the shape. */
static h3d_status
with(h3d_layer *l, const char *options)
{
  h3d_status st = H3D_OK;
  uint64_t given = 0;
  char copy[256], *at = copy;

  memcpy(copy, options, strlen(options) + 1);
  while (st == H3D_OK && *at != '\0') {
    size_t len = strcspn(at, " ");
    char *next = at + len + (at[len] == ' ');
    char *value = strchr(at, '=') + 1;
    int row;

    at[len] = '\0';
    value[-1] = '\0';
    row = h3d_layer_option_row(l->kind, at);
    st = h3d_layer_set_option(l, at, value);
    if (row >= 0) {
      given |= UINT64_C(1) << row;
    }
    at = next;
  }
  if (st == H3D_OK) {
    st = h3d_layer_check_options(l, given);
  }
  return st == H3D_OK ? l->kind->shape(l) : st;
}

typedef struct refusal {
  const char *kind, *options;
  h3d_status st;
  const char *says[3]; /* words that the sentence must hold */
} refusal;

static const refusal refusals[] = {
  { "conv", "", H3D_ERR_USAGE, { "out=", "here", "channels" } },
  { "conv", "out=0", H3D_ERR_USAGE, { "out=0", "at least 1", "here" } },
  { "conv", "out=2147483647", H3D_ERR_USAGE, { "at most 1048576" } },
  { "dense", "out=2147483647", H3D_ERR_USAGE, { "at most 1048576" } },
  { "conv", "out=x", H3D_ERR_USAGE, { "out", "x", "here" } },
  { "conv",
    "kernle=3 out=1",
    H3D_ERR_USAGE,
    { "kernle", "did you mean \"kernel\"", "dilation" } },
  { "conv",
    "zzzzzz=3 out=1",
    H3D_ERR_USAGE,
    { "zzzzzz", "it has: out, kernel", "here" } },
  { "conv", "out=1 kernel=8", H3D_ERR_USAGE, { "kernel=8", "7", "here" } },
  { "conv", "out=1 kernel=3x3x9", H3D_ERR_USAGE, { "3x3x9", "7", "here" } },
  { "conv", "out=1 kernel=0", H3D_ERR_USAGE, { "kernel=0", "1 to", "here" } },
  { "conv", "out=1 kernel=3x3", H3D_ERR_USAGE, { "3x3", "3x3x1", "here" } },
  { "conv", "out=1 kernel=3x3x3x3", H3D_ERR_USAGE, { "3x3x3x3" } },
  { "conv", "out=1 kernel=-3", H3D_ERR_USAGE, { "kernel=-3" } },
  { "conv", "out=1 kernel=3x", H3D_ERR_USAGE, { "kernel=3x" } },
  { "conv", "out=1 stride=99999999999", H3D_ERR_USAGE, { "stride=" } },
  { "conv", "out=1 dilation=a", H3D_ERR_USAGE, { "dilation=a" } },
  { "conv",
    "out=1 padding=some",
    H3D_ERR_USAGE,
    { "padding=some", "periodic", "before:after" } },
  { "conv", "out=1 padding=3", H3D_ERR_USAGE, { "padding=3", "axis D" } },
  { "conv", "out=1 padding=1:1x1:3x1:1", H3D_ERR_USAGE, { "axis H", "2" } },
  { "conv", "out=1 padding=1:", H3D_ERR_USAGE, { "padding=1:" } },
  { "conv", "out=1 bias=maybe", H3D_ERR_USAGE, { "maybe", "yes", "no" } },
  { "conv", "out=1 init=zero", H3D_ERR_USAGE, { "zero", "glorot he" } },
  { "conv",
    "out=1 kernel=7 padding=valid",
    H3D_ERR_SHAPE,
    { "axis D of 6", "7 voxels", "here" } },
  { "conv",
    "out=1 kernel=5 dilation=3 padding=periodic",
    H3D_ERR_SHAPE,
    { "periodic", "axis H", "5" } },
  { "conv",
    "out=1 stride=2x2x1 padding=periodic",
    H3D_ERR_SHAPE,
    { "periodic", "stride 2", "axis H of 5" } },
  { "pool", "op=mean kernel=2", H3D_ERR_USAGE, { "stride=", "here" } },
  { "pool", "op=sum kernel=2 stride=2", H3D_ERR_USAGE, { "sum", "mean max" } },
  { "pool",
    "op=max kernel=2 stride=2 padding=2",
    H3D_ERR_USAGE,
    { "padding=2", "padding only" } },
  { "pool", "op=max kernel=5x5x5 stride=2", H3D_ERR_SHAPE, { "axis W" } },
  { "norm", "over=sample", H3D_ERR_USAGE, { "over=sample", "batch" } },
  { "norm", "decay=1", H3D_ERR_USAGE, { "decay=1", "below 1" } },
  { "norm", "eps=0", H3D_ERR_USAGE, { "eps=0", "above 0" } },
  { "act", "fn=gelu", H3D_ERR_USAGE, { "gelu", "relu leaky tanh" } },
  { "act", "fn=leaky slope=-1", H3D_ERR_USAGE, { "slope=-1" } },
  { "act", "fn=tanh scale=0", H3D_ERR_USAGE, { "scale=0" } },
  { "act", "fn=leaky slope=nan", H3D_ERR_USAGE, { "nan" } },
  { "dense", "out=-4", H3D_ERR_USAGE, { "out=-4" } },
  { "dense", "out=4 bias_init=a", H3D_ERR_USAGE, { "bias_init" } },
  { "dropout", "drop=1", H3D_ERR_USAGE, { "drop=1", "below 1" } },
  { "mse", "", H3D_ERR_SHAPE, { "6 x 5 x 4", "dense", "here" } },
  { "mse", "weight=1", H3D_ERR_USAGE, { "mse has no option", "none" } },
  { "input", "channels=0", H3D_ERR_USAGE, { "channels=0" } },
};

static void
check_refusals(void)
{
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const refusal *r = &refusals[i];
    h3d_layer l = make(r->kind, 2, 6, 5, 4);
    h3d_status st = with(&l, r->options);
    int said = 1;

    for (int w = 0; w < 3 && r->says[w] != NULL; w++) {
      said = said && strstr(h3d_why(), r->says[w]) != NULL;
    }
    ok(st == r->st && said, "%s %s is refused: %s", r->kind, r->options,
       st == H3D_OK ? "no, taken" : h3d_why());
    h3d_free(l.option);
  }
}

typedef struct taken {
  const char *kind, *options;
  h3d_shape y;
  int before[3], after[3], periodic;
} taken;

/* From 2 channels of 6 x 5 x 4 voxels. */
static const taken takens[] = {
  { "conv", "out=3", { 3, { 6, 5, 4 } }, { 1, 1, 1 }, { 1, 1, 1 }, 0 },
  { "conv", "out=3 kernel=1", { 3, { 6, 5, 4 } }, { 0 }, { 0 }, 0 },
  { "conv", "out=3 kernel=2", { 3, { 6, 5, 4 } }, { 0 }, { 1, 1, 1 }, 0 },
  { "conv",
    "out=3 kernel=7",
    { 3, { 6, 5, 4 } },
    { 3, 3, 3 },
    { 3, 3, 3 },
    0 },
  { "conv",
    "out=3 stride=2",
    { 3, { 3, 3, 2 } },
    { 1, 1, 1 },
    { 1, 1, 1 },
    0 },
  { "conv", "out=3 padding=valid", { 3, { 4, 3, 2 } }, { 0 }, { 0 }, 0 },
  { "conv",
    "out=3 kernel=3x1x2 dilation=2x1x1 padding=1:2x0x1:0",
    { 3, { 5, 5, 4 } },
    { 1, 0, 1 },
    { 2, 0, 0 },
    0 },
  { "conv",
    "out=3 kernel=4 padding=periodic",
    { 3, { 6, 5, 4 } },
    { 1, 1, 1 },
    { 2, 2, 2 },
    1 },
  { "pool",
    "op=mean kernel=3 stride=2 padding=1",
    { 2, { 3, 3, 2 } },
    { 1, 1, 1 },
    { 1, 1, 1 },
    0 },
  { "pool",
    "op=max kernel=2x2x1 stride=2x2x1",
    { 2, { 3, 2, 4 } },
    { 0 },
    { 0 },
    0 },
  { "dense", "out=7", { 7, { 1, 1, 1 } }, { 0 }, { 0 }, 0 },
  { "norm", "", { 2, { 6, 5, 4 } }, { 0 }, { 0 }, 0 },
  { "act", "fn=relu", { 2, { 6, 5, 4 } }, { 0 }, { 0 }, 0 },
  { "dropout", "drop=0", { 2, { 6, 5, 4 } }, { 0 }, { 0 }, 0 },
  { "input", "channels=2", { 2, { 0, 0, 0 } }, { 0 }, { 0 }, 0 },
};

static void
check_taken(void)
{
  for (size_t i = 0; i < sizeof takens / sizeof takens[0]; i++) {
    const taken *t = &takens[i];
    h3d_layer l = make(t->kind, 2, 6, 5, 4);
    h3d_status st = with(&l, t->options);
    int same = l.y_shape.c == t->y.c && l.periodic == t->periodic;

    for (int a = 0; a < 3; a++) {
      same = same && l.y_shape.n[a] == t->y.n[a]
             && l.window[a].before == t->before[a]
             && l.window[a].after == t->after[a];
    }
    ok(st == H3D_OK && same, "%s %s is taken, with the right shape", t->kind,
       t->options);
    h3d_free(l.option);
  }
}

/* Every kind says what it is and does, with options that parse. */
static void
check_table(void)
{
  for (int i = 0; h3d_layer_kinds[i] != NULL; i++) {
    const h3d_layer_kind *k = h3d_layer_kinds[i];
    int whole = k->name != NULL && k->help != NULL && k->shape != NULL
                && k->forward != NULL && k->backward != NULL
                && (k->is_loss == 0) == (k->metric == NULL);

    for (const h3d_option *o = k->options; o != NULL && o->key != NULL; o++) {
      whole = whole && o->help != NULL && o->offset < k->option_size
              && (o->words == NULL || o->type == H3D_WORD);
    }
    ok(whole && h3d_layer_kind_find(k->name) == k, "%s: the table is whole",
       k->name);
  }
  ok(h3d_layer_kind_find("convolution") == NULL,
     "unknown kinds are not found");
}

void
tap_main(void)
{
  h3d_layer l;

  check_table();
  check_refusals();
  check_taken();
  l = make("input", 1, 1, 1, 1);
  l.y_shape.c = 4;
  ok(with(&l, "channels=3") == H3D_ERR_SHAPE && strstr(h3d_why(), "have 4"),
     "channels that the data do not have are refused");
  h3d_free(l.option);
}
