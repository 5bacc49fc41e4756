/* Networks as text: what is taken, what is refused and how. */
#include "config.h"

#include "model/net.h"

#include "base/mem.h"
#include "capture.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

TAP_RANKS("1")

static const h3d_data_shape data = { 4, { 16, 16, 16 }, 3 };

#define X "input x - channels=data\n"
#define Y "dense y x out=targets\n"
#define LOSS "mse loss y\n"

typedef struct refusal {
  const char *text;
  h3d_status st;
  const char *says[3]; /* words that the sentence must hold */
} refusal;

static const refusal refusals[] = {
  { "", H3D_ERR_USAGE, { "f.net", "one input", "loss" } },
  { "# nothing\n\n", H3D_ERR_USAGE, { "f.net", "0 layers" } },
  { X, H3D_ERR_USAGE, { "f.net", "ends in a loss", "'input'" } },
  { X Y, H3D_ERR_USAGE, { "ends in a loss", "'dense'", "2 layers" } },
  { X "input z - channels=data\n" Y LOSS,
    H3D_ERR_USAGE,
    { "one input", "2 of them inputs" } },
  { X "conv\n", H3D_ERR_USAGE, { "f.net:2", "kind name reads" } },
  { X "conv a\n", H3D_ERR_USAGE, { "f.net:2", "kind name reads" } },
  { X "\n# a\nkonv a x out=1\n",
    H3D_ERR_USAGE,
    { "f.net:4", "'konv'", "did you mean 'conv'" } },
  { X "Conv a x out=1\n", H3D_ERR_USAGE, { "f.net:2", "'Conv'", "'conv'" } },
  { X "zzzzzzz a x\n", H3D_ERR_USAGE, { "f.net:2", "'zzzzzzz'", "--build" } },
  { X "redist a x\n", H3D_ERR_USAGE, { "f.net:2", "'redist'" } },
  { X "conv input1 x out=2\nconv b input2 out=1\n",
    H3D_ERR_USAGE,
    { "f.net:3", "'input2'", "did you mean 'input1'" } },
  { X "conv a b out=1\n" Y LOSS,
    H3D_ERR_USAGE,
    { "f.net:2", "'a' reads 'b'" } },
  { X "conv a a out=1\n", H3D_ERR_USAGE, { "f.net:2", "'a' reads 'a'" } },
  { X "conv a x, out=1\n", H3D_ERR_USAGE, { "f.net:2", "reads ''" } },
  { X "conv a x,x out=1\n",
    H3D_ERR_USAGE,
    { "f.net:2", "reads 2 layers", "conv reads 1" } },
  { X "conv a x,x,x,x,x out=1\n",
    H3D_ERR_USAGE,
    { "f.net:2", "more than 4" } },
  { X "conv a - out=1\n", H3D_ERR_USAGE, { "f.net:2", "reads 0 layers" } },
  { "input x x channels=1\n", H3D_ERR_USAGE, { "f.net:1", "'x' reads 'x'" } },
  { X "conv x x out=1\n",
    H3D_ERR_USAGE,
    { "f.net:2", "two layers are called 'x'" } },
  { X "conv a/b x out=1\n", H3D_ERR_USAGE, { "f.net:2", "'a/b'", "'/'" } },
  { X "conv "
      "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz x out=1\n",
    H3D_ERR_USAGE,
    { "f.net:2", "longer than 47" } },
  { X Y LOSS "conv a x out=1\n",
    H3D_ERR_USAGE,
    { "f.net:4", "'a' stands after the loss" } },
  { X "conv a x out=1\n" Y LOSS,
    H3D_ERR_USAGE,
    { "f.net", "no layer reads 'a'" } },
  { X "conv a x out\n", H3D_ERR_USAGE, { "f.net:2", "'out'", "key=value" } },
  { X "conv a x out=1 out=2\n", H3D_ERR_USAGE, { "f.net:2", "out", "twice" } },
  { X "conv a x out=1 kernal=3\n",
    H3D_ERR_USAGE,
    { "f.net:2", "kernal", "did you mean \"kernel\"" } },
  { X "conv a x out=\n", H3D_ERR_USAGE, { "f.net:2", "out" } },
  { X "conv a x\n", H3D_ERR_USAGE, { "f.net:2", "out=" } },
  { X "conv a x out=targetz\n", H3D_ERR_USAGE, { "f.net:2", "targetz" } },
  { X "conv a x out=1 kernel=5 padding=valid\nconv b a out=1 kernel=7 "
      "padding=valid\nconv c b out=1 kernel=7 padding=valid\n",
    H3D_ERR_SHAPE,
    { "f.net:4", "axis D of 6", "layer c" } },
  { "input x - channels=5\n",
    H3D_ERR_SHAPE,
    { "f.net:1", "channels=5", "have 4" } },
  { X "dense y x out=77\n" LOSS,
    H3D_ERR_SHAPE,
    { "f.net:3", "77 numbers", "out=targets" } },
  { "input x -\n", H3D_ERR_USAGE, { "f.net:1", "channels" } },
  { X "conv a x 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22\n",
    H3D_ERR_USAGE,
    { "f.net:2", "24 words" } },
};

static void
test_refusals(void)
{
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const refusal *r = &refusals[i];
    h3d_net *net = NULL;
    h3d_status st = h3d_net_parse("f.net", r->text, &data, &net);
    int says = 1;

    for (int k = 0; k < 3 && r->says[k] && st != H3D_OK; k++) {
      says = says && strstr(h3d_why(), r->says[k]);
    }
    if (!ok(st == r->st && says && net == NULL, "refusal %zu: %s", i,
            st == H3D_OK ? "taken" : h3d_why())) {
      printf("# %s\n", h3d_status_name(st));
    }
    h3d_net_free(&net);
  }
}

static void
test_targets(void)
{
  h3d_data_shape none = data;
  h3d_net *net = NULL;

  none.targets = 0;
  ok(h3d_net_parse("f.net", X Y LOSS, &none, &net) == H3D_ERR_SHAPE
       && strstr(h3d_why(), "f.net:2") && strstr(h3d_why(), "targets"),
     "no targets: %s", h3d_why());
  h3d_net_free(&net);
}

static void
test_line_too_long(void)
{
  char text[4096];
  h3d_net *net = NULL;

  snprintf(text, sizeof text, X "# %02000d\n" Y LOSS, 0);
  ok(h3d_net_parse("f.net", text, &data, &net) == H3D_ERR_USAGE
       && strstr(h3d_why(), "f.net:2") && strstr(h3d_why(), "2002"),
     "%.60s", h3d_why());
  h3d_net_free(&net);
}

static const char whole[]
  = "# a comment\r\n"
    "\tinput  x   -  channels=data   # behind a line\r\n"
    "\n"
    "conv c x out=6 kernel=3 stride=2\n"
    "norm n c\n"
    "act a n fn=relu\n"
    "pool p a op=max kernel=2 stride=2\n"
    "dense y p out=targets\n"
    "mse loss y";

static void
check_whole(const h3d_net *net)
{
  /* 6*4*27+6 + 2*6 + 3*(6*64)+3; running statistics are not trained. */
  const int64_t weights = 654 + 12 + 1155;

  ok(net->layers == 7 && net->loss == 6 && net->output == 5,
     "layers, output and loss");
  ok(net->layer[1].input[0] == 0 && net->layer[1].inputs == 1
       && net->layer[0].inputs == 0 && strcmp(net->layer[4].name, "p") == 0
       && net->layer[4].index == 4,
     "names and what they read");
  ok(net->layer[0].y_shape.c == 4 && net->layer[0].y_shape.n[2] == 16
       && net->layer[1].y_shape.c == 6 && net->layer[1].y_shape.n[0] == 8
       && net->layer[4].y_shape.n[1] == 4 && net->layer[5].y_shape.c == 3,
     "shapes follow from the data");
  ok(h3d_net_weights(net) == weights, "%d weights", (int)h3d_net_weights(net));
  ok(strcmp(net->text, whole) == 0, "the text is kept as it was");
}

static void
test_file(void)
{
  char *path = capture_name(".net");
  FILE *f = fopen(path, "w");
  h3d_net *net = NULL;
  char *big;

  ok(f && fputs(whole, f) >= 0 && fclose(f) == 0, "written");
  if (ok(h3d_net_read(path, &data, &net) == H3D_OK, "a file is read")) {
    check_whole(net);
    ok(strcmp(net->name, path) == 0, "and named");
  }
  h3d_net_free(&net);
  big = h3d_new((2 << 20) + 1, 1);
  memset(big, '\n', 2 << 20);
  f = fopen(path, "w");
  ok(f && fputs(big, f) >= 0 && fclose(f) == 0, "written");
  ok(h3d_net_read(path, &data, &net) == H3D_ERR_FILE && net == NULL
       && strstr(h3d_why(), path) && strstr(h3d_why(), "1 MiB"),
     "too large a file: %s", h3d_why());
  remove(path);
  ok(h3d_net_read(path, &data, &net) == H3D_ERR_FILE
       && strstr(h3d_why(), path),
     "no file: %s", h3d_why());
  ok(h3d_net_read("/", &data, &net) == H3D_ERR_FILE, "a folder: %s",
     h3d_why());
  h3d_free(big);
  h3d_free(path);
}

void
tap_main(void)
{
  test_refusals();
  test_targets();
  test_line_too_long();
  test_file();
}
