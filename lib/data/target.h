/* target.h: which of a dataset's targets are learnt, and what is known of them
 * without a network.
 */
#ifndef H3D_DATA_TARGET_H
#define H3D_DATA_TARGET_H

#include "io/dataset.h"

/* The places of n targets by name.  H3D_ERR_USAGE names an unknown one, the
 * nearest and all that there are, or one that is named twice. */
h3d_status h3d_target_find(const h3d_dataset_info *info, int n,
                           const char *const *name, int *place);
/* "NAME,NAME,..." or "all" into place (room for info->targets) and *n. */
h3d_status h3d_target_parse(const h3d_dataset_info *info, const char *text,
                            int *n, int *place);

/* The trivial predictor answers every sample with the mean of the training
 * targets.  Means of n targets (normalised) over count samples, and the mean
 * over samples and targets of (target - mean)^2, summed in the order given.
 * Not collective. */
h3d_status h3d_target_trivial(h3d_dataset *d, int n, const int *place,
                              int64_t count, const int64_t *sample,
                              double *mean, double *mse);

#endif /* H3D_DATA_TARGET_H */
