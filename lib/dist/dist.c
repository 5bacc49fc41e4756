#include "config.h"

#include "dist/dist.h"

#include <inttypes.h>
#include <stdio.h>

const char h3d_axis_name[H3D_AXES + 1] = "NCDHW";

int64_t
h3d_box_voxels(const h3d_box *b)
{
  return b->len[H3D_AXIS_D] * b->len[H3D_AXIS_H] * b->len[H3D_AXIS_W];
}

int64_t
h3d_box_size(const h3d_box *b)
{
  return b->len[H3D_AXIS_N] * b->len[H3D_AXIS_C] * h3d_box_voxels(b);
}

int
h3d_box_is_empty(const h3d_box *b)
{
  for (int a = 0; a < H3D_AXES; a++) {
    if (b->len[a] <= 0) {
      return 1;
    }
  }
  return 0;
}

int
h3d_box_meet(const h3d_box *a, const h3d_box *b, h3d_box *out)
{
  int some = 1;

  for (int i = 0; i < H3D_AXES; i++) {
    int64_t ea = a->start[i] + a->len[i], eb = b->start[i] + b->len[i];
    int64_t begin = a->start[i] > b->start[i] ? a->start[i] : b->start[i];
    int64_t end = ea < eb ? ea : eb;

    out->start[i] = begin;
    out->len[i] = end > begin ? end - begin : 0;
    some = some && end > begin;
  }
  return some;
}

h3d_cut
h3d_cut_init(int64_t n, int parts, int64_t grain)
{
  return (
    h3d_cut){ .n = n, .parts = parts, .base = n, .grain = grain, .stride = 1 };
}

int64_t
h3d_cut_start(const h3d_cut *c, int r)
{
  int64_t at;

  if (r >= c->parts) {
    return c->n;
  }
  at = c->base / c->grain * r / c->parts * c->grain;
  at = (at + c->stride - 1) / c->stride;
  return at < c->n ? at : c->n;
}

h3d_cut
h3d_cut_down(const h3d_cut *c, int64_t n, int64_t stride)
{
  h3d_cut down = *c;

  down.n = n;
  down.stride *= stride;
  return down;
}

int64_t
h3d_cut_min(const h3d_cut *c)
{
  int64_t least = c->n;

  for (int r = 0; r < c->parts; r++) {
    int64_t len = h3d_cut_start(c, r + 1) - h3d_cut_start(c, r);

    least = len < least ? len : least;
  }
  return least;
}

int64_t
h3d_cut_max(const h3d_cut *c)
{
  int64_t most = 0;

  for (int r = 0; r < c->parts; r++) {
    int64_t len = h3d_cut_start(c, r + 1) - h3d_cut_start(c, r);

    most = len > most ? len : most;
  }
  return most;
}

h3d_box
h3d_dist_box(const h3d_dist *d, const int at[H3D_AXES])
{
  h3d_box b;

  for (int a = 0; a < H3D_AXES; a++) {
    const h3d_cut *c = &d->cut[a];
    int r = c->parts > 1 ? at[a] : 0;

    b.start[a] = h3d_cut_start(c, r);
    b.len[a] = h3d_cut_start(c, r + 1) - b.start[a];
  }
  return b;
}

unsigned
h3d_dist_cuts(const h3d_dist *d)
{
  unsigned mask = 0;

  for (int a = 0; a < H3D_AXES; a++) {
    mask |= d->cut[a].parts > 1 ? H3D_MASK(a) : 0;
  }
  return mask;
}

int
h3d_dist_is_equal(const h3d_dist *a, const h3d_dist *b)
{
  for (int i = 0; i < H3D_AXES; i++) {
    const h3d_cut *x = &a->cut[i], *y = &b->cut[i];

    if (x->n != y->n || x->parts != y->parts) {
      return 0;
    }
    for (int r = 1; r < x->parts; r++) {
      if (h3d_cut_start(x, r) != h3d_cut_start(y, r)) {
        return 0;
      }
    }
  }
  return 1;
}

const char *
h3d_dist_text(const h3d_dist *d, char *out, int size)
{
  int used = 0;

  out[0] = '\0';
  for (int a = 0; a < H3D_AXES && used < size; a++) {
    const h3d_cut *c = &d->cut[a];

    used += snprintf(out + used, (size_t)(size - used), "%s%c %" PRId64,
                     a ? "  " : "", h3d_axis_name[a], c->n);
    if (c->parts > 1 && used < size) {
      used += snprintf(out + used, (size_t)(size - used), "/%d", c->parts);
    }
  }
  return out;
}
