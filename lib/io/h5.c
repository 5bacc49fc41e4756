#include "config.h"

#include "base/mem.h"
#include "base/torture.h"
#include "io/h5_impl.h"
#include "io/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex;

static void
set_up(void)
{
  pthread_mutexattr_t attr;

  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attr);
  pthread_mutexattr_destroy(&attr);
}

void
h3d_h5_lock(void)
{
  pthread_once(&once, set_up);
  pthread_mutex_lock(&mutex);
  /* Per thread where the library is built with threads: hence every time. */
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void
h3d_h5_unlock(void)
{
  pthread_mutex_unlock(&mutex);
}

/* Newest file format that every HDF5 since 1.10 reads; locks are taken where
 * the file system has them and not missed where it has none (NFS, Lustre).
 */
hid_t
h3d_h5_access(void)
{
  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
  H5Pset_file_locking(fapl, 1, 1);
#endif
  H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG);
  return fapl;
}

/* The signature stands at 0, 512, 1024, ... (HDF5 file format, III.A). */
static int
has_signature(int fd, off_t size)
{
  static const char magic[8] = "\211HDF\r\n\032\n";
  char got[8];

  for (off_t at = 0; at + 8 <= size; at = at == 0 ? 512 : 2 * at) {
    if (pread(fd, got, sizeof got, at) == (ssize_t)sizeof got
        && memcmp(got, magic, sizeof magic) == 0) {
      return 1;
    }
  }
  return 0;
}

static h3d_status
check_plain(const char *path)
{
  struct stat about;
  int fd = -1;
  h3d_status st = H3D_OK;
  off_t size;

  /* A folder has no end to look for, a pipe is waited for without one. */
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s, wanted is an HDF5 file", path,
                    S_ISDIR(about.st_mode) ? "a folder" : "no plain file");
  }
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s", path,
                    errno == ENOENT   ? "there is no such file"
                    : errno == EACCES ? "no permission to read it"
                                      : strerror(errno));
  }
  size = lseek(fd, 0, SEEK_END);
  if (size <= 0) {
    st = h3d_fail(H3D_ERR_FILE, "%s: the file is empty", path);
  } else if (!has_signature(fd, size)) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: not an HDF5 file (no signature in its %lld bytes)",
                  path, (long long)size);
  }
  close(fd);
  return st;
}

h3d_h5 *
h3d_h5_handle(const char *path, hid_t file, char *part)
{
  h3d_h5 *f = h3d_new(1, sizeof *f);

  f->file = file;
  f->path = h3d_strdup(path);
  f->part = part;
  return f;
}

h3d_status
h3d_h5_open(const char *path, h3d_h5 **out)
{
  h3d_status st = h3d_point(H3D_ERR_FILE, path);
  char text[160];
  hid_t fapl, file;

  *out = NULL;
  st = st == H3D_OK ? check_plain(path) : st;
  if (st != H3D_OK) {
    return st;
  }
  h3d_h5_lock();
  fapl = h3d_h5_access();
  file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
  /* Before any other call of the library: it would clear the words. */
  h3d_h5_words(text, sizeof text);
  H5Pclose(fapl);
  if (file >= 0) {
    *out = h3d_h5_handle(path, file, NULL);
  } else {
    st = h3d_fail(
      H3D_ERR_FILE, "%s: %s (HDF5: %s)", path,
      strstr(text, "truncated") != NULL
        ? "the file is truncated; copy or make it again"
      : strstr(text, "lock") != NULL
        ? "the file is being written, or its file system refuses locks "
          "(HDF5_USE_FILE_LOCKING=FALSE turns them off)"
        : "the file is damaged",
      text);
  }
  h3d_h5_unlock();
  return st;
}

static h3d_status
create(const char *path, int sealed, h3d_h5 **out)
{
  char *part;
  h3d_status st = h3d_point(H3D_ERR_FILE, path);
  hid_t fapl, fcpl, file;

  *out = NULL;
  if (st != H3D_OK) {
    return st;
  }
  part = h3d_sprintf("%s.part", path);
  h3d_h5_lock();
  fapl = h3d_h5_access();
  fcpl = H5Pcreate(H5P_FILE_CREATE);
  /* The root group keeps no time: the same contents are the same bytes. */
  H5Pset_obj_track_times(fcpl, 0);
  H5Pset_userblock(fcpl, sealed ? H3D_H5_SEAL : 0);
  H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V110);
  errno = 0;
  file = H5Fcreate(part, H5F_ACC_TRUNC, fcpl, fapl);
  H5Pclose(fcpl);
  H5Pclose(fapl);
  if (file >= 0) {
    *out = h3d_h5_handle(path, file, part);
    (*out)->sealed = sealed;
  } else {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be created (%s)", part,
                  errno != 0 ? strerror(errno) : "HDF5 refuses");
    H5Eclear2(H5E_DEFAULT);
    h3d_free(part);
  }
  h3d_h5_unlock();
  return st;
}

h3d_status
h3d_h5_create(const char *path, h3d_h5 **out)
{
  return create(path, 0, out);
}

h3d_status
h3d_h5_create_sealed(const char *path, h3d_h5 **out)
{
  return create(path, 1, out);
}

/* The driver's descriptor of the file, or NULL. */
static int *
descriptor(const h3d_h5 *h)
{
  void *fd = NULL;

  return H5Fget_vfd_handle(h->file, H5P_DEFAULT, &fd) < 0 ? NULL : fd;
}

/* A flush or close that fails leaves the file in the library's table, and the
 * library crashes on it when MPI ends (1.10.8).  So neither may fail for want
 * of disk: all that it will write gets its room before.  0 or an errno.
 */
static int
reserve(const h3d_h5 *h)
{
  enum { MORE = 1 << 16 }; /* closing may add bookkeeping */
  const int *fd = descriptor(h);
  struct rlimit limit;
  hsize_t size = 0;
  int rc;

  if (fd == NULL || H5Fget_filesize(h->file, &size) < 0) {
    return 0;
  }
  size += MORE;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) {
    return EFBIG;
  }
  do {
    rc = fallocate(*fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size);
  } while (rc != 0 && errno == EINTR);
  return rc == 0 || errno == EOPNOTSUPP || errno == EINVAL ? 0 : errno;
}

/* Gives back what was reserved and not used; at worst some room is lost. */
static void
trim(const char *part)
{
  struct stat about;

  if (stat(part, &about) != 0 || truncate(part, about.st_size) != 0) {
    return;
  }
}

/* What the library has not written yet goes to memory, and is lost with it. */
static void
let_go(const h3d_h5 *h)
{
  int *fd = descriptor(h), memory = memfd_create("h3d", MFD_CLOEXEC);

  if (fd != NULL && memory >= 0) {
    dup2(memory, *fd);
  }
  if (memory >= 0) {
    close(memory);
  }
}

h3d_status
h3d_h5_publish(h3d_h5 **f)
{
  h3d_h5 *h = *f;
  h3d_status st = H3D_OK;
  int why;

  h3d_h5_lock();
  why = reserve(h);
  if (why != 0) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: cannot be written (%s); make room, or "
                  "choose another disk",
                  h->part, strerror(why));
    let_go(h);
  }
  if (H5Fclose(h->file) < 0 && st == H3D_OK) {
    st = h3d_h5_fail(h, "the file", "cannot be closed; is the disk full?");
  }
  H5Eclear2(H5E_DEFAULT);
  h->file = H5I_INVALID_HID;
  trim(h->part);
  h3d_h5_unlock();
  if (st == H3D_OK && h->sealed) {
    st = h3d_h5_seal(h->part);
  }
  if (st == H3D_OK) {
    st = h3d_publish(h->part, h->path);
    h3d_free(h->part); /* gone, or removed */
    h->part = NULL;
  }
  h3d_h5_close(f);
  return st;
}

void
h3d_h5_close(h3d_h5 **f)
{
  h3d_h5 *h = *f;

  if (h == NULL) {
    return;
  }
  if (h->together) {
    h3d_h5_close_together(f);
    return;
  }
  h3d_h5_lock();
  if (h->file >= 0) {
    if (h->part != NULL) {
      let_go(h);
    }
    H5Fclose(h->file);
    H5Eclear2(H5E_DEFAULT);
  }
  h3d_h5_unlock();
  if (h->part != NULL) {
    unlink(h->part);
  }
  h3d_free(h->part);
  h3d_free(h->path);
  h3d_free(h);
  *f = NULL;
}

const char *
h3d_h5_path(const h3d_h5 *f)
{
  return f->path;
}
