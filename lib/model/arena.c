#include "config.h"

#include "model/arena.h"

#include "base/mem.h"

#include <stdlib.h>

static size_t
round_up(size_t bytes)
{
  return (bytes + 63) / 64 * 64;
}

static int
by_size(const void *a, const void *b)
{
  const h3d_tenant *const *x = a, *const *y = b;

  if ((*x)->bytes != (*y)->bytes) {
    return (*x)->bytes < (*y)->bytes ? 1 : -1;
  }
  return (*x) < (*y) ? -1 : (*x) > (*y);
}

static int
by_offset(const void *a, const void *b)
{
  const h3d_tenant *const *x = a, *const *y = b;

  return (*x)->offset < (*y)->offset ? -1 : (*x)->offset > (*y)->offset;
}

/* The lowest gap among the placed ones (sorted by offset) that live with t. */
static size_t
lowest_gap(h3d_tenant *const *placed, int n, const h3d_tenant *t)
{
  size_t at = 0;

  for (int i = 0; i < n; i++) {
    const h3d_tenant *p = placed[i];

    if (p->to < t->from || t->to < p->from) {
      continue;
    }
    if (at + round_up(t->bytes) <= p->offset) {
      return at;
    }
    if (p->offset + round_up(p->bytes) > at) {
      at = p->offset + round_up(p->bytes);
    }
  }
  return at;
}

size_t
h3d_arena_pack(int n, h3d_tenant *t)
{
  h3d_tenant **order = h3d_new((size_t)n + 1, sizeof *order);
  h3d_tenant **placed = h3d_new((size_t)n + 1, sizeof *placed);
  size_t size = 0;

  for (int i = 0; i < n; i++) {
    order[i] = &t[i];
  }
  qsort(order, (size_t)n, sizeof *order, by_size);
  for (int i = 0; i < n; i++) {
    h3d_tenant *q = order[i];

    q->offset = lowest_gap(placed, i, q);
    if (q->offset + round_up(q->bytes) > size) {
      size = q->offset + round_up(q->bytes);
    }
    placed[i] = q;
    qsort(placed, (size_t)i + 1, sizeof *placed, by_offset);
  }
  h3d_free(order);
  h3d_free(placed);
  return size;
}
