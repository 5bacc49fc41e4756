/* subsets.h: which families train, validate and test. */
#ifndef H3D_PREPROCESS_SUBSETS_H
#define H3D_PREPROCESS_SUBSETS_H

#include "io/dataset.h"

/* subset[i] of family i, called id[i], of n.  text is one of
 *
 *   0.8,0.1,0.1   shares, which sum to 1.  Validation and test get their share
 *                 of n, rounded, but at least one family if their share is not
 *                 0 and n >= 3; training gets the rest;
 *   96,16,16      counts, which sum to n;
 *   FILE          lines "ID SUBSET" (train, validation or test; white space or
 *                 a comma between, # for comments), each family once.  Of a
 *                 sub-volume's id, ID_000, the family counts.
 *
 * Shares and counts are dealt out in an order shuffled by seed, a function of
 * n and seed alone.  Pure but for the file, which the caller's rank reads.
 * H3D_ERR_USAGE, H3D_ERR_FILE: what does not add up, line by line; a family
 * without a subset or in two; nobody trains.
 */
h3d_status h3d_subsets_assign(const char *text, uint64_t seed, int64_t n,
                              char *const *id, h3d_subset *subset);

#endif /* H3D_PREPROCESS_SUBSETS_H */
