/* window.h: which inputs a sliding window reads, in one place.
 *
 * Kernel k, stride s, dilation d, padding p before and q after: output j reads
 * inputs s*j - p + t*d for t in 0..k-1.  Everything about halos, on both sides
 * of a message, follows from the functions here (V. Dumoulin, F. Visin: "A
 * guide to convolution arithmetic for deep learning", arXiv 1603.07285).
 */
#ifndef H3D_DIST_WINDOW_H
#define H3D_DIST_WINDOW_H

#include <stdint.h>

/* One axis. */
typedef struct h3d_window {
  int kernel, stride, dilation;
  int before, after; /* padding */
} h3d_window;

/* A half-open range of voxels. */
typedef struct h3d_range {
  int64_t begin, end;
} h3d_range;

/* 1, 1, 1, no padding: a layer that looks at one voxel. */
h3d_window h3d_window_point(void);
int h3d_window_is_point(const h3d_window *w);

/* Outputs of n inputs; 0 or less if the window does not fit. */
int64_t h3d_window_outputs(const h3d_window *w, int64_t n);

/* Inputs read by outputs [begin, end); may reach out of the domain.  Empty
 * for an empty range. */
h3d_range h3d_window_reads(const h3d_window *w, h3d_range outputs);

/* Outputs, within 0..n_out, that read any of these inputs: from
 * ceil((begin + p - (k-1)d) / s) to floor((end - 1 + p) / s). */
h3d_range h3d_window_readers(const h3d_window *w, h3d_range inputs,
                             int64_t n_out);

/* The same on a periodic axis: not clipped, output j + n_out stands for j. */
h3d_range h3d_window_readers_wrapped(const h3d_window *w, h3d_range inputs);

/* The window as a rank sees it: output j, counted from the rank's first
 * output, reads buffer cells stride*j - pad + t*dilation, cells outside
 * 0..in-1 being padding. */
typedef struct h3d_local {
  int kernel, stride, dilation;
  int64_t in, out;
  int64_t pad; /* may be negative: the first cells are read by nobody */
} h3d_local;

/* in: the inputs in the buffer; out: the outputs to compute. */
h3d_local h3d_window_local(const h3d_window *w, h3d_range in, h3d_range out);

#endif /* H3D_DIST_WINDOW_H */
