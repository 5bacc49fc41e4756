/* Files that ranks write together, through MPI's driver. */
#include "config.h"

#include "base/agree.h"
#include "base/check.h"
#include "base/mem.h"
#include "io/h5_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What the library keeps beside the numbers, at most. */
enum { MORE = 1 << 20 };

static hid_t
create(MPI_Comm comm, const char *part)
{
  hid_t fapl = h3d_h5_access(), fcpl = H5Pcreate(H5P_FILE_CREATE), file;

  H5Pset_obj_track_times(fcpl, 0);
  H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V110);
  H5Pset_fapl_mpio(fapl, comm, MPI_INFO_NULL);
  H5Pset_all_coll_metadata_ops(fapl, 1);
  H5Pset_coll_metadata_write(fapl, 1);
  file = H5Fcreate(part, H5F_ACC_TRUNC, fcpl, fapl);
  H5Eclear2(H5E_DEFAULT);
  H5Pclose(fcpl);
  H5Pclose(fapl);
  return file;
}

/* One rank's try: what MPI's driver would find out too late. */
static h3d_status
make_room(const char *part, int64_t bytes)
{
  int fd = open(part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  struct rlimit limit;
  int rc;

  if (fd < 0) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot be created (%s)", part,
                    strerror(errno));
  }
  bytes += bytes / 64 + MORE; /* deflate may add to what it cannot pack */
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < (rlim_t)bytes) {
    rc = EFBIG;
  } else {
    rc = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) == 0 ? 0 : errno;
  }
  close(fd);
  return rc == 0 || rc == EOPNOTSUPP || rc == EINVAL
           ? H3D_OK
           : h3d_fail(H3D_ERR_FILE,
                      "%s: cannot be written (%s); make room, or choose "
                      "another disk",
                      part, strerror(rc));
}

h3d_status
h3d_h5_create_together(MPI_Comm comm, const char *path, int64_t bytes,
                       h3d_h5 **out)
{
  char *part = h3d_sprintf("%s.part", path);
  int is_first = h3d_comm_rank(comm) == 0;
  hid_t file;
  h3d_status st;

  *out = NULL;
  H3D_TRY(h3d_agree(comm, is_first ? make_room(part, 0) : H3D_OK));
  h3d_h5_lock();
  file = create(comm, part);
  h3d_h5_unlock();
  st = file >= 0 ? H3D_OK
                 : h3d_fail(H3D_ERR_FILE,
                            "%s: cannot be created by all ranks together; is "
                            "its folder the same for all of them?",
                            part);
  st = h3d_agree(comm, st);
  if (file >= 0) {
    *out = h3d_h5_handle(path, file, part);
    (*out)->together = 1;
    (*out)->comm = comm;
    part = NULL;
  }
  if (st == H3D_OK) {
    /* Creating it gave back what was reserved. */
    st = h3d_agree(comm, is_first ? make_room((*out)->part, bytes) : H3D_OK);
    if (st != H3D_OK) {
      h3d_h5_close(out);
    }
  }
done:
  if (st != H3D_OK && part != NULL && is_first) {
    unlink(part);
  }
  h3d_free(part);
  return st;
}

static hid_t
select_box(hid_t space, int ndims, const int64_t *start, const int64_t *count)
{
  hsize_t at[H3D_H5_DIMS], n[H3D_H5_DIMS], all = 1;
  hid_t memory;

  for (int a = 0; a < ndims; a++) {
    at[a] = (hsize_t)start[a];
    n[a] = (hsize_t)count[a];
    all *= n[a];
  }
  if (all == 0) {
    for (int a = 0; a < ndims; a++) {
      n[a] = 1;
    }
  }
  memory = H5Screate_simple(ndims, n, NULL);
  if (all == 0) {
    H5Sselect_none(memory);
    H5Sselect_none(space);
  } else {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, n, NULL);
  }
  return memory;
}

h3d_status
h3d_h5_write_together(h3d_h5 *f, const char *name, h3d_h5_type type, int ndims,
                      const int64_t *start, const int64_t *count,
                      const void *data)
{
  static const char nothing[8];
  hid_t dataset, space, memory, how;
  h3d_status st = H3D_OK;

  H3D_ASSERT(f->together && ndims > 0 && ndims <= H3D_H5_DIMS);
  h3d_h5_lock();
  dataset = H5Dopen2(f->file, name, H5P_DEFAULT);
  if (dataset < 0) {
    st = h3d_h5_fail(f, name, "cannot be opened"); /* on all ranks alike */
  } else {
    space = H5Dget_space(dataset);
    memory = select_box(space, ndims, start, count);
    how = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE);
    if (H5Dwrite(dataset, h3d_h5_native(type), memory, space, how,
                 data != NULL ? data : nothing)
        < 0) {
      st = h3d_h5_fail(f, name, "cannot be written by all ranks together");
    }
    H5Pclose(how);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
  }
  h3d_h5_unlock();
  return h3d_agree(f->comm, st);
}

static herr_t
close_file(h3d_h5 *f)
{
  herr_t rc;

  h3d_h5_lock();
  rc = H5Fclose(f->file);
  H5Eclear2(H5E_DEFAULT);
  h3d_h5_unlock();
  f->file = H5I_INVALID_HID;
  return rc;
}

void
h3d_h5_close_together(h3d_h5 **f)
{
  h3d_h5 *h = *f;

  if (h->file >= 0) {
    close_file(h);
  }
  if (h->part != NULL && h3d_comm_rank(h->comm) == 0) {
    unlink(h->part);
  }
  h3d_free(h->part);
  h3d_free(h->path);
  h3d_free(h);
  *f = NULL;
}

h3d_status
h3d_h5_end_together(h3d_h5 **f)
{
  h3d_h5 *h = *f;
  h3d_status st
    = close_file(h) < 0 ? h3d_fail(
        H3D_ERR_FILE, "%s: cannot be closed; is the disk full?", h->part)
                        : H3D_OK;

  st = h3d_agree(h->comm, st);
  if (st == H3D_OK) {
    h3d_free(h->part);
    h->part = NULL;
  }
  h3d_h5_close_together(f);
  return st;
}

h3d_status
h3d_h5_continue(const char *path, h3d_h5 **out)
{
  char *part = h3d_sprintf("%s.part", path);
  h3d_status st = H3D_OK;
  hid_t fapl, file;

  *out = NULL;
  h3d_h5_lock();
  fapl = h3d_h5_access();
  H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V110);
  file = H5Fopen(part, H5F_ACC_RDWR, fapl);
  H5Eclear2(H5E_DEFAULT);
  H5Pclose(fapl);
  h3d_h5_unlock();
  if (file >= 0) {
    *out = h3d_h5_handle(path, file, part);
  } else {
    st
      = h3d_fail(H3D_ERR_FILE, "%s: cannot be opened again for writing", part);
    unlink(part);
    h3d_free(part);
  }
  return st;
}
