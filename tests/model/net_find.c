/* Which file a model's word means. */
#include "config.h"

#include "model/net.h"

#include "base/mem.h"
#include "capture.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TAP_RANKS("1")

static h3d_data_shape data = { 4, { 64, 64, 64 }, 4 };

static char *
touch(const char *folder, const char *name)
{
  char *path = h3d_sprintf("%s/%s", folder, name);
  FILE *f = fopen(path, "w");

  if (f) {
    fclose(f);
  }
  return path;
}

static int
finds(const char *word, const char *want)
{
  char out[1024] = "";

  return h3d_net_find(word, &data, out, sizeof out) == H3D_OK
         && strcmp(out, want) == 0;
}

static void
refuses(const char *word, h3d_status st, const char *a, const char *b)
{
  char out[1024];

  ok(h3d_net_find(word, &data, out, sizeof out) == st && strstr(h3d_why(), a)
       && strstr(h3d_why(), b),
     "'%s' is refused: %s", word, h3d_why());
}

static void
test_given_folder(void)
{
  char *folder = capture_name(""), *small, *large, *plain, *other;

  mkdir(folder, 0700);
  small = touch(folder, "mine-64.net");
  large = touch(folder, "mine-128.net");
  plain = touch(folder, "mine.net");
  other = touch(folder, "other-32.net");
  setenv("H3D_MODELS", folder, 1);
  ok(finds("mine", small), "the one of the data's extent");
  data.extent[0] = 128;
  ok(finds("mine", large), "another extent, another file");
  data.extent[0] = 96;
  ok(finds("mine", plain), "else the one for any extent");
  ok(finds("mine-64", small), "a word with its extent");
  refuses("other", H3D_ERR_USAGE, "'other' for samples of 96x64x64",
          "mine, mine-128, mine-64, other-32");
  refuses("", H3D_ERR_USAGE, "''", "mine");
  ok(finds(small, small), "a path is itself");
  unlink(small);
  refuses(small, H3D_ERR_FILE, small, "no such network file");
  refuses("gone.net", H3D_ERR_FILE, "gone.net", "no such");
  unlink(large);
  unlink(plain);
  unlink(other);
  rmdir(folder);
  h3d_free(small);
  h3d_free(large);
  h3d_free(plain);
  h3d_free(other);
  h3d_free(folder);
}

/* Without the variable, those of the source tree. */
static void
test_source(void)
{
  char out[1024];
  h3d_net *net = NULL;

  unsetenv("H3D_MODELS");
  data.extent[0] = 64;
  ok(h3d_net_find("cosmoflow", &data, out, sizeof out) == H3D_OK
       && strstr(out, "/cosmoflow-64.net"),
     "cosmoflow is %s", out);
  ok(h3d_net_read(out, &data, &net) == H3D_OK, "and can be read");
  h3d_net_free(&net);
  refuses("cosmoflaw", H3D_ERR_USAGE, "'cosmoflaw'", "cosmoflow-64");
}

void
tap_main(void)
{
  test_given_folder();
  test_source();
}
