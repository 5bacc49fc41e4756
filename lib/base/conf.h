/* conf.h: a run's keys, with value and provenance.
 *
 * A run file is INI text (libinih): [section] and key = value, spoken of as
 * "section.key".  A table says which keys there are; unknown ones are refused
 * with the nearest known one.  Each value remembers where it came from.
 */
#ifndef H3D_BASE_CONF_H
#define H3D_BASE_CONF_H

#include "base/status.h"

#include <stdint.h>

typedef struct h3d_conf h3d_conf;

typedef enum h3d_conf_type {
  H3D_CONF_INT,  /* int64_t */
  H3D_CONF_REAL, /* double */
  H3D_CONF_FLAG, /* yes, no, true, false, on, off, 1, 0 */
  H3D_CONF_TEXT,
} h3d_conf_type;

typedef struct h3d_conf_key {
  const char *name; /* "train.epochs"; NULL ends the table */
  h3d_conf_type type;
  const char *preset; /* as text */
  const char *help;
} h3d_conf_key;

/* Every key of the table with its preset (provenance "preset").  Borrows the
 * table.  Free with h3d_conf_free.
 */
h3d_conf *h3d_conf_new(const h3d_conf_key *table);
void h3d_conf_free(h3d_conf **c);

/* Read INI text (of the file called name, for messages).  Comments begin with
 * '#' or ';', also behind a value after a blank and ';'.  from: provenance;
 * NULL means "NAME:LINE".  H3D_ERR_USAGE with name, line and key: an unknown
 * key (the nearest known one is named), a key given twice, a value of the
 * wrong type, a line that is none of [section], key = value, comment; keys
 * read before the refusal keep their new values.
 */
h3d_status h3d_conf_read_text(h3d_conf *c, const char *name, const char *text,
                              const char *from);
/* H3D_ERR_FILE when path cannot be read or is no text. */
h3d_status h3d_conf_read_file(h3d_conf *c, const char *path);

/* Set one key; value is checked against its type.  H3D_ERR_USAGE, also for a
 * text that an INI line could not bring back: a line break, blanks around it,
 * a ';' at its start or behind a blank.  Copies both texts.
 */
h3d_status h3d_conf_set(h3d_conf *c, const char *key, const char *value,
                        const char *from);
/* "section.key=value", as --set gives it. */
h3d_status h3d_conf_set_pair(h3d_conf *c, const char *pair, const char *from);

/* The key must be in the table and of that type (a bug otherwise; any type has
 * a text).  Text is borrowed until the key is set again. */
int64_t h3d_conf_int(const h3d_conf *c, const char *key);
double h3d_conf_real(const h3d_conf *c, const char *key);
int h3d_conf_flag(const h3d_conf *c, const char *key);
const char *h3d_conf_text(const h3d_conf *c, const char *key);
const char *h3d_conf_from(const h3d_conf *c, const char *key);

/* All keys as INI text that h3d_conf_read_text reads back, each with its
 * provenance in a comment.  The caller frees it (h3d_free).
 */
char *h3d_conf_dump(const h3d_conf *c);

#endif /* H3D_BASE_CONF_H */
