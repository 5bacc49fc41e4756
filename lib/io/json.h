/* json.h: results for scripts, as JSON (RFC 8259).
 *
 * Build an object, then write it.  Keys keep the order in which they were set.
 * A number that JSON cannot say (NaN, Inf) becomes null.  One rank.
 */
#ifndef H3D_IO_JSON_H
#define H3D_IO_JSON_H

#include "base/status.h"

#include <stdint.h>

typedef struct h3d_json h3d_json;

h3d_json *h3d_json_new(void); /* an empty object */
/* Only the one from h3d_json_new; what hangs below it goes too. */
void h3d_json_free(h3d_json **j);

/* Set or replace a key of an object.  Text is copied; it must be UTF-8, other
 * bytes become '?'.
 */
void h3d_json_set_text(h3d_json *j, const char *key, const char *text);
void h3d_json_set_int(h3d_json *j, const char *key, int64_t value);
void h3d_json_set_real(h3d_json *j, const char *key, double value);
void h3d_json_set_flag(h3d_json *j, const char *key, int value);
void h3d_json_set_reals(h3d_json *j, const char *key, int64_t n,
                        const double *value);
void h3d_json_set_texts(h3d_json *j, const char *key, int64_t n,
                        const char *const *text);

/* A new empty object or array under a key, or a new object at the end of an
 * array.  Borrowed: it belongs to j.
 */
h3d_json *h3d_json_set_object(h3d_json *j, const char *key);
h3d_json *h3d_json_set_array(h3d_json *j, const char *key);
h3d_json *h3d_json_add_object(h3d_json *array);

/* As a file, under its name at once; as text (h3d_free). */
h3d_status h3d_json_write(const h3d_json *j, const char *path);
char *h3d_json_text(const h3d_json *j);

#endif /* H3D_IO_JSON_H */
