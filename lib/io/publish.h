/* publish.h: files that appear under their name only when complete. */
#ifndef H3D_IO_PUBLISH_H
#define H3D_IO_PUBLISH_H

#include "base/status.h"

#include <stdio.h>

/* Sync the closed file part to the disk and rename it to path, replacing what
 * is there in one step.  On failure part is removed.  H3D_ERR_FILE.
 */
h3d_status h3d_publish(const char *part, const char *path);

/* Sync the folder that path is in, so that names in it are on the disk. */
void h3d_sync_folder(const char *path);

/* Open PATH.part for writing text; h3d_text_publish closes and publishes it
 * (*f is NULL afterwards), or, with drop 1, removes it.  H3D_ERR_FILE, also
 * where an earlier write to *f has failed.
 */
h3d_status h3d_text_create(const char *path, FILE **f);
h3d_status h3d_text_publish(const char *path, FILE **f, int drop);

#endif /* H3D_IO_PUBLISH_H */
