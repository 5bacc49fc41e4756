/* augment.h: the same physics seen from elsewhere.
 *
 * Two families of moves leave the parameters of an isotropic, homogeneous
 * volume alone: the 48 symmetries of the cube (6 orders of the axes, 8 choices
 * of direction) and, for whole periodic boxes only, shifts by any number of
 * voxels.  A sub-volume of a box is not periodic: use no shift there.  The
 * order of axes changes among axes of equal extent only.
 *
 * A move is drawn from (seed, epoch, sample) alone and is applied to boxes: a
 * rank works out which boxes of the stored volume its own block of the moved
 * volume consists of, and gets those from the store or the files.  So the
 * moved volume is the same on any grid.  Pure.
 */
#ifndef H3D_DATA_AUGMENT_H
#define H3D_DATA_AUGMENT_H

#include "base/status.h"

#include <stdint.h>

/* Bits: the families to draw from. */
typedef enum h3d_augment {
  H3D_AUGMENT_NONE = 0,
  H3D_AUGMENT_CUBE = 1,
  H3D_AUGMENT_SHIFT = 2
} h3d_augment;

/* none | cube | shift | cube+shift; H3D_ERR_USAGE otherwise. */
h3d_status h3d_augment_parse(const char *word, h3d_augment *out);

/* Voxel o of the moved volume is voxel s of the stored one: for each axis a
 * (D H W) of the moved volume and q = axis[a],
 *
 *     s[q] = (t + shift[q]) mod n[q],  t = flip[a] ? n[q] - 1 - o[a] : o[a]
 */
typedef struct h3d_move {
  int axis[3], flip[3];
  int64_t shift[3]; /* 0 <= shift[q] < n[q] */
} h3d_move;

h3d_move h3d_move_none(void);
/* extent: D H W of the stored volume, which is that of the moved one too. */
h3d_move h3d_move_draw(h3d_augment kinds, uint64_t seed, int64_t epoch,
                       int64_t sample, const int64_t extent[3]);

/* A box of the stored volume (from, len: stored axes) and where it goes: its
 * voxel i has place to[a] + (flip[a] ? len[q] - 1 - i[q] : i[q]) along axis a
 * of the block, q = axis[a]. */
typedef struct h3d_piece {
  int64_t from[3], len[3], to[3];
} h3d_piece;
enum { H3D_PIECES_MAX = 8 };

/* The pieces that make up the block [start, start + len) of the moved volume;
 * returns how many (0 for an empty block). */
int h3d_move_pieces(const h3d_move *m, const int64_t extent[3],
                    const int64_t start[3], const int64_t len[3],
                    h3d_piece piece[H3D_PIECES_MAX]);

#endif /* H3D_DATA_AUGMENT_H */
