/* h5.h: HDF5 files, with sentences for errors.
 *
 * A small layer: open or create, attributes, datasets read and written by
 * box.  Everything that fails says which file, which object and why; the
 * library's own error prints are off.  Files that are written get their name
 * last: h3d_h5_create writes PATH.part, h3d_h5_publish syncs and renames it.
 * Any number of ranks may read a file, each by itself, without the MPI driver
 * and collective calls.  A file has one writer, or is begun by all ranks
 * together (h3d_h5_create_together) and ended by one.
 *
 * The library is not thread-safe everywhere, so every function takes one lock
 * per process: a reading thread and a checkpoint may overlap.  One file handle
 * still belongs to one thread at a time.
 *
 * Names of objects are paths, "/model/c1/weight"; missing groups on the way to
 * a new dataset are made.  For attributes, object "/" is the file itself.
 */
#ifndef H3D_IO_H5_H
#define H3D_IO_H5_H

#include "base/status.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

typedef struct h3d_h5 h3d_h5;

enum { H3D_H5_DIMS = 8 }; /* most axes of a dataset */

/* Numbers on disk and in memory.  On disk they are little-endian. */
typedef enum h3d_h5_type {
  H3D_H5_OTHER, /* compound, enum, ...: cannot be read here */
  H3D_H5_I8,
  H3D_H5_U8,
  H3D_H5_I16,
  H3D_H5_U16,
  H3D_H5_I32,
  H3D_H5_U32,
  H3D_H5_I64,
  H3D_H5_U64,
  H3D_H5_F32,
  H3D_H5_F64,
  H3D_H5_TEXT
} h3d_h5_type;
size_t h3d_h5_type_size(h3d_h5_type t);      /* bytes; 0 for OTHER and TEXT */
const char *h3d_h5_type_name(h3d_h5_type t); /* "int16", "float32", "text" */

/* Open for reading.  Tells apart a missing file, no permission, a file that
 * is not HDF5, a truncated one and a damaged one.  H3D_ERR_FILE.
 */
h3d_status h3d_h5_open(const char *path, h3d_h5 **out);

/* Create PATH.part, replacing a stale one.  Nothing appears under PATH before
 * h3d_h5_publish.  H3D_ERR_FILE.
 */
h3d_status h3d_h5_create(const char *path, h3d_h5 **out);

/* The same for a file that says whether it is whole: its first H3D_H5_SEAL
 * bytes, a user block of HDF5, get a line with the xxh64 (seed 0) of all that
 * follows when it is published.
 */
enum { H3D_H5_SEAL = 512 };
h3d_status h3d_h5_create_sealed(const char *path, h3d_h5 **out);
/* *sealed: there is such a line; then all of the file is read and compared,
 * and H3D_ERR_FILE says that a byte is not what it was.  The library meets no
 * damage that way, which it does not always survive.  A file that cannot be
 * opened is left to h3d_h5_open.
 */
h3d_status h3d_h5_check_seal(const char *path, int *sealed);

/* Close a file from h3d_h5_create, sync it to the disk and give it its name,
 * replacing a file of that name in one step.  *f is NULL afterwards, also on
 * failure (PATH.part is removed then).
 */
h3d_status h3d_h5_publish(h3d_h5 **f);

/* Close.  One from h3d_h5_create that was not published is removed.  NULL is
 * allowed; leaves NULL.
 */
void h3d_h5_close(h3d_h5 **f);

const char *h3d_h5_path(const h3d_h5 *f); /* the final name; borrowed */

/* 1 if there is a dataset or group of this name. */
int h3d_h5_has(const h3d_h5 *f, const char *name);

/* The names in a group, sorted by bytes.  One block: h3d_free(*names). */
h3d_status h3d_h5_list(const h3d_h5 *f, const char *group, int64_t *n,
                       char ***names);

/* What a dataset is.  Chunk extents are 0 when it is contiguous. */
typedef struct h3d_h5_about {
  h3d_h5_type type;
  int ndims; /* 0: a scalar */
  int64_t shape[H3D_H5_DIMS], chunk[H3D_H5_DIMS];
} h3d_h5_about;
h3d_status h3d_h5_ask(const h3d_h5 *f, const char *name, h3d_h5_about *about);

/* How a new dataset is laid out. */
typedef struct h3d_h5_layout {
  const int64_t *chunk; /* [ndims]; NULL: chosen, where chunks are needed */
  int deflate;          /* 1..9: shuffle, then deflate; 0: none */
  int fletcher;         /* 1: a checksum per chunk, checked on reading */
} h3d_h5_layout;

/* A new dataset of numbers, not yet written.  layout NULL: contiguous.  A
 * chunk extent larger than the dataset's is cut down to it.
 */
h3d_status h3d_h5_new_data(h3d_h5 *f, const char *name, h3d_h5_type type,
                           int ndims, const int64_t *shape,
                           const h3d_h5_layout *layout);

/* The box [start, start+count) of a dataset, dense and row-major in memory as
 * type.  start NULL: from 0.  Reading converts only where no number changes
 * (int16 to float32, float32 to float64, ...) and refuses the rest, as well as
 * another number of axes, a box outside of the dataset, and a missing filter,
 * with the filter's name and the package that has it.  Requests are split
 * below 1 GiB (some MPI and HDF5 versions fail from 2 GiB on).
 */
h3d_status h3d_h5_read(const h3d_h5 *f, const char *name, h3d_h5_type type,
                       int ndims, const int64_t *start, const int64_t *count,
                       void *out);
h3d_status h3d_h5_write(h3d_h5 *f, const char *name, h3d_h5_type type,
                        int ndims, const int64_t *start, const int64_t *count,
                        const void *data);

/* The whole of a dataset whose shape must be exactly shape. */
h3d_status h3d_h5_read_all(const h3d_h5 *f, const char *name, h3d_h5_type type,
                           int ndims, const int64_t *shape, void *out);
/* h3d_h5_new_data and h3d_h5_write of all of it. */
h3d_status h3d_h5_write_all(h3d_h5 *f, const char *name, h3d_h5_type type,
                            int ndims, const int64_t *shape,
                            const h3d_h5_layout *layout, const void *data);

/* The ranks of comm begin a file together, each with its share of the large
 * arrays; one of them goes on with it and publishes it:
 *
 *     h3d_h5_create_together, h3d_h5_new_data, h3d_h5_write_together ...
 *     h3d_h5_end_together    or h3d_h5_close, which removes PATH.part
 *     h3d_h5_continue on one rank, h3d_h5_write ..., h3d_h5_publish
 *
 * All but the last line is collective over comm: the same calls in the same
 * order, with the same arguments but for boxes.  bytes is room on the disk
 * that is taken beforehand, so that a full disk is refused and does not break
 * MPI's driver.  H3D_ERR_FILE, the same on all ranks.
 */
h3d_status h3d_h5_create_together(MPI_Comm comm, const char *path,
                                  int64_t bytes, h3d_h5 **out);
/* A box per rank, boxes do not overlap; compressed chunks lie in one box.
 * count all 0: nothing from this rank.  Less than 1 GiB per rank.
 */
h3d_status h3d_h5_write_together(h3d_h5 *f, const char *name, h3d_h5_type type,
                                 int ndims, const int64_t *start,
                                 const int64_t *count, const void *data);
/* Of a file that was begun together: close it, keep PATH.part.  *f is NULL
 * afterwards; H3D_ERR_FILE, and PATH.part is removed, if it cannot be written.
 */
h3d_status h3d_h5_end_together(h3d_h5 **f);
h3d_status h3d_h5_continue(const char *path, h3d_h5 **out);

/* Text: one string (a scalar dataset), or n of them.  Written with variable
 * length, UTF-8; read with variable or fixed length.  What is read is one
 * block: h3d_free it once.
 */
h3d_status h3d_h5_write_text(h3d_h5 *f, const char *name, const char *text);
h3d_status h3d_h5_read_text(const h3d_h5 *f, const char *name, char **out);
h3d_status h3d_h5_write_texts(h3d_h5 *f, const char *name, int64_t n,
                              const char *const *text);
h3d_status h3d_h5_read_texts(const h3d_h5 *f, const char *name, int64_t *n,
                             char ***out);

/* Attributes of a group or dataset (the group is made when a writer names one
 * that is missing).  n numbers: a scalar for 1, else one axis; reading wants
 * exactly n, and numbers that fit the type without change.
 */
int h3d_h5_has_attr(const h3d_h5 *f, const char *object, const char *name);
h3d_status h3d_h5_write_ints(h3d_h5 *f, const char *object, const char *name,
                             int64_t n, const int64_t *value);
h3d_status h3d_h5_read_ints(const h3d_h5 *f, const char *object,
                            const char *name, int64_t n, int64_t *value);
h3d_status h3d_h5_write_reals(h3d_h5 *f, const char *object, const char *name,
                              int64_t n, const double *value);
h3d_status h3d_h5_read_reals(const h3d_h5 *f, const char *object,
                             const char *name, int64_t n, double *value);
h3d_status h3d_h5_write_attr_text(h3d_h5 *f, const char *object,
                                  const char *name, const char *text);
h3d_status h3d_h5_read_attr_text(const h3d_h5 *f, const char *object,
                                 const char *name, char **out);
h3d_status h3d_h5_write_attr_texts(h3d_h5 *f, const char *object,
                                   const char *name, int64_t n,
                                   const char *const *text);
h3d_status h3d_h5_read_attr_texts(const h3d_h5 *f, const char *object,
                                  const char *name, int64_t *n, char ***out);

/* "HDF5 1.10.8": the library that is running. */
const char *h3d_h5_library(void);

/* Bytes per request, for tests of the splitting; 0 gives back the preset. */
void h3d_h5_set_request(size_t bytes);

#endif /* H3D_IO_H5_H */
