#include "config.h"

#include "data/augment.h"

#include "base/rng.h"

#include <string.h>

static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                  { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

h3d_status
h3d_augment_parse(const char *word, h3d_augment *out)
{
  static const char *const known[] = { "none", "cube", "shift", "cube+shift" };

  for (int i = 0; i < 4; i++) {
    if (strcmp(word, known[i]) == 0) {
      *out = (h3d_augment)i;
      return H3D_OK;
    }
  }
  return h3d_fail(H3D_ERR_USAGE,
                  "augment: \"%s\" is not known; use none, cube, shift or "
                  "cube+shift",
                  word);
}

h3d_move
h3d_move_none(void)
{
  return (h3d_move){ .axis = { 0, 1, 2 } };
}

/* A number in 0..n-1. */
static int64_t
draw(const h3d_rng *rng, uint64_t i, int64_t n)
{
  int64_t x = (int64_t)(h3d_rng_uniform(rng, i) * (double)n);

  return x < n ? x : n - 1;
}

h3d_move
h3d_move_draw(h3d_augment kinds, uint64_t seed, int64_t epoch, int64_t sample,
              const int64_t extent[3])
{
  h3d_rng rng
    = h3d_rng_init(seed, H3D_RNG_AUGMENT, (uint64_t)epoch, (uint64_t)sample);
  h3d_move m = h3d_move_none();

  if (kinds & H3D_AUGMENT_CUBE) {
    int fits[6], n = 0;

    for (int p = 0; p < 6; p++) {
      const int *q = orders[p];

      if (extent[q[0]] == extent[0] && extent[q[1]] == extent[1]
          && extent[q[2]] == extent[2]) {
        fits[n++] = p;
      }
    }
    memcpy(m.axis, orders[fits[draw(&rng, 0, n)]], sizeof m.axis);
    for (int a = 0; a < 3; a++) {
      m.flip[a] = (int)draw(&rng, 1 + (uint64_t)a, 2);
    }
  }
  if (kinds & H3D_AUGMENT_SHIFT) {
    for (int q = 0; q < 3; q++) {
      m.shift[q] = draw(&rng, 4 + (uint64_t)q, extent[q]);
    }
  }
  return m;
}

/* One axis: outputs [start, start + len) in at most two runs of stored voxels.
 * from[k], n[k]: the run; to[k]: where it lands, counted from start. */
static int
axis_runs(int64_t n, int flip, int64_t shift, int64_t start, int64_t len,
          int64_t from[2], int64_t count[2], int64_t to[2])
{
  int64_t t = flip ? n - start - len : start, s = (t + shift) % n;
  int runs = 1;

  if (len <= 0) {
    return 0;
  }
  from[0] = s;
  count[0] = len;
  if (s + len > n) {
    count[0] = n - s;
    from[1] = 0;
    count[1] = len - count[0];
    runs = 2;
  }
  /* A flipped axis runs backwards: what is stored first lands last. */
  to[0] = flip ? len - count[0] : 0;
  to[1] = flip ? 0 : count[0];
  return runs;
}

int
h3d_move_pieces(const h3d_move *m, const int64_t extent[3],
                const int64_t start[3], const int64_t len[3],
                h3d_piece piece[H3D_PIECES_MAX])
{
  int64_t from[3][2], count[3][2], to[3][2];
  int runs[3], n = 0;

  for (int a = 0; a < 3; a++) {
    int q = m->axis[a];

    runs[a] = axis_runs(extent[q], m->flip[a], m->shift[q], start[a], len[a],
                        from[a], count[a], to[a]);
  }
  for (int i = 0; i < runs[0]; i++) {
    for (int j = 0; j < runs[1]; j++) {
      for (int k = 0; k < runs[2]; k++) {
        const int run[3] = { i, j, k };

        for (int a = 0; a < 3; a++) {
          int q = m->axis[a];

          piece[n].from[q] = from[a][run[a]];
          piece[n].len[q] = count[a][run[a]];
          piece[n].to[a] = to[a][run[a]];
        }
        n++;
      }
    }
  }
  return n;
}
