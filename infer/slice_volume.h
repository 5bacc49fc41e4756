/* slice_volume.h: one sample of anything that h3d-slice draws.
 *
 * A dataset folder, a CosmoFlow HDF5 file or a .npy array, behind one face.
 * Not collective.
 */
#ifndef H3D_INFER_SLICE_VOLUME_H
#define H3D_INFER_SLICE_VOLUME_H

#include "base/status.h"

#include <stdint.h>

typedef struct h3d_volume h3d_volume;

/* Pointers belong to the volume. */
typedef struct h3d_volume_facts {
  const char *id;    /* of the sample, or the file's name without folders */
  int64_t extent[3]; /* D H W */
  int channels;
  char **channel;    /* [channels], names; "0", "1" where there are none */
  double spacing[3]; /* of a voxel; 1 where unknown */
  const char *unit;  /* of the spacing, "" where unknown */
  const char *value; /* what a voxel's number is, for the colour bar */
} h3d_volume_facts;

/* sample: an id, or a number from 0, of a dataset; NULL: its first.  Refuses
 * (H3D_ERR_USAGE) an unknown sample, and one of a file that has no samples;
 * H3D_ERR_FILE what is none of the three; H3D_ERR_SHAPE an array that is not
 * [d][h][w], [c][d][h][w] or [d][h][w][c].
 */
h3d_status h3d_volume_open(const char *path, const char *sample,
                           h3d_volume **out);
void h3d_volume_close(h3d_volume **v);
const h3d_volume_facts *h3d_volume_about(const h3d_volume *v);

/* len positions along axis (0 D, 1 H, 2 W) from start become one plane per
 * channel: plane[c][rows][columns], rows and columns the two other axes in
 * order.  Their mean, or their maximum when maximum is 1.  The box must lie
 * inside.
 */
h3d_status h3d_volume_plane(h3d_volume *v, int axis, int64_t start,
                            int64_t len, int maximum, float *plane);

#endif /* H3D_INFER_SLICE_VOLUME_H */
