/* Run keys: types, provenance, files, the way back from a dump. */
#include "config.h"

#include "base/conf.h"

#include "base/mem.h"
#include "capture.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

TAP_RANKS("1")

static const h3d_conf_key table[] = {
  { "train.epochs", H3D_CONF_INT, "80", "passes" },
  { "train.lr", H3D_CONF_REAL, "1e-3", "learning rate" },
  { "train.exact", H3D_CONF_FLAG, "no", "no fast algorithms" },
  { "data.path", H3D_CONF_TEXT, "", "dataset" },
  { "title", H3D_CONF_TEXT, "none", "a key without section" },
  { NULL, H3D_CONF_TEXT, NULL, NULL },
};

static int
refused(h3d_status st, const char *want)
{
  int good = st == H3D_ERR_USAGE && strstr(h3d_why(), want) != NULL;

  if (!good) {
    fprintf(stderr, "# status %d, why: %s\n", (int)st, h3d_why());
  }
  return good;
}

#define REFUSED(call, want) \
  ok(refused(call, want), "refused with \"%s\"", want)

static void
test_set(h3d_conf *c)
{
  static const char *const on[] = { "yes", "true", "on", "1" };
  static const char *const off[] = { "no", "false", "off", "0" };
  int good = 1;

  ok(h3d_conf_int(c, "train.epochs") == 80
       && h3d_conf_real(c, "train.lr") == 1e-3
       && h3d_conf_flag(c, "train.exact") == 0
       && strcmp(h3d_conf_text(c, "data.path"), "") == 0
       && strcmp(h3d_conf_from(c, "train.lr"), "preset") == 0,
     "presets");
  ok(h3d_conf_set(c, "train.epochs", "3", "--epochs") == H3D_OK
       && h3d_conf_int(c, "train.epochs") == 3
       && strcmp(h3d_conf_text(c, "train.epochs"), "3") == 0
       && strcmp(h3d_conf_from(c, "train.epochs"), "--epochs") == 0,
     "a value and where it came from");
  ok(h3d_conf_set_pair(c, "data.path=/a=b", "--set") == H3D_OK
       && strcmp(h3d_conf_text(c, "data.path"), "/a=b") == 0,
     "a pair ends at its first =");
  for (int i = 0; i < 4; i++) {
    good &= h3d_conf_set(c, "train.exact", on[i], "x") == H3D_OK
            && h3d_conf_flag(c, "train.exact") == 1;
    good &= h3d_conf_set(c, "train.exact", off[i], "x") == H3D_OK
            && h3d_conf_flag(c, "train.exact") == 0;
  }
  ok(good, "words for yes and no");
  REFUSED(h3d_conf_set(c, "train.epoch", "1", "x"),
          "train.epoch is not known; did you mean train.epochs?");
  REFUSED(h3d_conf_set(c, "nonsense", "1", "x"), "nonsense is not known");
  REFUSED(h3d_conf_set(c, "train.epochs", "3.5", "x"), "\"3.5\"");
  REFUSED(h3d_conf_set(c, "train.lr", "nan", "x"), "train.lr");
  REFUSED(h3d_conf_set(c, "train.exact", "maybe", "x"), "\"maybe\"");
  REFUSED(h3d_conf_set(c, "data.path", "a\nb", "x"), "control character");
  REFUSED(h3d_conf_set(c, "data.path", " a", "x"), "blank");
  REFUSED(h3d_conf_set(c, "data.path", "a ", "x"), "blank");
  REFUSED(h3d_conf_set(c, "data.path", "a ;b", "x"), "comment");
  REFUSED(h3d_conf_set(c, "data.path", ";b", "x"), "comment");
  REFUSED(h3d_conf_set_pair(c, "train.epochs", "--set"), "sets nothing");
  REFUSED(h3d_conf_set_pair(c, "=3", "--set"), "sets nothing");
  ok(h3d_conf_int(c, "train.epochs") == 3, "a refusal changes nothing");
}

static void
test_text(h3d_conf *c)
{
  ok(h3d_conf_read_text(c, "run.ini",
                        "# a run\n\ntitle = My run ; really\n[train]\n"
                        "epochs=12\n   lr = 0.5\r\n[data]\npath = /x/y;z\n",
                        NULL)
       == H3D_OK,
     "a run file is read: %s", h3d_why());
  ok(h3d_conf_int(c, "train.epochs") == 12
       && h3d_conf_real(c, "train.lr") == 0.5
       && strcmp(h3d_conf_text(c, "title"), "My run") == 0
       && strcmp(h3d_conf_text(c, "data.path"), "/x/y;z") == 0,
     "its values are there, an indented one too");
  ok(strcmp(h3d_conf_from(c, "train.lr"), "run.ini:6") == 0,
     "provenance is file and line: %s", h3d_conf_from(c, "train.lr"));
  ok(h3d_conf_read_text(c, "ckpt", "[train]\nepochs = 4", "checkpoint 3")
         == H3D_OK
       && h3d_conf_int(c, "train.epochs") == 4
       && strcmp(h3d_conf_from(c, "train.epochs"), "checkpoint 3") == 0,
     "or what the caller says; the last line needs no end");
  ok(h3d_conf_read_text(c, "e", "", NULL) == H3D_OK, "an empty text");
  REFUSED(h3d_conf_read_text(c, "r", "[train]\n\nepocs = 1\n", NULL),
          "r:3: key train.epocs is not known; did you mean train.epochs?");
  REFUSED(h3d_conf_read_text(c, "r", "[train]\nlr = fast\nlr2 = 1\n", NULL),
          "r:2: train.lr: \"fast\"");
  REFUSED(h3d_conf_read_text(c, "r", "[train]\nlr = 1\nlr = 2\n", NULL),
          "r:3: key train.lr is given twice");
  REFUSED(h3d_conf_read_text(c, "r", "[train]\nepochs 5\n", NULL),
          "r:2: neither");
  REFUSED(h3d_conf_read_text(c, "r", "[train\nepochs = 5\n", NULL),
          "r:1: a section without");
}

static void
test_file(h3d_conf *c)
{
  char *path = capture_name(".ini");
  FILE *file = fopen(path, "w");

  for (int i = 0; i < 2000; i++) {
    fprintf(file, "# line %d\n", i);
  }
  fprintf(file, "[train]\nepochs = 99\n");
  fclose(file);
  ok(h3d_conf_read_file(c, path) == H3D_OK
       && h3d_conf_int(c, "train.epochs") == 99,
     "a file of 2002 lines");
  file = fopen(path, "w");
  fwrite("[train]\n\0epochs = 3\n", 1, 20, file);
  fclose(file);
  ok(h3d_conf_read_file(c, path) == H3D_ERR_FILE, "zero bytes: %s", h3d_why());
  remove(path);
  ok(h3d_conf_read_file(c, path) == H3D_ERR_FILE
       && strstr(h3d_why(), path) != NULL,
     "a missing file is named");
  ok(h3d_conf_read_file(c, "/") == H3D_ERR_FILE, "a folder: %s", h3d_why());
  h3d_free(path);
}

static void
test_dump(h3d_conf *c)
{
  h3d_conf *back = h3d_conf_new(table);
  char longer[3000], *first, *again;
  int same = 1;

  memset(longer, 'p', sizeof longer);
  longer[sizeof longer - 1] = '\0';
#if !HAVE_DECL_INI_MAX_LINE
  longer[150] = '\0';
#endif
  ok(h3d_conf_set(c, "data.path", longer, "a\nb") == H3D_OK, "a long path");
  ok(strcmp(h3d_conf_from(c, "data.path"), "a?b") == 0,
     "provenance stays on its line");
  first = h3d_conf_dump(c);
  ok(strstr(first, "[train]\n# ") != NULL
       && strstr(first, "# a?b\npath = ppp") != NULL,
     "a dump says where values came from");
  ok(h3d_conf_read_text(back, "dump", first, NULL) == H3D_OK, "it reads back");
  for (int i = 0; table[i].name != NULL; i++) {
    same &= strcmp(h3d_conf_text(c, table[i].name),
                   h3d_conf_text(back, table[i].name))
            == 0;
  }
  ok(same, "to the same values");
  h3d_free(first);
  again = h3d_conf_dump(back);
  ok(h3d_conf_read_text(c, "dump", again, NULL) == H3D_OK, "and again");
  h3d_free(again);
  h3d_conf_free(&back);
  ok(back == NULL, "free leaves NULL");
  h3d_conf_free(&back);
}

void
tap_main(void)
{
  h3d_conf *c = h3d_conf_new(table);

  test_set(c);
  test_text(c);
  test_file(c);
  test_dump(c);
  h3d_conf_free(&c);
}
