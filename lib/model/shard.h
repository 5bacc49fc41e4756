/* shard.h: a rank's share of a weight, and the whole of it.
 *
 * In memory a sharded weight is [row][d][h][w][c] over the rank's box; its
 * framework-neutral order, which checkpoints and random numbers use, is
 * [row][c][d][h][w] over the whole extent.  Others are the same in both.
 */
#ifndef H3D_MODEL_SHARD_H
#define H3D_MODEL_SHARD_H

#include "layer/layer.h"

/* The neutral index of this rank's number j. */
int64_t h3d_shard_index(const h3d_param *p, int64_t j);
/* Numbers of the whole weight. */
int64_t h3d_shard_total(const h3d_param *p);

/* Reals of the device to and from host doubles. */
void h3d_shard_put(h3d_device *dev, int64_t n, const double *in, void *mem);
void h3d_shard_get(h3d_device *dev, int64_t n, const void *mem, double *out);

#endif /* H3D_MODEL_SHARD_H */
