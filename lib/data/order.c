#include "config.h"

#include "data/order.h"

#include "base/check.h"
#include "base/rng.h"

int64_t
h3d_order_subset(const h3d_dataset_info *info, h3d_subset subset,
                 int64_t *index)
{
  int64_t n = 0;

  for (int64_t s = 0; s < info->samples; s++) {
    if (info->sample[s].subset == subset) {
      index[n++] = s;
    }
  }
  return n;
}

void
h3d_order_epoch(uint64_t seed, int64_t epoch, int64_t n, const int64_t *subset,
                int64_t *out)
{
  h3d_rng rng = h3d_rng_init(seed, H3D_RNG_ORDER, (uint64_t)epoch, 0);

  h3d_rng_shuffle(&rng, n, out);
  for (int64_t s = 0; s < n; s++) {
    out[s] = subset[out[s]];
  }
}

int64_t
h3d_order_batches(int64_t n, int64_t batch)
{
  H3D_ASSERT(n >= 0 && batch > 0);
  return n / batch + (n % batch != 0); /* batch may be near 2^63 */
}

void
h3d_order_batch(int64_t n, int64_t batch, int64_t b, int64_t *first,
                int64_t *count)
{
  H3D_ASSERT(b >= 0 && b < h3d_order_batches(n, batch));
  *first = b * batch;
  *count = n - *first < batch ? n - *first : batch;
}

void
h3d_order_share(int64_t total, int groups, int g, int64_t *first, int64_t *n)
{
  H3D_ASSERT(total >= 0 && g >= 0 && g < groups);
  *first = total * g / groups;
  *n = total * (g + 1) / groups - *first;
}
