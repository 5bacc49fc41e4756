/* cpu_dnnl.h: the part of oneDNN that h3d uses, whatever its version.
 *
 * Debian ships 2.6, others 3.x, whose interfaces differ: cpu_dnnl.c alone
 * knows.  Activations are plain channels last, [n][d][h][w][c]; weights are
 * h3d's [cout][cin][kd][kh][kw], brought into oneDNN's own layout and back by
 * each call, which costs little beside the convolution.
 */
#ifndef H3D_BACKEND_CPU_DNNL_H
#define H3D_BACKEND_CPU_DNNL_H

#include "base/status.h"
#include "dist/window.h"

#include <stddef.h>
#include <stdint.h>

typedef struct h3d_dnnl h3d_dnnl; /* an engine and a stream */

h3d_status h3d_dnnl_open(h3d_dnnl **out);
void h3d_dnnl_close(h3d_dnnl **d);
/* "oneDNN 2.6.3, avx512_core" */
const char *h3d_dnnl_about(void);

typedef enum h3d_dnnl_pass {
  H3D_DNNL_FORWARD,
  H3D_DNNL_DATA,
  H3D_DNNL_WEIGHTS
} h3d_dnnl_pass;

/* One pass of a convolution, made for n samples at a time.  l: D H W, in and
 * out as in h3d_conv_shape.fwd for FORWARD and WEIGHTS, .bwd for DATA. */
typedef struct h3d_dnnl_conv_shape {
  h3d_dnnl_pass pass;
  int64_t n, cin, cout;
  int bias;
  const h3d_local *l;
} h3d_dnnl_conv_shape;

typedef struct h3d_dnnl_conv h3d_dnnl_conv;

/* *out stays NULL, with a word for it in *why, where oneDNN cannot compute
 * this geometry or has nothing but its slow reference.  H3D_ERR_MEMORY,
 * H3D_ERR_BACKEND.  Borrows d. */
h3d_status h3d_dnnl_conv_new(h3d_dnnl *d, const h3d_dnnl_conv_shape *s,
                             h3d_dnnl_conv **out, const char **why);
void h3d_dnnl_conv_free(h3d_dnnl_conv **c);
/* oneDNN's name for the implementation: "brgconv:avx512_core". */
const char *h3d_dnnl_conv_name(const h3d_dnnl_conv *c);
/* Workspace that a run needs, aligned to 64 bytes. */
size_t h3d_dnnl_conv_bytes(const h3d_dnnl_conv *c);
/* times batches of n samples, one after the other (times > 0).  in: x, or dy
 * for DATA; out: y, dx, or dy for WEIGHTS, which is then read while w and b
 * are written: the gradients, summed over the batches.  b may be NULL where
 * the shape has no bias. */
void h3d_dnnl_conv_run(h3d_dnnl_conv *c, int64_t times, void *work,
                       const float *in, float *w, float *b, float *out);

/* c[m][n] = op(a) op(b), row major, k terms; op is the transpose where the
 * flag is 1. */
void h3d_dnnl_gemm(int trans_a, int trans_b, int64_t m, int64_t n, int64_t k,
                   const float *a, int64_t lda, const float *b, int64_t ldb,
                   float *c, int64_t ldc);

#endif /* H3D_BACKEND_CPU_DNNL_H */
