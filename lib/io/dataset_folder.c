#include "config.h"

#include "io/dataset_folder.h"

#include "base/mem.h"
#include "io/dataset_write.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "index.h5", "shard-00012.h5", and both with ".part": what we write, and the
 * only things that we ever remove.
 */
static int
is_ours(const char *name)
{
  size_t n = strlen(name), digits;

  if (n > 5 && strcmp(name + n - 5, ".part") == 0) {
    n -= 5;
  }
  if (n == strlen("index.h5") && strncmp(name, "index.h5", n) == 0) {
    return 1;
  }
  if (strncmp(name, "shard-", 6) != 0) {
    return 0;
  }
  digits = strspn(name + 6, "0123456789");
  return digits >= 5 && n == 6 + digits + 3
         && strncmp(name + 6 + digits, ".h5", 3) == 0;
}

static h3d_status
look(const char *path, DIR *dir, int *entries)
{
  struct dirent *e;

  *entries = 0;
  while ((e = readdir(dir)) != NULL) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
      continue;
    }
    if (!is_ours(e->d_name)) {
      return h3d_fail(H3D_ERR_FILE,
                      "%s: exists and is not a dataset (it holds %s); give "
                      "another -o, or remove it yourself",
                      path, e->d_name);
    }
    (*entries)++;
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
h3d_folder_may_create(const char *path, int force)
{
  DIR *dir = opendir(path);
  int entries;
  h3d_status st;

  if (dir == NULL && errno == ENOENT) {
    return check_parent(path);
  }
  if (dir == NULL) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot become a dataset (%s)", path,
                    errno == ENOTDIR ? "it is a file" : strerror(errno));
  }
  st = look(path, dir, &entries);
  closedir(dir);
  if (st == H3D_OK && entries > 0 && !force) {
    st = h3d_fail(H3D_ERR_FILE, "%s: there is a dataset; --force replaces it",
                  path);
  }
  return st;
}

h3d_status
h3d_dataset_may_create(const char *path, int force)
{
  return h3d_folder_may_create(path, force);
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
empty(const char *path)
{
  DIR *dir = opendir(path);
  struct dirent *e;
  h3d_status st;

  if (dir == NULL) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s", path, strerror(errno));
  }
  /* Without its index the rest is an unfinished dataset, never a wrong one. */
  st = remove_in(path, "index.h5");
  while (st == H3D_OK && (e = readdir(dir)) != NULL) {
    if (is_ours(e->d_name)) {
      st = remove_in(path, e->d_name);
    }
  }
  closedir(dir);
  return st;
}

h3d_status
h3d_folder_create(const char *path, int force)
{
  h3d_status st = h3d_folder_may_create(path, force);

  if (st == H3D_OK && mkdir(path, 0777) != 0) {
    st = errno == EEXIST ? empty(path)
                         : h3d_fail(H3D_ERR_FILE, "%s: cannot be made (%s)",
                                    path, strerror(errno));
  }
  return st;
}
