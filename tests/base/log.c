/* Chatter: rank 0, levels, the file. */
#include "config.h"

#include "base/log.h"

#include "base/mem.h"
#include "capture.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

TAP_RANKS("1 2")

static void
speak(void)
{
  h3d_log("normal %d", 1);
  h3d_verbose("verbose %d", 2);
  h3d_warn("careful %d", 3);
}

static void
test_levels(void)
{
  static const char *const want[]
    = { "warning: careful 3\n", "normal 1\nwarning: careful 3\n",
        "normal 1\nverbose 2\nwarning: careful 3\n" };

  for (int level = 0; level < 3; level++) {
    char *text;

    h3d_log_set_level((h3d_log_level)level);
    capture_begin(2);
    speak();
    text = capture_end();
    ok(strcmp(text, tap_rank == 0 ? want[level] : "") == 0, "level %d", level);
    ok((int)h3d_log_level_now() == level, "the level can be asked for");
    h3d_free(text);
  }
}

static void
test_file(void)
{
  char *path = capture_name(".log"), text[400] = "";
  FILE *file;
  size_t n = 0;

  h3d_log_set_level(H3D_LOG_QUIET);
  ok(h3d_log_set_file(path) == H3D_OK, "a log file is opened");
  capture_begin(2);
  speak();
  h3d_free(capture_end());
  file = fopen(path, "r"); /* still open above: lines must be there already */
  if (file != NULL) {
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
  }
  ok(tap_rank != 0
       ? file == NULL
       : strstr(text, " normal 1\n") && strstr(text, " verbose 2\n")
           && strstr(text, " warning: careful 3\n"),
     "rank 0's file holds every level, the others have none");
  ok(h3d_log_set_file(NULL) == H3D_OK, "the file is closed");
  remove(path);
  h3d_free(path);
  ok(h3d_log_set_file("/nonexistent/x.log")
       == (tap_rank == 0 ? H3D_ERR_FILE : H3D_OK),
     "a file that cannot be opened is refused on rank 0");
  ok(tap_rank != 0 || strstr(h3d_why(), "/nonexistent/x.log: ") != NULL,
     "and named");
}

void
tap_main(void)
{
  test_levels();
  test_file();
}
