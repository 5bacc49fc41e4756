/* Which file a --model word means. */
#include "config.h"

#include "model/net.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDERS = 4, PATH_MAX_ = 1024, NAMES = 64, NAME_MAX_ = 64 };

/* $H3D_MODELS, beside the running program (also in a staged install), where
 * make install puts them, the source tree. */
static int
find_folders(char folder[FOLDERS][PATH_MAX_])
{
  const char *given = getenv("H3D_MODELS");
  char exe[PATH_MAX_];
  ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
  int n = 0;

  if (given && *given) {
    snprintf(folder[n++], PATH_MAX_, "%s", given);
  }
  if (len > 0) {
    exe[len] = '\0';
    for (int up = 0; up < 2 && strrchr(exe, '/'); up++) {
      *strrchr(exe, '/') = '\0';
    }
    if (snprintf(folder[n], PATH_MAX_, "%.900s/share/h3d/models", exe) > 0) {
      n++;
    }
  }
  snprintf(folder[n++], PATH_MAX_, "%s", H3D_DATADIR "/models");
  snprintf(folder[n++], PATH_MAX_, "%s", H3D_SOURCE "/share/models");
  return n;
}

static int
try_file(const char *folder, const char *word, int64_t size, char *out,
         size_t room)
{
  int n = size > 0
            ? snprintf(out, room, "%s/%s-%" PRId64 ".net", folder, word, size)
            : snprintf(out, room, "%s/%s.net", folder, word);

  return n > 0 && (size_t)n < room && access(out, R_OK) == 0;
}

static int
by_name(const void *a, const void *b)
{
  return strcmp(a, b);
}

/* The names of all models of the first folder that has some. */
static void
list_models(char folder[FOLDERS][PATH_MAX_], int folders, char *text,
            size_t room)
{
  char name[NAMES][NAME_MAX_];
  size_t used = 0;
  int n = 0;

  text[0] = '\0';
  for (int i = 0; i < folders && n == 0; i++) {
    DIR *dir = opendir(folder[i]);
    struct dirent *e;

    while (dir && n < NAMES && (e = readdir(dir)) != NULL) {
      size_t len = strlen(e->d_name);

      if (len > 4 && len - 4 < NAME_MAX_
          && strcmp(e->d_name + len - 4, ".net") == 0) {
        memcpy(name[n], e->d_name, len - 4);
        name[n++][len - 4] = '\0';
      }
    }
    if (dir) {
      closedir(dir);
    }
  }
  qsort(name, (size_t)n, NAME_MAX_, by_name);
  for (int i = 0; i < n && used + NAME_MAX_ < room; i++) {
    used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "",
                             name[i]);
  }
}

h3d_status
h3d_net_find(const char *word, const h3d_data_shape *data, char *out,
             size_t size)
{
  char folder[FOLDERS][PATH_MAX_], known[400];
  size_t len = strlen(word);
  int n;

  if (strchr(word, '/') || (len > 4 && strcmp(word + len - 4, ".net") == 0)) {
    if (access(word, R_OK) != 0) {
      return h3d_fail(H3D_ERR_FILE, "%s: no such network file", word);
    }
    snprintf(out, size, "%s", word);
    return H3D_OK;
  }
  n = find_folders(folder);
  for (int i = 0; i < n; i++) {
    if (try_file(folder[i], word, data->extent[0], out, size)
        || try_file(folder[i], word, 0, out, size)) {
      return H3D_OK;
    }
  }
  list_models(folder, n, known, sizeof known);
  return h3d_fail(H3D_ERR_USAGE,
                  "no model '%s' for samples of %" PRId64 "x%" PRId64
                  "x%" PRId64 " voxels; there are: %s (or give a FILE.net)",
                  word, data->extent[0], data->extent[1], data->extent[2],
                  known[0] ? known : "none; set H3D_MODELS to their folder");
}
