/* info_say.h: the same facts for people and for scripts.
 *
 * What is said is printed at once as "key: value", indented by depth, or
 * gathered and printed as JSON at the end.
 */
#ifndef H3D_TOOLS_INFO_SAY_H
#define H3D_TOOLS_INFO_SAY_H

#include "io/json.h"

enum { INFO_DEPTH = 8 };

typedef struct info_say {
  h3d_json *json; /* NULL: text */
  h3d_json *at[INFO_DEPTH];
  int depth;
} info_say;

void info_begin(info_say *s, int json);
void info_end(info_say *s); /* prints the JSON */

void info_text(info_say *s, const char *key, const char *value);
void info_int(info_say *s, const char *key, int64_t value);
void info_real(info_say *s, const char *key, double value);
/* "64 x 64 x 64" or an array. */
void info_extents(info_say *s, const char *key, int n, const int64_t *value);
/* "a, b, c" or an array. */
void info_texts(info_say *s, const char *key, int64_t n,
                const char *const *value);
/* What follows belongs to key, until info_close. */
void info_open(info_say *s, const char *key);
void info_close(info_say *s);

#endif /* H3D_TOOLS_INFO_SAY_H */
