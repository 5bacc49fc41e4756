/* folder.h: the folder that a program is about to fill.
 *
 * It is new, or empty, or, with force, holds what such a program wrote before:
 * that is replaced, and a folder with anything else in it is refused before
 * anything is touched.  One rank.
 *
 * What is written in one go is written to the folder H3D_FOLDER_PART in it:
 * begin, write there, then commit or abandon.  Until the new is whole the old
 * stays as it was, however the program ends.
 */
#ifndef H3D_IO_FOLDER_H
#define H3D_IO_FOLDER_H

#include "base/status.h"

#define H3D_FOLDER_PART ".part"

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

/* Make the folder, or empty it at once.  The same refusals. */
h3d_status h3d_folder_create(const h3d_folder_kind *k, const char *path,
                             int force);

/* Make the folder unless it is there, and PATH/H3D_FOLDER_PART, empty.  The
 * same refusals. */
h3d_status h3d_folder_begin(const h3d_folder_kind *k, const char *path,
                            int force);
/* Old files of the kind go, those of H3D_FOLDER_PART, each synced by its
 * writer, take their place, the first of the kind last.  H3D_ERR_FILE: what
 * has not moved stays in H3D_FOLDER_PART. */
h3d_status h3d_folder_commit(const h3d_folder_kind *k, const char *path);
/* Remove what begin made: H3D_FOLDER_PART and what is in it, and the folder if
 * it is empty then.  Nothing to remove is well, too. */
void h3d_folder_abandon(const char *path);

#endif /* H3D_IO_FOLDER_H */
