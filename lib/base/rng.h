/* rng.h: counter-based random numbers, Philox4x32-10.
 *
 * J. Salmon, M. Moraes, R. Dror, D. Shaw: "Parallel random numbers: as easy
 * as 1, 2, 3", SC11.  A number is a pure function of a key and an index, so
 * that it does not depend on which rank asks for it, or in which order.
 */
#ifndef H3D_BASE_RNG_H
#define H3D_BASE_RNG_H

#include <stdint.h>

/* What a number is for: part of the key, so that uses never share numbers. */
typedef enum h3d_rng_use {
  H3D_RNG_WEIGHT = 1,
  H3D_RNG_DROPOUT,
  H3D_RNG_ORDER,
  H3D_RNG_AUGMENT,
  H3D_RNG_SIMULATE,
  H3D_RNG_TEST
} h3d_rng_use;

typedef struct h3d_rng {
  uint32_t key[2];
  uint32_t hi[2]; /* upper half of the counter */
} h3d_rng;

/* A stream for (seed, use, a, b): a and b are for instance step and layer.
 * a and b keep 32 bits each.
 */
h3d_rng h3d_rng_init(uint64_t seed, h3d_rng_use use, uint64_t a, uint64_t b);

/* Block i of the stream: four independent 32-bit words. */
void h3d_rng_block(const h3d_rng *r, uint64_t i, uint32_t out[4]);

/* Number i of the stream.  word: block i/4, word i%4. */
uint32_t h3d_rng_word(const h3d_rng *r, uint64_t i);
/* Uniform in [0,1), 32 bits: word * 2^-32. */
double h3d_rng_uniform(const h3d_rng *r, uint64_t i);
/* Standard normal by Box-Muller from words 2i and 2i+1. */
double h3d_rng_normal(const h3d_rng *r, uint64_t i);

/* A permutation of 0..n-1 in p (Fisher-Yates over the stream, unbiased to
 * 2^-32): the same on every rank that asks.
 */
void h3d_rng_shuffle(const h3d_rng *r, int64_t n, int64_t *p);

#endif /* H3D_BASE_RNG_H */
