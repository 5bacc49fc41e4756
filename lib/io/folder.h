/* folder.h: the folder that a program is about to fill.
 *
 * It is new, or empty, or, with force, holds what such a program wrote before:
 * that is removed, and a folder with anything else in it is refused before
 * anything is touched.  One rank.
 */
#ifndef H3D_IO_FOLDER_H
#define H3D_IO_FOLDER_H

#include "base/status.h"

typedef struct h3d_folder_kind {
  const char *what; /* "a dataset" */
  /* Names in it, the one without which the rest counts for nothing first; NULL
   * ends them.  '#' is a number, '*' anything; ".part" may follow. */
  const char *const *file;
  const char *or_else; /* another way out for who finds one: "", or "go on with
                          it by --resume, " */
} h3d_folder_kind;

/* H3D_ERR_FILE names what is in the way and the way out. */
h3d_status h3d_folder_may_create(const h3d_folder_kind *k, const char *path,
                                 int force);

/* Make the folder, or empty it.  The same refusals. */
h3d_status h3d_folder_create(const h3d_folder_kind *k, const char *path,
                             int force);

#endif /* H3D_IO_FOLDER_H */
