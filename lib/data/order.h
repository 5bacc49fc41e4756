/* order.h: which samples a step sees.
 *
 * The order of an epoch is a function of seed and epoch alone: every rank of
 * any grid finds the same one, and a resumed run goes on in it.  Batches are
 * cut from the whole order; their samples are then spread over groups.  The
 * last batch of an epoch may be smaller.  Pure.
 */
#ifndef H3D_DATA_ORDER_H
#define H3D_DATA_ORDER_H

#include "io/dataset.h"

#include <stdint.h>

/* The samples of a subset in index order, into index (room for
 * info->samples); returns how many. */
int64_t h3d_order_subset(const h3d_dataset_info *info, h3d_subset subset,
                         int64_t *index);

/* The n samples at subset, permuted for this epoch (0, 1, ...), into out. */
void h3d_order_epoch(uint64_t seed, int64_t epoch, int64_t n,
                     const int64_t *subset, int64_t *out);

/* Batches of at most batch samples in n samples. */
int64_t h3d_order_batches(int64_t n, int64_t batch);
/* Batch b is samples [first, first + count) of the order. */
void h3d_order_batch(int64_t n, int64_t batch, int64_t b, int64_t *first,
                     int64_t *count);
/* How a batch of total samples falls to group g of groups: [first, first + n)
 * of it; n may be 0. */
void h3d_order_share(int64_t total, int groups, int g, int64_t *first,
                     int64_t *n);

#endif /* H3D_DATA_ORDER_H */
