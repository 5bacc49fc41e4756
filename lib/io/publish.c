#include "config.h"

#include "io/publish.h"

#include "base/mem.h"
#include "base/torture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void
h3d_sync_folder(const char *path)
{
  char *folder = h3d_strdup(path);
  char *slash = strrchr(folder, '/');
  int fd;

  if (slash == NULL) {
    fd = open(".", O_RDONLY | O_CLOEXEC);
  } else {
    slash[slash == folder] = '\0';
    fd = open(folder, O_RDONLY | O_CLOEXEC);
  }
  if (fd >= 0) {
    fsync(fd); /* not every file system can: the rename holds all the same */
    close(fd);
  }
  h3d_free(folder);
}

h3d_status
h3d_publish(const char *part, const char *path)
{
  int fd = open(part, O_RDONLY | O_CLOEXEC);
  int rc = fd < 0 ? -1 : fsync(fd);
  h3d_status st = h3d_point(H3D_ERR_FILE, part);

  if (st != H3D_OK) {
    ; /* refused on demand */
  } else if (rc != 0) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be synced to disk (%s)", part,
                  strerror(errno));
  } else if (rename(part, path) != 0) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be renamed to %s (%s)", part, path,
                  strerror(errno));
  }
  if (fd >= 0) {
    close(fd);
  }
  if (st == H3D_OK) {
    /* A new name is safe only once its folder is on the disk too. */
    h3d_sync_folder(path);
  } else {
    unlink(part);
  }
  return st;
}

h3d_status
h3d_text_create(const char *path, FILE **f)
{
  char *part = h3d_sprintf("%s.part", path);
  h3d_status st = h3d_point(H3D_ERR_FILE, part);

  *f = st == H3D_OK ? fopen(part, "w") : NULL;
  if (*f == NULL && st == H3D_OK) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be created (%s)", part,
                  strerror(errno));
  }
  h3d_free(part);
  return st;
}

h3d_status
h3d_text_publish(const char *path, FILE **f, int drop)
{
  char *part = h3d_sprintf("%s.part", path);
  int failed = ferror(*f);
  h3d_status st = H3D_OK;

  failed |= fclose(*f) != 0;
  *f = NULL;
  if (drop) {
    unlink(part);
  } else if (failed) {
    unlink(part);
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be written; is the disk full?",
                  part);
  } else {
    st = h3d_publish(part, path);
  }
  h3d_free(part);
  return st;
}
