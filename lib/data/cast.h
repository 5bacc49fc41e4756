/* cast.h: stored voxels to network input, in one pass.
 *
 * On disk a volume is [c][d][h][w] of integers or floats; the network reads
 * [d][h][w][c] of the device's reals.  Each voxel goes through the dataset's
 * recipe (none, or log(1 + x)) and, where the dataset says so, through
 * (y - mean) / dev of its channel, in double, rounded once at the end.
 * Integers have few values: their results are looked up in a table made by
 * the same arithmetic, so a table gives the same bits as the formula.
 */
#ifndef H3D_DATA_CAST_H
#define H3D_DATA_CAST_H

#include "backend/backend.h"
#include "data/augment.h"
#include "io/dataset.h"

typedef struct h3d_cast h3d_cast;

typedef struct h3d_cast_spec {
  h3d_elem elem;
  h3d_type type;
  int channels;
  h3d_recipe recipe;
  int standardize;
  const h3d_channel_stats *stats; /* [channels], copied; a dev of 0 counts
                                     as 1 */
} h3d_cast_spec;

/* Bytes of its tables. */
size_t h3d_cast_bytes(const h3d_cast_spec *spec);
/* H3D_ERR_MEMORY. */
h3d_status h3d_cast_new(const h3d_cast_spec *spec, h3d_cast **out);
void h3d_cast_free(h3d_cast **c);

/* The network input for one stored value, before rounding. */
double h3d_cast_value(const h3d_cast *c, int channel, double stored);

/* Where the voxels of a piece lie in memory: voxel 0, in voxels of one
 * channel, strides along D H W, and from channel to channel. */
typedef struct h3d_cast_from {
  const void *mem;
  int64_t first, stride[3], channel;
} h3d_cast_from;

/* One piece of a moved volume from src into the block out, [d][h][w][c] with
 * extents len.  Returns 0 if a result is not finite. */
int h3d_cast_piece(const h3d_cast *c, const h3d_cast_from *src,
                   const h3d_move *m, const h3d_piece *piece,
                   const int64_t len[3], void *out);

#endif /* H3D_DATA_CAST_H */
