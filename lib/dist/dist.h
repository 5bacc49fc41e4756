/* dist.h: who owns which voxels of a tensor.
 *
 * A tensor has five axes, N C D H W.  A dist says how each is divided over
 * the process grid (grid.h); it is a pure value, the same on every rank, and
 * from it follows the box of any rank.  Nothing here communicates.
 *
 * An axis of n voxels is cut into parts, or not cut (parts = 1).  Cuts are
 * made once, on the input: an axis of base voxels is cut at multiples of
 * grain. A layer of stride s moves every cut c to ceil(c / s), so at a level
 * of cumulative stride the block r begins at
 *
 *     ceil(grain * floor(floor(base / grain) * r / parts) / stride)
 *
 * clipped to n, and the last block ends at n.  Blocks may be empty.
 *
 * Where the grid has several ranks along an axis that is not cut, each of
 * them holds the whole of it: the tensor is copied along that axis.
 */
#ifndef H3D_DIST_DIST_H
#define H3D_DIST_DIST_H

#include <stdint.h>

enum {
  H3D_AXIS_N, /* samples */
  H3D_AXIS_C, /* channels, never cut; fastest in memory */
  H3D_AXIS_D, /* depth, slowest in memory after N */
  H3D_AXIS_H,
  H3D_AXIS_W,
  H3D_AXES
};
extern const char h3d_axis_name[H3D_AXES + 1]; /* "NCDHW" */

/* start[a] <= i < start[a] + len[a] in global voxels. */
typedef struct h3d_box {
  int64_t start[H3D_AXES], len[H3D_AXES];
} h3d_box;

int64_t h3d_box_size(const h3d_box *b);   /* voxels times channels */
int64_t h3d_box_voxels(const h3d_box *b); /* D H W only */
int h3d_box_is_empty(const h3d_box *b);
/* The common part of a and b in *out; 0 if there is none (*out is empty). */
int h3d_box_meet(const h3d_box *a, const h3d_box *b, h3d_box *out);

typedef struct h3d_cut {
  int64_t n;      /* extent at this level */
  int parts;      /* 1: not cut */
  int64_t base;   /* extent that was cut */
  int64_t grain;  /* in voxels of base */
  int64_t stride; /* cumulative, from base to this level */
} h3d_cut;

h3d_cut h3d_cut_init(int64_t n, int parts, int64_t grain);
/* First voxel of block r, for r in 0..parts (parts: n). */
int64_t h3d_cut_start(const h3d_cut *c, int r);
/* Down a layer of this stride with n outputs. */
h3d_cut h3d_cut_down(const h3d_cut *c, int64_t n, int64_t stride);
/* The smallest and the largest block. */
int64_t h3d_cut_min(const h3d_cut *c);
int64_t h3d_cut_max(const h3d_cut *c);

typedef struct h3d_dist {
  h3d_cut cut[H3D_AXES];
} h3d_dist;

/* The box of the rank at these grid coordinates (0 <= at[a] < grid extent). */
h3d_box h3d_dist_box(const h3d_dist *d, const int at[H3D_AXES]);
/* Bit a is set where axis a is cut. */
unsigned h3d_dist_cuts(const h3d_dist *d);
#define H3D_MASK(a) (1u << (a))
#define H3D_MASK_SPACE \
  (H3D_MASK(H3D_AXIS_D) | H3D_MASK(H3D_AXIS_H) | H3D_MASK(H3D_AXIS_W))
int h3d_dist_is_equal(const h3d_dist *a, const h3d_dist *b);
/* "N 4/2  C 16  D 64/2 @8  H 64  W 64" into out. */
const char *h3d_dist_text(const h3d_dist *d, char *out, int size);

#endif /* H3D_DIST_DIST_H */
