/* npy_impl.h: an open array. */
#ifndef H3D_IO_NPY_IMPL_H
#define H3D_IO_NPY_IMPL_H

#include "io/npy.h"
#include "io/zip.h"

struct h3d_npy {
  char *path;     /* as in sentences; a member's name follows its archive's */
  int fd;         /* -1 in an archive */
  h3d_zip *zip;   /* the array is its chosen member; NULL: a file of its own */
  int64_t length; /* bytes of the file or member */
  h3d_h5_type type;
  size_t size; /* of a number */
  int swap, fortran, ndims;
  int64_t shape[H3D_H5_DIMS];
  int64_t offset; /* of the first number */
};

/* Fill in type, shape and offset from the file's header. */
h3d_status h3d_npy_parse(h3d_npy *f);
/* n bytes from byte at on; H3D_ERR_FILE. */
h3d_status h3d_npy_fetch(const h3d_npy *f, int64_t at, size_t n, void *out);
/* Bytes of the array's numbers; H3D_ERR_FILE beyond 2^63. */
h3d_status h3d_npy_bytes(const h3d_npy *f, int64_t *bytes);
/* 1 if the two byte orders differ: numbers are little-endian and this machine
 * is not, or the other way round. */
int h3d_npy_swaps(int little);

#endif /* H3D_IO_NPY_IMPL_H */
