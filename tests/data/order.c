/* Every sample once an epoch, the same order for the same (seed, epoch). */
#include "config.h"

#include "data/order.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1 3")

enum { MOST = 64 };

static void
test_epoch(int64_t n)
{
  int64_t subset[MOST], a[MOST], b[MOST];
  int whole = 1, again = 1, moved = 0;

  for (int64_t s = 0; s < n; s++) {
    subset[s] = 3 * s + 1;
  }
  for (int epoch = 0; epoch < 20; epoch++) {
    int seen[3 * MOST] = { 0 };

    h3d_order_epoch(7, epoch, n, subset, a);
    h3d_order_epoch(7, epoch, n, subset, b);
    again = again && memcmp(a, b, (size_t)n * sizeof a[0]) == 0;
    for (int64_t s = 0; s < n; s++) {
      seen[a[s]]++;
      moved += a[s] != subset[s];
    }
    for (int64_t s = 0; s < n; s++) {
      whole = whole && seen[subset[s]] == 1;
    }
  }
  ok(whole, "%d samples: each once an epoch", (int)n);
  ok(again, "%d samples: the same order again", (int)n);
  ok(n < 2 || moved > 0, "%d samples: shuffled", (int)n);
}

static void
test_epochs_differ(void)
{
  int64_t subset[MOST], a[MOST], b[MOST], c[MOST];

  for (int64_t s = 0; s < MOST; s++) {
    subset[s] = s;
  }
  h3d_order_epoch(1, 0, MOST, subset, a);
  h3d_order_epoch(1, 1, MOST, subset, b);
  h3d_order_epoch(2, 0, MOST, subset, c);
  ok(memcmp(a, b, sizeof a) != 0, "another epoch, another order");
  ok(memcmp(a, c, sizeof a) != 0, "another seed, another order");
}

static void
test_batches(void)
{
  int right = 1;

  for (int64_t n = 0; n < 40; n++) {
    for (int64_t batch = 1; batch < 50; batch++) {
      int64_t next = 0, batches = h3d_order_batches(n, batch);

      for (int64_t b = 0; b < batches; b++) {
        int64_t first, count;

        h3d_order_batch(n, batch, b, &first, &count);
        right = right && first == next && count > 0 && count <= batch
                && (b == batches - 1 || count == batch);
        next = first + count;
      }
      right = right && next == n;
    }
  }
  ok(right, "batches tile the samples, the last one may be smaller");
  ok(h3d_order_batches(20, INT64_MAX) == 1 && h3d_order_batches(0, 7) == 0,
     "a batch of any size holds them all");
}

static void
test_subset(void)
{
  h3d_sample sample[10] = { 0 };
  h3d_dataset_info info = { .samples = 10, .sample = sample };
  int64_t index[10];

  for (int s = 0; s < 10; s++) {
    sample[s].subset = s % 3 == 1 ? H3D_SUBSET_TEST : H3D_SUBSET_TRAIN;
  }
  ok(h3d_order_subset(&info, H3D_SUBSET_TEST, index) == 3 && index[0] == 1
       && index[1] == 4 && index[2] == 7,
     "a subset in index order");
  ok(h3d_order_subset(&info, H3D_SUBSET_VALIDATION, index) == 0,
     "a subset may be empty");
}

static void
test_share(void)
{
  int right = 1;

  for (int64_t total = 0; total < 20; total++) {
    for (int groups = 1; groups < 10; groups++) {
      int64_t at = 0, first, n;

      for (int g = 0; g < groups; g++) {
        h3d_order_share(total, groups, g, &first, &n);
        right = right && first == at && n >= total / groups
                && n <= (total + groups - 1) / groups;
        at += n;
      }
      right = right && at == total;
    }
  }
  ok(right, "a batch falls to groups in order and evenly");
}

void
tap_main(void)
{
  test_epoch(1);
  test_epoch(2);
  test_epoch(11);
  test_epoch(MOST);
  test_epochs_differ();
  test_batches();
  test_subset();
  test_share();
}
