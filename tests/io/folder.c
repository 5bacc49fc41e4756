/* What may be replaced, and what is never touched. */
#include "config.h"

#include "io/folder.h"

#include "base/mem.h"
#include "capture.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TAP_RANKS("1")

static const char *const files[]
  = { "index.x", "part-#.x", "plot*.png", NULL };
static const h3d_folder_kind kind = { "a thing", files, "go on, " };

static char *
path_in(const char *folder, const char *name)
{
  return h3d_sprintf("%s/%s", folder, name);
}

static void
put(const char *folder, const char *name)
{
  char *path = path_in(folder, name);
  FILE *f = fopen(path, "w");

  if (f) {
    fclose(f);
  }
  h3d_free(path);
}

static int
is_there(const char *folder, const char *name)
{
  char *path = path_in(folder, name);
  int there = access(path, F_OK) == 0;

  h3d_free(path);
  return there;
}

static void
take(const char *folder, const char *name)
{
  char *path = path_in(folder, name);

  unlink(path);
  h3d_free(path);
}

static void
test_names(const char *folder)
{
  static const char *const ours[] = { "index.x", "part-00012.x", "part-1.x",
                                      "plot-a.b.png", "plot.png.part" };
  static const char *const theirs[] = { "index.x.old", "part-.x",  "part-1a.x",
                                        "part-1.x.x",  "plot.gif", "my" };

  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
    put(folder, ours[i]);
    ok(h3d_folder_may_create(&kind, folder, 0) == H3D_ERR_FILE
         && strstr(h3d_why(), "holds a thing already: go on, ")
         && h3d_folder_create(&kind, folder, 1) == H3D_OK
         && !is_there(folder, ours[i]),
       "%s is replaced with force only", ours[i]);
  }
  for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
    put(folder, "index.x");
    put(folder, theirs[i]);
    ok(h3d_folder_create(&kind, folder, 1) == H3D_ERR_FILE
         && strstr(h3d_why(), theirs[i])
         && strstr(h3d_why(), "no part of a thing")
         && is_there(folder, theirs[i]) && is_there(folder, "index.x"),
       "with %s nothing is removed", theirs[i]);
    take(folder, theirs[i]);
  }
  take(folder, "index.x");
}

/* The old stays until the new is whole. */
static void
test_swap(const char *folder)
{
  char *part = path_in(folder, H3D_FOLDER_PART);

  put(folder, "index.x");
  put(folder, "part-1.x");
  ok(h3d_folder_begin(&kind, folder, 0) == H3D_ERR_FILE, "%s", h3d_why());
  ok(h3d_folder_begin(&kind, folder, 1) == H3D_OK && is_there(part, "")
       && is_there(folder, "index.x") && is_there(folder, "part-1.x"),
     "what begins leaves the old");
  put(part, "part-2.x");
  h3d_folder_abandon(folder);
  ok(!is_there(part, "") && is_there(folder, "index.x")
       && is_there(folder, "part-1.x"),
     "so does what is abandoned");
  mkdir(part, 0777);
  put(part, "my");
  ok(h3d_folder_begin(&kind, folder, 1) == H3D_ERR_FILE && is_there(part, "my")
       && strstr(h3d_why(), ".part holds my"),
     "%s", h3d_why());
  take(part, "my");
  put(part, "part-3.x"); /* of a program that was killed */
  ok(h3d_folder_begin(&kind, folder, 1) == H3D_OK
       && !is_there(part, "part-3.x"),
     "a stale one is emptied");
  put(part, "index.x");
  put(part, "part-2.x");
  ok(h3d_folder_commit(&kind, folder) == H3D_OK && !is_there(part, "")
       && is_there(folder, "index.x") && is_there(folder, "part-2.x")
       && !is_there(folder, "part-1.x"),
     "what is whole takes its place: %s", h3d_why());
  take(folder, "index.x");
  take(folder, "part-2.x");
  ok(h3d_folder_begin(&kind, folder, 0) == H3D_OK, "into an empty one");
  h3d_folder_abandon(folder);
  ok(!is_there(folder, ""), "which goes when it is abandoned");
  ok(h3d_folder_create(&kind, folder, 0) == H3D_OK, "and comes back");
  h3d_free(part);
}

void
tap_main(void)
{
  char *folder = capture_name(""), *below = path_in(folder, "a/b");

  ok(h3d_folder_may_create(&kind, folder, 0) == H3D_OK
       && access(folder, F_OK) != 0,
     "asking makes nothing");
  ok(h3d_folder_create(&kind, folder, 0) == H3D_OK, "a new folder");
  ok(h3d_folder_create(&kind, folder, 0) == H3D_OK, "an empty one");
  test_names(folder);
  test_swap(folder);
  ok(h3d_folder_may_create(&kind, below, 0) == H3D_ERR_FILE
       && strstr(h3d_why(), "cannot be made"),
     "a folder in none");
  put(folder, "file");
  h3d_free(below);
  below = path_in(folder, "file");
  ok(h3d_folder_may_create(&kind, below, 1) == H3D_ERR_FILE
       && strstr(h3d_why(), "it is a file"),
     "a file is no folder");
  take(folder, "file");
  rmdir(folder);
  h3d_free(below);
  h3d_free(folder);
}
