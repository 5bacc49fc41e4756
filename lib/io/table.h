/* table.h: arrays of structs as columns of an HDF5 file, and back.
 *
 * Each column is a dataset of one axis.  One rank.
 */
#ifndef H3D_IO_TABLE_H
#define H3D_IO_TABLE_H

#include "io/h5.h"

/* Where a number lies in a record. */
typedef struct h3d_column {
  const char *name; /* of the dataset */
  h3d_h5_type type;
  size_t offset, size;
} h3d_column;

#define H3D_COLUMN(name, type, record, member)                          \
  {                                                                     \
    name, type, offsetof(record, member), sizeof(((record *)0)->member) \
  }

/* Write or read the numbers of n records of stride bytes, with a checksum.
 * Reading wants exactly n.
 */
h3d_status h3d_table_write(h3d_h5 *f, const h3d_column *c, int columns,
                           int64_t n, size_t stride, const void *records);
h3d_status h3d_table_read(h3d_h5 *f, const h3d_column *c, int columns,
                          int64_t n, size_t stride, void *records);

/* The same for one member of type char * at offset; reading gives each record
 * a copy of its own (h3d_free).
 */
h3d_status h3d_table_write_text(h3d_h5 *f, const char *name, size_t offset,
                                int64_t n, size_t stride, const void *records);
h3d_status h3d_table_read_text(h3d_h5 *f, const char *name, size_t offset,
                               int64_t n, size_t stride, void *records);

#endif /* H3D_IO_TABLE_H */
