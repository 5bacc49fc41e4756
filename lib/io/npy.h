/* npy.h: arrays: NumPy's files, .npy versions 1 to 3 and .npz, and raw ones.
 *
 * Read by box, so that a file may be larger than memory.  Both byte orders and
 * both storage orders; types bool, int8 to int64, uint8 to uint64, float32 and
 * float64 (named as in h5.h; a bool is a uint8).  Not collective.
 * Format: numpy/lib/format.py (NEP 1).
 */
#ifndef H3D_IO_NPY_H
#define H3D_IO_NPY_H

#include "base/status.h"
#include "io/h5.h"

typedef struct h3d_npy h3d_npy;

/* H3D_ERR_FILE names the file and: it is missing, no .npy file, of a type that
 * is not read (object, structured, complex, half, text), has more axes than
 * H3D_H5_DIMS, or a length that is not that of its array.
 */
h3d_status h3d_npy_open(const char *path, h3d_npy **out);
/* One array of an archive of them (numpy.savez, savez_compressed): name, with
 * or without ".npy", or NULL for the only one.  Boxes of compressed arrays are
 * unpacked from the front (zip.h): read them in order.  H3D_ERR_FILE as above,
 * and with the names that there are where name is none of them, or NULL and
 * there are several.
 */
h3d_status h3d_npz_open(const char *path, const char *name, h3d_npy **out);
/* Numbers without a header. */
typedef struct h3d_npy_raw {
  h3d_h5_type type;
  int little; /* 1: little-endian */
  int ndims;
  int64_t shape[H3D_H5_DIMS];
  int64_t offset; /* bytes before the first number */
} h3d_npy_raw;
/* H3D_ERR_FILE unless the file's length is exactly what raw says. */
h3d_status h3d_npy_open_raw(const char *path, const h3d_npy_raw *raw,
                            h3d_npy **out);
void h3d_npy_close(h3d_npy **f);

h3d_h5_type h3d_npy_type(const h3d_npy *f);
/* Axes; their extents in *shape, in the order of the array's indices. */
int h3d_npy_shape(const h3d_npy *f, const int64_t **shape);

/* The box [start, start+count) into out, dense, last index fastest, in this
 * machine's byte order.  H3D_ERR_SHAPE for a box outside of the array.
 */
h3d_status h3d_npy_read(const h3d_npy *f, const int64_t *start,
                        const int64_t *count, void *out);

/* Write an array, last index fastest, as version 1, under its name at once. */
h3d_status h3d_npy_write(const char *path, h3d_h5_type type, int ndims,
                         const int64_t *shape, const void *data);

#endif /* H3D_IO_NPY_H */
