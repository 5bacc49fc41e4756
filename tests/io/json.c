/* Results for scripts: exact text. */
#include "config.h"

#include "base/mem.h"
#include "io/json.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TAP_RANKS("1")

static const char path[] = "test-io-json.json";

static const char want[]
  = "{\n"
    "  \"name\": \"line\\nbreak \\\"q\\\"\",\n"
    "  \"count\": -9223372036854775807,\n"
    "  \"loss\": 0.5,\n"
    "  \"none\": null,\n"
    "  \"flag\": true,\n"
    "  \"sizes\": [\n    1.0,\n    2.5,\n    null\n  ],\n"
    "  \"words\": [\n    \"a\",\n    \"?\"\n  ],\n"
    "  \"inner\": {\n    \"x\": 1\n  },\n"
    "  \"list\": [\n    {\n      \"id\": \"s\"\n    },\n    {}\n  ]\n"
    "}";

static h3d_json *
build(void)
{
  static const char *const words[2] = { "a", "\377" };
  const double sizes[3] = { 1, 2.5, (double)NAN };
  h3d_json *j = h3d_json_new(), *list;

  h3d_json_set_text(j, "name", "line\nbreak \"q\"");
  h3d_json_set_int(j, "count", -INT64_MAX);
  h3d_json_set_real(j, "loss", 0.5);
  h3d_json_set_real(j, "none", (double)INFINITY);
  h3d_json_set_flag(j, "flag", 7);
  h3d_json_set_reals(j, "sizes", 3, sizes);
  h3d_json_set_texts(j, "words", 2, words);
  h3d_json_set_int(h3d_json_set_object(j, "inner"), "x", 1);
  list = h3d_json_set_array(j, "list");
  h3d_json_set_text(h3d_json_add_object(list), "id", "s");
  h3d_json_add_object(list);
  return j;
}

void
tap_main(void)
{
  const size_t blocks = h3d_mem_count();
  h3d_json *j = build();
  char *text = h3d_json_text(j), back[sizeof want + 8] = "";
  FILE *f;

  ok(strcmp(text, want) == 0, "the text is as wanted: %s",
     strcmp(text, want) == 0 ? "" : text);
  h3d_free(text);
  ok(h3d_json_write(j, path) == H3D_OK, "it is written");
  f = fopen(path, "r");
  ok(f != NULL && fread(back, 1, sizeof back - 1, f) == sizeof want
       && strncmp(back, want, sizeof want - 1) == 0
       && back[sizeof want - 1] == '\n',
     "the same, and a line end");
  fclose(f);
  unlink(path);
  ok(h3d_json_write(j, "test-io-none/x.json") == H3D_ERR_FILE, "%s",
     h3d_why());
  h3d_json_free(&j);
  ok(j == NULL && h3d_mem_count() == blocks, "no memory is left");
}
