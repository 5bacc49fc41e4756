/* Who owns which voxels, against voxels counted one by one. */
#include "config.h"

#include "dist/dist.h"

#include "base/rng.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1")

enum { MANY = 20000 };

/* Numbers of 0..most-1, one after the other. */
static int64_t
pick(int64_t most)
{
  static uint64_t next;
  h3d_rng r = h3d_rng_init(7, H3D_RNG_TEST, 0, 0);

  return h3d_rng_word(&r, next++) % most;
}

/* Part r of the input begins at a multiple of the grain, by counting grains;
 * a layer of stride s moves it to the first output whose input lies not
 * before it. */
static int64_t
start_by_hand(const h3d_cut *c, int r)
{
  int64_t grains = 0, first = 0, at = 0;

  if (r == c->parts) {
    return c->n;
  }
  while ((grains + 1) * c->grain <= c->base) {
    grains++;
  }
  while ((first + 1) * c->parts <= grains * r) {
    first++;
  }
  while (at * c->stride < first * c->grain && at < c->n) {
    at++;
  }
  return at;
}

static h3d_cut
any_cut(void)
{
  h3d_cut c = h3d_cut_init(1 + pick(40), (int)(1 + pick(9)), 1 + pick(6));
  int64_t n = c.n;

  for (int64_t levels = pick(3); levels > 0; levels--) {
    int64_t s = 1 + pick(4);

    n = (n + s - 1) / s; /* as under "same" */
    c = h3d_cut_down(&c, n - (n > 1 ? pick(2) : 0), s);
    n = c.n;
  }
  return c;
}

static void
test_cuts(void)
{
  int starts = 0, tiles = 0, sizes = 0, empty = 0;

  for (int i = 0; i < MANY; i++) {
    h3d_cut c = any_cut();
    int64_t least = c.n, most = 0, sum = 0;

    for (int r = 0; r < c.parts; r++) {
      int64_t begin = h3d_cut_start(&c, r), len = h3d_cut_start(&c, r + 1);

      starts += begin != start_by_hand(&c, r);
      len -= begin;
      tiles += len < 0 || begin != sum;
      sum += len;
      least = len < least ? len : least;
      most = len > most ? len : most;
      empty += len == 0;
    }
    tiles += sum != c.n;
    sizes += h3d_cut_min(&c) != least || h3d_cut_max(&c) != most;
  }
  ok(starts == 0, "blocks begin where counting says, %d wrong", starts);
  ok(tiles == 0, "blocks tile the axis, %d wrong", tiles);
  ok(sizes == 0, "smallest and largest blocks, %d wrong", sizes);
  ok(empty > 100, "%d of them were empty", empty);
}

/* Levels of stride 1 move no cut, two strides move it like their product. */
static void
test_down(void)
{
  int bad = 0;

  for (int i = 0; i < 2000; i++) {
    int64_t a = 1 + pick(4), b = 1 + pick(4), n = 1 + pick(60);
    h3d_cut top = h3d_cut_init(n, (int)(1 + pick(8)), 1 + pick(4));
    h3d_cut same = h3d_cut_down(&top, n, 1);
    h3d_cut half = h3d_cut_down(&top, (n + a - 1) / a, a);
    h3d_cut two = h3d_cut_down(&half, (half.n + b - 1) / b, b);
    h3d_cut one = h3d_cut_down(&top, two.n, a * b);

    for (int r = 0; r <= top.parts; r++) {
      bad += h3d_cut_start(&same, r) != h3d_cut_start(&top, r);
      bad += h3d_cut_start(&two, r) != h3d_cut_start(&one, r);
    }
  }
  ok(bad == 0, "strides multiply, %d wrong", bad);
}

static h3d_dist
any_dist(const int64_t n[H3D_AXES])
{
  h3d_dist d;

  for (int a = 0; a < H3D_AXES; a++) {
    d.cut[a] = h3d_cut_init(n[a], a == H3D_AXIS_C ? 1 : (int)(1 + pick(4)),
                            1 + pick(2));
  }
  return d;
}

/* Each voxel has one owner among the ranks that differ along cut axes; along
 * the others every rank has all. */
static void
test_boxes(void)
{
  static const int grid[H3D_AXES] = { 4, 1, 4, 4, 4 };
  int64_t n[H3D_AXES] = { 5, 3, 9, 2, 6 };
  int bad = 0, masks = 0;

  for (int i = 0; i < 200; i++) {
    h3d_dist d = any_dist(n);
    int64_t seen = 0, want = 1;
    int at[H3D_AXES] = { 0 }, a;
    unsigned mask = 0;

    for (a = 0; a < H3D_AXES; a++) {
      mask |= d.cut[a].parts > 1 ? H3D_MASK(a) : 0;
      want *= d.cut[a].n * (d.cut[a].parts > 1 ? 1 : grid[a]);
    }
    masks += mask != h3d_dist_cuts(&d);
    do {
      h3d_box b;
      int inside = 1;

      for (a = 0; a < H3D_AXES; a++) {
        inside = inside && (d.cut[a].parts == 1 || at[a] < d.cut[a].parts);
      }
      if (inside) {
        b = h3d_dist_box(&d, at);
        seen += h3d_box_size(&b);
        for (a = 0; a < H3D_AXES; a++) {
          int r = d.cut[a].parts > 1 ? at[a] : 0;

          bad += b.start[a] != start_by_hand(&d.cut[a], r)
                 || (d.cut[a].parts == 1 && b.len[a] != n[a]);
        }
      }
      for (a = H3D_AXES - 1; a >= 0 && ++at[a] == grid[a]; a--) {
        at[a] = 0;
      }
    } while (a >= 0);
    bad += seen != want;
  }
  ok(bad == 0, "boxes share each voxel out once, %d wrong", bad);
  ok(masks == 0, "the mask of cut axes, %d wrong", masks);
}

static int
holds(const h3d_box *b, const int64_t v[H3D_AXES])
{
  for (int a = 0; a < H3D_AXES; a++) {
    if (v[a] < b->start[a] || v[a] >= b->start[a] + b->len[a]) {
      return 0;
    }
  }
  return 1;
}

static h3d_box
any_box(void)
{
  h3d_box b;

  for (int a = 0; a < H3D_AXES; a++) {
    b.start[a] = pick(4) - 2;
    b.len[a] = pick(40) ? 2 + pick(3) : 0;
  }
  return b;
}

/* All voxels of -2..5 on five axes, for two boxes and their common part. */
static void
test_meet(void)
{
  int bad = 0, met = 0;

  for (int i = 0; i < 200; i++) {
    h3d_box x = any_box(), y = any_box(), m;
    int some = h3d_box_meet(&x, &y, &m), a;
    int64_t v[H3D_AXES] = { -2, -2, -2, -2, -2 }, count = 0;

    do {
      int both = holds(&x, v) && holds(&y, v);

      count += both;
      bad += both != holds(&m, v);
      for (a = H3D_AXES - 1; a >= 0 && ++v[a] == 6; a--) {
        v[a] = -2;
      }
    } while (a >= 0);
    bad += some != (count > 0) || h3d_box_is_empty(&m) != (count == 0);
    bad += h3d_box_size(&m) != count;
    met += some;
  }
  ok(bad == 0, "common parts of boxes, %d wrong", bad);
  ok(met > 20 && met < 180, "%d of 200 pairs met", met);
}

static void
test_equal_and_text(void)
{
  int64_t n[H3D_AXES] = { 4, 16, 64, 64, 64 };
  h3d_dist a, b;
  char text[128], few[8];

  for (int i = 0; i < H3D_AXES; i++) {
    a.cut[i] = h3d_cut_init(n[i], 1, 1);
  }
  a.cut[H3D_AXIS_N].parts = 2;
  a.cut[H3D_AXIS_D].parts = 2;
  b = a;
  ok(h3d_dist_is_equal(&a, &b), "a dist equals itself");
  b.cut[H3D_AXIS_D].grain = 8;
  ok(h3d_dist_is_equal(&a, &b), "equal blocks of another grain are equal");
  b.cut[H3D_AXIS_D].grain = 48;
  ok(!h3d_dist_is_equal(&a, &b), "unlike blocks are not");
  b = a;
  b.cut[H3D_AXIS_W].n = 63;
  ok(!h3d_dist_is_equal(&a, &b), "unlike extents are not");
  b = a;
  b.cut[H3D_AXIS_D].parts = 1;
  ok(!h3d_dist_is_equal(&a, &b), "cut and copied are not");
  ok(strcmp(h3d_dist_text(&a, text, sizeof text),
            "N 4/2  C 16  D 64/2  H 64  W 64")
       == 0,
     "as text: %s", text);
  ok(strlen(h3d_dist_text(&a, few, sizeof few)) < sizeof few,
     "as text in a small buffer: %s", few);
}

void
tap_main(void)
{
  test_cuts();
  test_down();
  test_boxes();
  test_meet();
  test_equal_and_text();
}
