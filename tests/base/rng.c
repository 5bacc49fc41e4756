/* Philox4x32-10 against published answers, and what is made from it. */
#include "config.h"

#include "base/rng.h"

#include "tap.h"

#include <math.h>

TAP_RANKS("1 2")

/* The known answers shipped with Random123 (kat_vectors). */
static void
test_known_answers(void)
{
  static const struct {
    uint32_t counter[4], key[2], out[4];
  } table[] = {
    { { 0, 0, 0, 0 },
      { 0, 0 },
      { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  };

  for (int t = 0; t < 3; t++) {
    const uint32_t *c = table[t].counter;
    h3d_rng r = { { table[t].key[0], table[t].key[1] }, { c[2], c[3] } };
    uint64_t i = (uint64_t)c[1] << 32 | c[0];
    uint32_t out[4];
    int same = 1;

    h3d_rng_block(&r, i, out);
    for (int k = 0; k < 4; k++) {
      same &= out[k] == table[t].out[k];
    }
    ok(same, "known answer %d", t);
  }
}

static void
test_streams(void)
{
  h3d_rng r[] = {
    h3d_rng_init(1, H3D_RNG_TEST, 0, 0),
    h3d_rng_init(2, H3D_RNG_TEST, 0, 0),
    h3d_rng_init(1, H3D_RNG_ORDER, 0, 0),
    h3d_rng_init(1, H3D_RNG_TEST, 1, 0),
    h3d_rng_init(1, H3D_RNG_TEST, 0, 1),
    h3d_rng_init(1ull << 32, H3D_RNG_TEST, 0, 0),
  };
  int differ = 1, words = 1;

  for (int a = 0; a < 6; a++) {
    for (int b = 0; b < a; b++) {
      differ &= h3d_rng_word(&r[a], 5) != h3d_rng_word(&r[b], 5);
    }
  }
  ok(differ, "seed, use, a and b each make another stream");
  for (uint64_t i = 0; i < 40; i++) {
    uint32_t out[4];

    h3d_rng_block(&r[0], i / 4, out);
    words &= h3d_rng_word(&r[0], i) == out[i % 4];
    words &= h3d_rng_uniform(&r[0], i) == out[i % 4] / 4294967296.0;
  }
  ok(words, "word i is in block i / 4");
}

static void
test_moments(void)
{
  enum { N = 100000 };
  h3d_rng r = h3d_rng_init(7, H3D_RNG_TEST, 3, 4);
  double u1 = 0, u2 = 0, n1 = 0, n2 = 0, n3 = 0, n4 = 0, lag = 0, last = 0;
  int inside = 1;

  for (uint64_t i = 0; i < N; i++) {
    double u = h3d_rng_uniform(&r, i), x = h3d_rng_normal(&r, i);

    inside &= u >= 0 && u < 1 && isfinite(x);
    u1 += u;
    u2 += u * u;
    n1 += x;
    n2 += x * x;
    n3 += x * x * x;
    n4 += x * x * x * x;
    lag += x * last;
    last = x;
  }
  /* Bounds are about five standard errors. */
  ok(inside, "uniform in [0,1), normal finite");
  ok(fabs(u1 / N - 0.5) < 0.005, "uniform mean %g", u1 / N);
  ok(fabs(u2 / N - 1.0 / 3) < 0.005, "uniform second moment %g", u2 / N);
  ok(fabs(n1 / N) < 0.016, "normal mean %g", n1 / N);
  ok(fabs(n2 / N - 1) < 0.023, "normal variance %g", n2 / N);
  ok(fabs(n3 / N) < 0.062, "normal third moment %g", n3 / N);
  ok(fabs(n4 / N - 3) < 0.16, "normal fourth moment %g", n4 / N);
  ok(fabs(lag / N) < 0.016, "neighbours do not correlate: %g", lag / N);
}

static void
test_shuffle(void)
{
  int permutations = 1, seen[6] = { 0 };
  double chi2 = 0;

  for (int64_t n = 0; n < 60; n++) {
    h3d_rng r = h3d_rng_init(5, H3D_RNG_ORDER, (uint64_t)n, 0);
    int64_t p[60];
    int hit[60] = { 0 };

    h3d_rng_shuffle(&r, n, p);
    for (int64_t i = 0; i < n; i++) {
      permutations &= p[i] >= 0 && p[i] < n && !hit[p[i]]++;
    }
  }
  ok(permutations, "a shuffle is a permutation");
  for (uint64_t s = 0; s < 6000; s++) {
    h3d_rng r = h3d_rng_init(s, H3D_RNG_ORDER, 0, 0);
    int64_t p[3];

    h3d_rng_shuffle(&r, 3, p);
    seen[2 * p[0] + (p[1] > p[2])]++;
  }
  for (int k = 0; k < 6; k++) {
    chi2 += (seen[k] - 1000.0) * (seen[k] - 1000.0) / 1000;
  }
  ok(chi2 < 25, "the six orders of three come equally often: chi2 %g", chi2);
}

/* Every rank draws the same, whatever the order in which it asks. */
static void
test_ranks_agree(void)
{
  h3d_rng r = h3d_rng_init(11, H3D_RNG_WEIGHT, 2, 3);
  double mine[64], first[64];
  int same = 1;

  for (int k = 0; k < 64; k++) {
    int i = tap_rank % 2 ? 63 - k : k;

    mine[i] = first[i] = h3d_rng_normal(&r, (uint64_t)i);
  }
  MPI_Bcast(first, 64, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 64; i++) {
    same &= mine[i] == first[i];
  }
  ok(same, "every rank draws the same numbers");
}

void
tap_main(void)
{
  test_known_answers();
  test_streams();
  test_moments();
  test_shuffle();
  test_ranks_agree();
}
