/* csv.h: tables of text (RFC 4180), with a header line.
 *
 * One rank.  A cell with a comma, a quote or a line break is quoted; reading
 * takes both line ends, a byte order mark, and skips empty lines.
 */
#ifndef H3D_IO_CSV_H
#define H3D_IO_CSV_H

#include "base/status.h"

#include <stdint.h>

typedef struct h3d_csv h3d_csv;

/* The whole table.  H3D_ERR_FILE names the file, the line and what is wrong:
 * another number of cells than the header, a quote that does not end, a column
 * name used twice.
 */
h3d_status h3d_csv_read(const char *path, h3d_csv **out);
void h3d_csv_free(h3d_csv **t);

int64_t h3d_csv_rows(const h3d_csv *t); /* without the header */
int h3d_csv_columns(const h3d_csv *t);
const char *h3d_csv_name(const h3d_csv *t, int column); /* borrowed */
int h3d_csv_find(const h3d_csv *t, const char *name);   /* -1: none */
const char *h3d_csv_at(const h3d_csv *t, int64_t row, int column);
/* A cell as a finite number; H3D_ERR_FILE names file, line and column. */
h3d_status h3d_csv_real(const h3d_csv *t, int64_t row, int column,
                        double *out);

/* Write a table cell by cell; it has its name once published.  Numbers are
 * written with the fewest digits that read back the same (%.17g at most);
 * float32 values likewise (%.9g).
 */
typedef struct h3d_csv_writer h3d_csv_writer;
h3d_status h3d_csv_create(const char *path, h3d_csv_writer **out);
void h3d_csv_put(h3d_csv_writer *w, const char *text);
void h3d_csv_put_int(h3d_csv_writer *w, int64_t value);
void h3d_csv_put_real(h3d_csv_writer *w, double value);
void h3d_csv_put_float(h3d_csv_writer *w, float value);
void h3d_csv_end_row(h3d_csv_writer *w);
/* *w is NULL afterwards.  drop 1: remove the file instead. */
h3d_status h3d_csv_publish(h3d_csv_writer **w, int drop);

#endif /* H3D_IO_CSV_H */
