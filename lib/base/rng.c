#include "config.h"

#include "base/rng.h"

#include "base/check.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Philox4x32 with ten rounds; multipliers and key increments are the paper's,
 * table 2 and section 4.3. */
static void
philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
  uint32_t k0 = key[0], k1 = key[1];
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];

  for (int round = 0; round < 10; round++) {
    uint64_t p0 = (uint64_t)0xD2511F53 * c0;
    uint64_t p1 = (uint64_t)0xCD9E8D57 * c2;

    c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)p1;
    c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)p0;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

h3d_rng
h3d_rng_init(uint64_t seed, h3d_rng_use use, uint64_t a, uint64_t b)
{
  uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
  uint32_t counter[4] = { (uint32_t)use, 0, 0, 0 };
  uint32_t mixed[4];
  h3d_rng r;

  /* Seed and use do not fit into one key side by side: hash them into it. */
  philox(key, counter, mixed);
  r.key[0] = mixed[0];
  r.key[1] = mixed[1];
  r.hi[0] = (uint32_t)a;
  r.hi[1] = (uint32_t)b;
  return r;
}

void
h3d_rng_block(const h3d_rng *r, uint64_t i, uint32_t out[4])
{
  uint32_t counter[4]
    = { (uint32_t)i, (uint32_t)(i >> 32), r->hi[0], r->hi[1] };

  philox(r->key, counter, out);
}

uint32_t
h3d_rng_word(const h3d_rng *r, uint64_t i)
{
  uint32_t w[4];

  h3d_rng_block(r, i / 4, w);
  return w[i % 4];
}

double
h3d_rng_uniform(const h3d_rng *r, uint64_t i)
{
  return 0x1p-32 * h3d_rng_word(r, i);
}

double
h3d_rng_normal(const h3d_rng *r, uint64_t i)
{
  uint32_t w[4];
  int half = i % 2 ? 2 : 0;
  double radius, angle;

  h3d_rng_block(r, i / 2, w);
  /* In (0,1], for the logarithm's sake. */
  radius = sqrt(-2 * log(0x1p-32 * (w[half] + 1.0)));
  angle = 2 * pi * 0x1p-32 * w[half + 1];
  return radius * cos(angle);
}

/* Uniform below n: the upper half of the 96-bit product of n with a 64-bit
 * number. */
static uint64_t
below(const h3d_rng *r, uint64_t i, uint32_t n)
{
  uint32_t w[4];

  h3d_rng_block(r, i, w);
  return ((uint64_t)w[0] * n + ((uint64_t)w[1] * n >> 32)) >> 32;
}

void
h3d_rng_shuffle(const h3d_rng *r, int64_t n, int64_t *p)
{
  H3D_ASSERT(n >= 0 && n <= UINT32_MAX);
  for (int64_t i = 0; i < n; i++) {
    p[i] = i;
  }
  for (int64_t i = n - 1; i > 0; i--) {
    uint64_t j = below(r, (uint64_t)i, (uint32_t)(i + 1));
    int64_t other = p[j];

    p[j] = p[i];
    p[i] = other;
  }
}
