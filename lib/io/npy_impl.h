/* npy_impl.h: an open .npy file. */
#ifndef H3D_IO_NPY_IMPL_H
#define H3D_IO_NPY_IMPL_H

#include "io/npy.h"

struct h3d_npy {
  char *path;
  int fd;
  h3d_h5_type type;
  size_t size; /* of a number */
  int swap, fortran, ndims;
  int64_t shape[H3D_H5_DIMS];
  int64_t offset; /* of the first number */
};

/* Fill in all but path and fd from the file's header. */
h3d_status h3d_npy_parse(h3d_npy *f);

#endif /* H3D_IO_NPY_IMPL_H */
