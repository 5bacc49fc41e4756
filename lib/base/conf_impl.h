/* conf_impl.h: what conf.c and conf_ini.c share. */
#ifndef H3D_BASE_CONF_IMPL_H
#define H3D_BASE_CONF_IMPL_H

#include "base/conf.h"

#include <ini.h>

/* The longest line of a run file, its end included.  libinih's own limit is
 * 200 bytes, less than many a path; where it was built to take its limits at
 * run time we raise them.
 */
#if HAVE_DECL_INI_MAX_LINE
enum { H3D_CONF_LINE = 65536 };
#else
enum { H3D_CONF_LINE = INI_MAX_LINE };
#endif

typedef struct h3d_conf_value {
  char *text, *from;
  int64_t whole; /* INT, FLAG */
  double real;   /* REAL */
  int reading;   /* the number of the file that set it, 0: none */
} h3d_conf_value;

struct h3d_conf {
  const h3d_conf_key *table;
  int n;
  h3d_conf_value *value; /* beside the table */
  int readings, reading; /* files begun; the one being read, or 0 */
};

/* The row of the table, or -1. */
int h3d_conf_find(const h3d_conf *c, const char *key);

#endif /* H3D_BASE_CONF_IMPL_H */
