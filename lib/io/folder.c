#include "config.h"

#include "io/folder.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
matches(const char *pattern, const char *name)
{
  for (; *pattern; pattern++) {
    if (*pattern == '#') {
      const size_t digits = strspn(name, "0123456789");

      if (digits == 0) {
        return 0;
      }
      name += digits;
    } else if (*pattern == '*') {
      const size_t rest = strlen(pattern + 1), n = strlen(name);

      /* One star is enough for us: what follows it is the end. */
      return n >= rest && matches(pattern + 1, name + n - rest);
    } else if (*pattern != *name++) {
      return 0;
    }
  }
  return *name == '\0';
}

/* What such a program writes, and the only things that it ever removes. */
static int
is_ours(const h3d_folder_kind *k, const char *name)
{
  const size_t n = strlen(name);
  char *bare = h3d_strdup(name);
  int ours = 0;

  if (n > 5 && strcmp(bare + n - 5, ".part") == 0) {
    bare[n - 5] = '\0';
  }
  for (int i = 0; k->file[i] && !ours; i++) {
    ours = matches(k->file[i], bare);
  }
  h3d_free(bare);
  return ours;
}

static int
is_entry(const struct dirent *e)
{
  return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static h3d_status
look(const h3d_folder_kind *k, const char *path, DIR *dir, int *entries)
{
  struct dirent *e;

  *entries = 0;
  while ((e = readdir(dir)) != NULL) {
    if (is_entry(e) && !is_ours(k, e->d_name)) {
      return h3d_fail(H3D_ERR_FILE,
                      "%s holds %s, which is no part of %s; name another "
                      "folder with -o",
                      path, e->d_name, k->what);
    }
    *entries += is_entry(e);
  }
  return H3D_OK;
}

static h3d_status
check_parent(const char *path)
{
  char *parent = h3d_strdup(path);
  char *slash;
  h3d_status st = H3D_OK;

  for (size_t n = strlen(parent); n > 1 && parent[n - 1] == '/'; n--) {
    parent[n - 1] = '\0';
  }
  slash = strrchr(parent, '/');
  if (slash != NULL) {
    slash[slash == parent] = '\0';
  }
  if (access(slash == NULL ? "." : parent, W_OK | X_OK) != 0) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be made, its folder %s: %s", path,
                  slash == NULL ? "." : parent, strerror(errno));
  }
  h3d_free(parent);
  return st;
}

h3d_status
h3d_folder_may_create(const h3d_folder_kind *k, const char *path, int force)
{
  DIR *dir = opendir(path);
  int entries;
  h3d_status st;

  if (dir == NULL && errno == ENOENT) {
    return check_parent(path);
  }
  if (dir == NULL) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot become %s (%s)", path, k->what,
                    errno == ENOTDIR ? "it is a file" : strerror(errno));
  }
  st = look(k, path, dir, &entries);
  closedir(dir);
  if (st == H3D_OK && entries > 0 && !force) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s holds %s already: %sreplace it by --force, or name "
                  "another folder with -o",
                  path, k->what, k->or_else);
  }
  return st;
}

static h3d_status
remove_in(const char *path, const char *name)
{
  char *file = h3d_sprintf("%s/%s", path, name);
  h3d_status st = H3D_OK;

  if (unlink(file) != 0 && errno != ENOENT) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be removed (%s)", file,
                  strerror(errno));
  }
  h3d_free(file);
  return st;
}

static h3d_status
empty(const h3d_folder_kind *k, const char *path)
{
  DIR *dir = opendir(path);
  struct dirent *e;
  h3d_status st;

  if (dir == NULL) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s", path, strerror(errno));
  }
  /* Without its index the rest of a dataset is an unfinished one, never a
   * wrong one; likewise for others. */
  st = remove_in(path, k->file[0]);
  while (st == H3D_OK && (e = readdir(dir)) != NULL) {
    if (is_entry(e) && is_ours(k, e->d_name)) {
      st = remove_in(path, e->d_name);
    }
  }
  closedir(dir);
  return st;
}

h3d_status
h3d_folder_create(const h3d_folder_kind *k, const char *path, int force)
{
  h3d_status st = h3d_folder_may_create(k, path, force);

  if (st == H3D_OK && mkdir(path, 0777) != 0) {
    st = errno == EEXIST ? empty(k, path)
                         : h3d_fail(H3D_ERR_FILE, "%s: cannot be made (%s)",
                                    path, strerror(errno));
  }
  return st;
}
