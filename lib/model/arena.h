/* arena.h: one block of memory, reused by lifetime.
 *
 * Tensors are live over a range of moments; two that are never live together
 * may share bytes.  First fit, largest first: near the optimum for chains of
 * layers, and simple.
 */
#ifndef H3D_MODEL_ARENA_H
#define H3D_MODEL_ARENA_H

#include <stddef.h>

typedef struct h3d_tenant {
  size_t bytes;
  int from, to;  /* moments, both included */
  size_t offset; /* the answer; a multiple of 64 */
} h3d_tenant;

/* Sets the offsets; returns the bytes of the block. */
size_t h3d_arena_pack(int n, h3d_tenant *t);

#endif /* H3D_MODEL_ARENA_H */
