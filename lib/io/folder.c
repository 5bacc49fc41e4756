#include "config.h"

#include "io/folder.h"

#include "base/mem.h"
#include "base/torture.h"
#include "io/publish.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
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

static int
is_part(const char *name)
{
  return strcmp(name, H3D_FOLDER_PART) == 0;
}

static h3d_status
look(const h3d_folder_kind *k, const char *path, int *entries)
{
  DIR *dir = opendir(path);
  struct dirent *e;
  h3d_status st = H3D_OK;

  *entries = 0;
  if (dir == NULL) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot become %s (%s)", path, k->what,
                    errno == ENOTDIR ? "it is a file" : strerror(errno));
  }
  while (st == H3D_OK && (e = readdir(dir)) != NULL) {
    *entries += is_entry(e);
    if (is_entry(e) && is_part(e->d_name)) {
      char *part = h3d_sprintf("%s/%s", path, e->d_name);
      int in_part;

      st = look(k, part, &in_part);
      h3d_free(part);
    } else if (is_entry(e) && !is_ours(k, e->d_name)) {
      st = h3d_fail(H3D_ERR_FILE,
                    "%s holds %s, which is no part of %s; name another "
                    "folder with -o",
                    path, e->d_name, k->what);
    }
  }
  closedir(dir);
  return st;
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
  int entries;
  h3d_status st = h3d_point(H3D_ERR_FILE, path);

  if (st != H3D_OK) {
    return st;
  }
  if (access(path, F_OK) != 0 && errno == ENOENT) {
    return check_parent(path);
  }
  st = look(k, path, &entries);
  if (st == H3D_OK && access(path, W_OK | X_OK) != 0) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be written to (%s)", path,
                  strerror(errno));
  }
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

  st = h3d_point(H3D_ERR_FILE, file);
  if (st == H3D_OK && unlink(file) != 0 && errno != ENOENT) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be removed (%s)", file,
                  strerror(errno));
  }
  h3d_free(file);
  return st;
}

/* What is done to an entry of a folder. */
typedef h3d_status (*visit)(const char *path, const char *name);

/* Every file of the kind, whatever else there is; k NULL: every file. */
static h3d_status
each(const h3d_folder_kind *k, const char *path, visit f)
{
  DIR *dir = opendir(path);
  struct dirent *e;
  h3d_status st = H3D_OK;

  if (dir == NULL) {
    return errno == ENOENT
             ? H3D_OK
             : h3d_fail(H3D_ERR_FILE, "%s: %s", path, strerror(errno));
  }
  while (st == H3D_OK && (e = readdir(dir)) != NULL) {
    if (is_entry(e) && !is_part(e->d_name)
        && (k == NULL || is_ours(k, e->d_name))) {
      st = f(path, e->d_name);
    }
  }
  closedir(dir);
  return st;
}

/* Without its index the rest of a dataset is an unfinished one, never a wrong
 * one; likewise for others. */
static h3d_status
empty(const h3d_folder_kind *k, const char *path)
{
  h3d_status st = remove_in(path, k->file[0]);

  return st == H3D_OK ? each(k, path, remove_in) : st;
}

static h3d_status
remove_part(const char *path)
{
  char *part = h3d_sprintf("%s/" H3D_FOLDER_PART, path);
  h3d_status st = each(NULL, part, remove_in);

  if (st == H3D_OK && rmdir(part) != 0 && errno != ENOENT) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be removed (%s)", part,
                  strerror(errno));
  }
  h3d_free(part);
  return st;
}

static h3d_status
make(const char *path)
{
  h3d_status st = h3d_point(H3D_ERR_FILE, path);

  if (st != H3D_OK) {
    return st;
  }
  if (mkdir(path, 0777) != 0 && errno != EEXIST) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot be made (%s)", path,
                    strerror(errno));
  }
  return H3D_OK;
}

h3d_status
h3d_folder_create(const h3d_folder_kind *k, const char *path, int force)
{
  h3d_status st;

  H3D_TRY(h3d_folder_may_create(k, path, force));
  H3D_TRY(make(path));
  H3D_TRY(empty(k, path));
  st = remove_part(path);
done:
  return st;
}

h3d_status
h3d_folder_begin(const h3d_folder_kind *k, const char *path, int force)
{
  char *part = h3d_sprintf("%s/" H3D_FOLDER_PART, path);
  h3d_status st;

  H3D_TRY(h3d_folder_may_create(k, path, force));
  H3D_TRY(make(path));
  H3D_TRY(remove_part(path));
  st = make(part);
done:
  h3d_free(part);
  return st;
}

/* Out of H3D_FOLDER_PART into the folder that it is in. */
static h3d_status
move_up(const char *part, const char *name)
{
  char *from = h3d_sprintf("%s/%s", part, name);
  char *to = h3d_sprintf("%s/../%s", part, name);
  h3d_status st = H3D_OK;

  st = h3d_point(H3D_ERR_FILE, from);
  if (st == H3D_OK && rename(from, to) != 0) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: cannot be moved to the folder above (%s); it is "
                  "whole: move it by hand",
                  from, strerror(errno));
  }
  h3d_free(to);
  h3d_free(from);
  return st;
}

static h3d_status
move_but_first(const h3d_folder_kind *k, const char *part)
{
  /* The rest of the kind: its list without the head. */
  const h3d_folder_kind rest = { k->what, k->file + 1, k->or_else };

  return each(&rest, part, move_up);
}

h3d_status
h3d_folder_commit(const h3d_folder_kind *k, const char *path)
{
  char *part = h3d_sprintf("%s/" H3D_FOLDER_PART, path);
  h3d_status st;

  H3D_TRY(empty(k, path));
  H3D_TRY(move_but_first(k, part));
  H3D_TRY(move_up(part, k->file[0]));
  h3d_sync_folder(part); /* its name has a slash: the folder above */
  st = remove_part(path);
done:
  h3d_free(part);
  return st;
}

void
h3d_folder_abandon(const char *path)
{
  (void)remove_part(path); /* what cannot go is in nobody's way */
  rmdir(path);             /* only if it is empty */
}
