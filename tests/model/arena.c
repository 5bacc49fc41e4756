/* Tenants of an arena, against every pair of them. */
#include "config.h"

#include "model/arena.h"

#include "base/rng.h"
#include "tap.h"

#include <stdint.h>

TAP_RANKS("1")

enum { MOST = 40, MOMENTS = 30 };

static uint64_t next;

static int
pick(int most)
{
  h3d_rng r = h3d_rng_init(3, H3D_RNG_TEST, 0, 0);

  return (int)(h3d_rng_word(&r, next++) % (uint32_t)most);
}

static size_t
rounded(const h3d_tenant *t)
{
  return (t->bytes + 63) / 64 * 64;
}

static int
clash(const h3d_tenant *a, const h3d_tenant *b)
{
  int together = a->from <= b->to && b->from <= a->to;

  return together && a->bytes > 0 && b->bytes > 0
         && a->offset < b->offset + b->bytes
         && b->offset < a->offset + a->bytes;
}

/* What is live at the busiest moment: no arena can be smaller. */
static size_t
least(int n, const h3d_tenant *t)
{
  size_t most = 0;

  for (int m = 0; m < MOMENTS; m++) {
    size_t live = 0;

    for (int i = 0; i < n; i++) {
      live += t[i].from <= m && m <= t[i].to ? t[i].bytes : 0;
    }
    most = live > most ? live : most;
  }
  return most;
}

static void
test_random(void)
{
  int clashes = 0, outside = 0, crooked = 0, large = 0, small = 0;
  double spent = 0, needed = 0;

  for (int k = 0; k < 2000; k++) {
    h3d_tenant t[MOST];
    int n = pick(MOST + 1);
    size_t size, sum = 0;

    for (int i = 0; i < n; i++) {
      t[i].from = pick(MOMENTS);
      t[i].to = t[i].from + pick(MOMENTS - t[i].from);
      t[i].bytes = (size_t)(pick(8) ? pick(5000) : pick(2) * 64);
      sum += rounded(&t[i]);
    }
    size = h3d_arena_pack(n, t);
    for (int i = 0; i < n; i++) {
      outside += t[i].offset + t[i].bytes > size;
      crooked += t[i].offset % 64 != 0;
      for (int j = 0; j < i; j++) {
        clashes += clash(&t[i], &t[j]);
      }
    }
    large += size > sum;
    small += size < least(n, t);
    spent += (double)size;
    needed += (double)least(n, t);
  }
  ok(clashes == 0, "no two that live together share bytes, %d do", clashes);
  ok(outside == 0, "all lie in the block");
  ok(crooked == 0, "all begin at 64 bytes");
  ok(large == 0, "never larger than the sum");
  ok(small == 0, "never smaller than what is live");
  ok(spent < 1.3 * needed, "on average %.2f of what is live", spent / needed);
}

/* A chain that passes on one buffer to the next wants two. */
static void
test_chain(void)
{
  h3d_tenant t[10];

  for (int i = 0; i < 10; i++) {
    t[i] = (h3d_tenant){ .bytes = 640, .from = i, .to = i + 1 };
  }
  ok(h3d_arena_pack(10, t) == 1280, "a chain of ten lives in two");
  ok(h3d_arena_pack(0, t) == 0, "nobody needs nothing");
  for (int i = 0; i < 10; i++) {
    t[i].bytes = 0;
  }
  ok(h3d_arena_pack(10, t) == 0, "tenants of no bytes need none");
}

void
tap_main(void)
{
  test_random();
  test_chain();
}
