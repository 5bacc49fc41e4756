/* dataset_folder.h: the folder of a dataset that is about to be written. */
#ifndef H3D_IO_DATASET_FOLDER_H
#define H3D_IO_DATASET_FOLDER_H

#include "base/status.h"

/* See h3d_dataset_may_create.  One rank. */
h3d_status h3d_folder_may_create(const char *path, int force);

/* Make the folder, or empty it of an old dataset, the index first.  One rank.
 * The same refusals.
 */
h3d_status h3d_folder_create(const char *path, int force);

#endif /* H3D_IO_DATASET_FOLDER_H */
