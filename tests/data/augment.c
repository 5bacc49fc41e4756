/* Moves are permutations of voxels, and pieces put every voxel in its place:
 * brute force over small volumes, any block. */
#include "config.h"

#include "base/rng.h"
#include "data/augment.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1")

/* The stored voxel behind voxel o of the moved volume, straight from the
 * definition. */
static int64_t
stored(const h3d_move *m, const int64_t n[3], const int64_t o[3])
{
  int64_t s[3];

  for (int a = 0; a < 3; a++) {
    int q = m->axis[a];
    int64_t t = m->flip[a] ? n[q] - 1 - o[a] : o[a];

    s[q] = (t + m->shift[q]) % n[q];
  }
  return (s[0] * n[1] + s[1]) * n[2] + s[2];
}

/* Fill a block through its pieces with the indices of stored voxels. */
static void
fill(const h3d_move *m, const int64_t n[3], const int64_t start[3],
     const int64_t len[3], int64_t *block)
{
  h3d_piece piece[H3D_PIECES_MAX];
  int pieces = h3d_move_pieces(m, n, start, len, piece);

  for (int p = 0; p < pieces; p++) {
    const h3d_piece *e = &piece[p];
    int64_t i[3], o[3];

    for (i[0] = 0; i[0] < e->len[0]; i[0]++) {
      for (i[1] = 0; i[1] < e->len[1]; i[1]++) {
        for (i[2] = 0; i[2] < e->len[2]; i[2]++) {
          for (int a = 0; a < 3; a++) {
            int q = m->axis[a];

            o[a] = e->to[a] + (m->flip[a] ? e->len[q] - 1 - i[q] : i[q]);
          }
          block[(o[0] * len[1] + o[1]) * len[2] + o[2]]
            = ((e->from[0] + i[0]) * n[1] + e->from[1] + i[1]) * n[2]
              + e->from[2] + i[2];
        }
      }
    }
  }
}

static int
block_is_right(const h3d_move *m, const int64_t n[3], const int64_t start[3],
               const int64_t len[3])
{
  int64_t block[7 * 7 * 7], o[3];
  int right = 1;

  memset(block, 0xff, sizeof block);
  fill(m, n, start, len, block);
  for (int64_t d = 0; d < len[0]; d++) {
    for (int64_t h = 0; h < len[1]; h++) {
      for (int64_t w = 0; w < len[2]; w++) {
        o[0] = start[0] + d, o[1] = start[1] + h, o[2] = start[2] + w;
        right
          = right && block[(d * len[1] + h) * len[2] + w] == stored(m, n, o);
      }
    }
  }
  return right;
}

static void
test_blocks(const char *what, h3d_augment kinds, const int64_t n[3])
{
  h3d_rng rng = h3d_rng_init(1, H3D_RNG_TEST, 0, 0);
  int right = 1;

  for (uint64_t t = 0; t < 3000; t++) {
    h3d_move m = h3d_move_draw(kinds, 5, (int64_t)(t / 50), (int64_t)t, n);
    int64_t start[3], len[3];

    for (int a = 0; a < 3; a++) {
      start[a] = (int64_t)(h3d_rng_word(&rng, 6 * t + (uint64_t)a) % n[a]);
      len[a] = 1
               + (int64_t)(h3d_rng_word(&rng, 6 * t + 3 + (uint64_t)a)
                           % (n[a] - start[a]));
    }
    right = right && block_is_right(&m, n, start, len);
  }
  ok(right, "%s: any block is made of the right voxels", what);
}

/* All 48 symmetries are drawn, about equally often; axes of other extents
 * stay. */
static void
test_draws(void)
{
  const int64_t cube[3] = { 6, 6, 6 }, slab[3] = { 4, 6, 6 },
                brick[3] = { 4, 5, 6 };
  int count[6][8] = { { 0 } }, least = 1 << 30, most = 0, stays = 1;

  for (int64_t s = 0; s < 4800; s++) {
    h3d_move m = h3d_move_draw(H3D_AUGMENT_CUBE, 3, 1, s, cube);
    int order = 2 * m.axis[0] + (m.axis[1] > m.axis[2]);

    count[order][4 * m.flip[0] + 2 * m.flip[1] + m.flip[2]]++;
    m = h3d_move_draw(H3D_AUGMENT_CUBE, 3, 1, s, slab);
    stays = stays && m.axis[0] == 0;
    m = h3d_move_draw(H3D_AUGMENT_CUBE, 3, 1, s, brick);
    stays = stays && m.axis[0] == 0 && m.axis[1] == 1 && m.axis[2] == 2;
    stays = stays && !m.shift[0] && !m.shift[1] && !m.shift[2];
  }
  for (int i = 0; i < 48; i++) {
    int c = count[i / 8][i % 8];

    least = c < least ? c : least;
    most = c > most ? c : most;
  }
  /* Mean 100, deviation 10. */
  ok(least > 55 && most < 145, "48 symmetries, each %d to %d times", least,
     most);
  ok(stays, "axes change places among equal extents only");
}

static void
test_pure(void)
{
  const int64_t n[3] = { 8, 8, 8 };
  h3d_augment all = H3D_AUGMENT_CUBE | H3D_AUGMENT_SHIFT;
  h3d_move a = h3d_move_draw(all, 1, 2, 3, n), b;
  int differ = 0;

  b = h3d_move_draw(all, 1, 2, 3, n);
  ok(memcmp(&a, &b, sizeof a) == 0, "the same draw is the same move");
  for (int i = 0; i < 3; i++) {
    b = h3d_move_draw(all, 1 + (i == 0), 2 + (i == 1), 3 + (i == 2), n);
    differ += memcmp(&a, &b, sizeof a) != 0;
  }
  ok(differ == 3, "seed, epoch and sample each change it");
  a = h3d_move_draw(H3D_AUGMENT_NONE, 1, 2, 3, n);
  b = h3d_move_none();
  ok(memcmp(&a, &b, sizeof a) == 0, "none draws nothing");
}

static void
test_words(void)
{
  h3d_augment kinds;

  ok(h3d_augment_parse("cube+shift", &kinds) == H3D_OK
       && kinds == (H3D_AUGMENT_CUBE | H3D_AUGMENT_SHIFT),
     "cube+shift is both");
  ok(h3d_augment_parse("flip", &kinds) == H3D_ERR_USAGE, "%s", h3d_why());
}

void
tap_main(void)
{
  test_blocks("cube", H3D_AUGMENT_CUBE, (const int64_t[]){ 6, 6, 6 });
  test_blocks("cube+shift", H3D_AUGMENT_CUBE | H3D_AUGMENT_SHIFT,
              (const int64_t[]){ 7, 7, 7 });
  test_blocks("slab", H3D_AUGMENT_CUBE | H3D_AUGMENT_SHIFT,
              (const int64_t[]){ 5, 7, 5 });
  test_blocks("brick", H3D_AUGMENT_CUBE | H3D_AUGMENT_SHIFT,
              (const int64_t[]){ 4, 5, 6 });
  test_draws();
  test_pure();
  test_words();
}
