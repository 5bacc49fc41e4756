/* h5_impl.h: what the files of io/h5 share. */
#ifndef H3D_IO_H5_IMPL_H
#define H3D_IO_H5_IMPL_H

#include "io/h5.h"

#include <hdf5.h>
#include <mpi.h>

struct h3d_h5 {
  hid_t file;
  char *path;   /* the final name */
  char *part;   /* the name while writing; NULL when reading */
  int sealed;   /* while writing */
  int together; /* written by all ranks of comm */
  MPI_Comm comm;
};

/* Access properties of every file; H5Pclose them. */
hid_t h3d_h5_access(void);
/* A handle that takes part (NULL: for reading). */
h3d_h5 *h3d_h5_handle(const char *path, hid_t file, char *part);
/* Closes a file that was written together; it has its part still. */
void h3d_h5_close_together(h3d_h5 **f);
/* Writes the seal of a closed file. */
h3d_status h3d_h5_seal(const char *path);

/* One lock around the library; it nests. */
void h3d_h5_lock(void);
void h3d_h5_unlock(void);

/* A sentence for a failed library call: file, object, the library's own
 * innermost words.  Clears the library's error stack.
 */
h3d_status h3d_h5_fail(const h3d_h5 *f, const char *name, const char *what);
/* Copies the innermost words of the library's error stack into text. */
void h3d_h5_words(char *text, size_t size);

/* Refuses a dataset with a filter that this process cannot undo. */
h3d_status h3d_h5_check_filters(const h3d_h5 *f, const char *name,
                                hid_t dataset);

/* H5T of a type in memory (native) or on disk (little-endian). */
hid_t h3d_h5_native(h3d_h5_type t);
hid_t h3d_h5_stored(h3d_h5_type t);
/* The type of a library type. */
h3d_h5_type h3d_h5_type_of(hid_t type);
/* 1 if every number of stored is one of wanted. */
int h3d_h5_is_exact(h3d_h5_type stored, h3d_h5_type wanted);

/* Opens an existing dataset. */
h3d_status h3d_h5_open_data(const h3d_h5 *f, const char *name, hid_t *dataset);
/* Link properties that make missing groups. */
hid_t h3d_h5_make_groups(void);

/* Strings of a dataset or attribute into one block of pointers and bytes. */
typedef herr_t (*h3d_h5_reader)(hid_t from, hid_t type, void *out);
h3d_status h3d_h5_texts_from(const h3d_h5 *f, const char *name, hid_t from,
                             hid_t type, hid_t space, h3d_h5_reader reader,
                             int64_t *n, char ***out);
/* A new variable-length UTF-8 string type. */
hid_t h3d_h5_text_type(void);

#endif /* H3D_IO_H5_IMPL_H */
