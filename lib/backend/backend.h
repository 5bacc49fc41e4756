/* backend.h: what a device must be able to do.
 *
 * A backend is one constant table; an opened device is that table, the type
 * of its reals, and some state.  Memory is opaque to everyone above this line.
 * Operations come in two kinds: plans may refuse and say so; the rest may not,
 * and abort if the device breaks under them.  Work is queued in order; sync
 * waits for it.  The loops of "ref" define every operation.
 *
 * Tensors are dense, channels last: [n][d][h][w][c].  All reals of a device
 * have its type.  Sums that leave a device (double *) are on the host and
 * complete on return.  n = 0 is allowed everywhere: nothing, or zeros, come
 * out.
 */
#ifndef H3D_BACKEND_BACKEND_H
#define H3D_BACKEND_BACKEND_H

#include "base/rng.h"
#include "base/status.h"
#include "dist/window.h"

#include <stddef.h>
#include <stdint.h>

typedef enum h3d_type { H3D_F32, H3D_F64 } h3d_type;
size_t h3d_type_size(h3d_type t);
const char *h3d_type_name(h3d_type t); /* "fp32", "fp64" */
/* The type of that name; 0 if there is none. */
int h3d_type_find(const char *name, h3d_type *t);

typedef struct h3d_backend h3d_backend;

typedef struct h3d_device {
  const h3d_backend *be;
  h3d_type type;
  void *state; /* the backend's own */
  /* Bytes that alloc gave and release did not take back, and what plans
   * reserved. */
  size_t bytes;
  /* 1: for planning only: alloc counts and gives a token that may be released
   * and nothing else.  Set after opening, before the first alloc. */
  int dry;
} h3d_device;

/* A box of cells inside a dense buffer [ext0][ext1][ext2][ext3][c]; the four
 * axes are N D H W. */
typedef struct h3d_cells {
  int64_t ext[4], at[4];
} h3d_cells;

/* A convolution as one rank computes it.  Forward and weight gradient read
 * the input buffer; the data gradient reads a buffer of output gradients and
 * writes the rank's own inputs. */
typedef struct h3d_conv_shape {
  int64_t n; /* most samples in one call */
  int64_t cin, cout;
  h3d_local fwd[3];  /* D H W: in = input buffer, out = own outputs */
  h3d_local bwd[3];  /* in = own inputs, out = buffer of output gradients */
  int bias;          /* 1: there is one */
  int data_gradient; /* 0: conv_backward_data is never called */
} h3d_conv_shape;

typedef struct h3d_conv h3d_conv; /* a plan, the backend's own */

typedef enum h3d_pool_op { H3D_POOL_MEAN, H3D_POOL_MAX } h3d_pool_op;

typedef struct h3d_pool_shape {
  h3d_pool_op op;
  int64_t c;
  h3d_local fwd[3], bwd[3]; /* as for a convolution */
} h3d_pool_shape;

typedef enum h3d_act_fn {
  H3D_ACT_RELU,
  H3D_ACT_LEAKY,
  H3D_ACT_TANH
} h3d_act_fn;

typedef struct h3d_act_shape {
  h3d_act_fn fn;
  double slope; /* leaky: factor for x < 0 */
  double scale; /* tanh: y = scale * tanh(x) */
} h3d_act_shape;

/* Where a rank's block lies in the global batch, for random numbers by global
 * index: cell (s,d,h,w,c) of the block has index
 * ((((first+s)*D + d0+d)*H + h0+h)*W + w0+w)*C + c. */
typedef struct h3d_place {
  int64_t n, c, len[3];    /* the block: samples, channels, D H W */
  int64_t first, start[3]; /* its first sample and voxel */
  int64_t extent[3];       /* global D H W */
} h3d_place;

typedef struct h3d_adam_shape {
  double lr, beta1, beta2, eps;
  double decay;  /* L2 added to the gradient (Adam), or
                    w -= lr * decay * w first (AdamW) */
  int decoupled; /* 1: AdamW */
  int64_t step;  /* 1, 2, ... for bias correction */
} h3d_adam_shape;

typedef struct h3d_sgd_shape {
  double lr, momentum, decay;
  int nesterov;
} h3d_sgd_shape;

struct h3d_backend {
  const char *name, *help; /* "ref", "cpu" */

  /* Life.  Refuses a type that it does not have. */
  h3d_status (*open)(h3d_device *dev, h3d_type type);
  void (*close)(h3d_device *dev);
  void (*sync)(h3d_device *dev);
  /* "oneDNN 2.6.3, avx512" for logs. */
  const char *(*about)(void);

  /* Memory, zeroed, aligned to 64 bytes. */
  h3d_status (*alloc)(h3d_device *dev, size_t bytes, void **mem);
  void (*release)(h3d_device *dev, void *mem);
  void (*put)(h3d_device *dev, void *mem, const void *host, size_t bytes);
  void (*get)(h3d_device *dev, void *host, const void *mem, size_t bytes);
  void (*zero)(h3d_device *dev, void *mem, size_t bytes);

  /* Boxes: len (N D H W) voxels of cell bytes each, from one buffer into
   * another.  add_box adds reals of the device's type (c of them a voxel). */
  void (*copy_box)(h3d_device *dev, const int64_t len[4], size_t cell,
                   const void *src, const h3d_cells *from, void *dst,
                   const h3d_cells *to);
  void (*add_box)(h3d_device *dev, const int64_t len[4], int64_t c,
                  const void *src, const h3d_cells *from, void *dst,
                  const h3d_cells *to);

  /* Convolution (cross-correlation).  Weights [cout][cin][kd][kh][kw], bias
   * [cout] (NULL where the shape has none).  Gradients overwrite. */
  h3d_status (*conv_plan)(h3d_device *dev, const h3d_conv_shape *s,
                          h3d_conv **plan);
  void (*conv_release)(h3d_device *dev, h3d_conv *plan);
  /* Which algorithms, for the plan's table; bytes of workspace that it uses
   * in *bytes.  ref has one for each plan; cpu has one for all, as large as
   * the largest.  Either is counted in dev->bytes. */
  const char *(*conv_about)(const h3d_conv *plan, size_t *bytes);
  void (*conv_forward)(h3d_device *dev, h3d_conv *plan, int64_t n,
                       const void *x, const void *w, const void *b, void *y);
  void (*conv_backward_data)(h3d_device *dev, h3d_conv *plan, int64_t n,
                             const void *dy, const void *w, void *dx);
  void (*conv_backward_weights)(h3d_device *dev, h3d_conv *plan, int64_t n,
                                const void *x, const void *dy, void *dw,
                                void *db);

  /* Pooling.  Mean divides by the whole window, padding counted as zeros; max
   * leaves padding out, ties go to the first tap in D H W order, and tap
   * [n][d][h][w][c] int32 receives its number (kd*KH + kh)*KW + kw.  backward
   * gathers: dx of own inputs from buffers of dy and tap.  tap is NULL for
   * the mean. */
  void (*pool_forward)(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                       const void *x, void *y, int32_t *tap);
  void (*pool_backward)(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                        const void *dy, const int32_t *tap, void *dx);

  /* Activations; the derivative is taken from the output, and y may be x, dx
   * may be dy.  relu and leaky: factor 1 where y > 0; tanh: scale (1 -
   * (y/scale)^2). */
  void (*act_forward)(h3d_device *dev, const h3d_act_shape *s, int64_t size,
                      const void *x, void *y);
  void (*act_backward)(h3d_device *dev, const h3d_act_shape *s, int64_t size,
                       const void *y, const void *dy, void *dx);

  /* Norm, over m voxels of c channels.  moments: mean[c] and the sum of
   * squared differences from it m2[c], stable for large means; zeros when m is
   * 0.  apply: y = a[c] x + b[c].  sums: sum of dy and of dy * (x - mean)
   * * inv.  backward: dx = a[c] dy + b[c] x + k[c].  All vectors on the host.
   */
  void (*norm_moments)(h3d_device *dev, int64_t m, int64_t c, const void *x,
                       double *mean, double *m2);
  void (*norm_apply)(h3d_device *dev, int64_t m, int64_t c, const double *a,
                     const double *b, const void *x, void *y);
  void (*norm_sums)(h3d_device *dev, int64_t m, int64_t c, const double *mean,
                    const double *inv, const void *x, const void *dy,
                    double *sum_dy, double *sum_dyx);
  void (*norm_backward)(h3d_device *dev, int64_t m, int64_t c, const double *a,
                        const double *b, const double *k, const void *x,
                        const void *dy, void *dx);

  /* Dense: weights [out][in].  forward: y[n][out] = x[n][in] w^T, no bias.
   * backward: dx = dy w; dw = dy^T x (overwritten). */
  void (*dense_forward)(h3d_device *dev, int64_t n, int64_t in, int64_t out,
                        const void *x, const void *w, void *y);
  void (*dense_backward_data)(h3d_device *dev, int64_t n, int64_t in,
                              int64_t out, const void *dy, const void *w,
                              void *dx);
  void (*dense_backward_weights)(h3d_device *dev, int64_t n, int64_t in,
                                 int64_t out, const void *x, const void *dy,
                                 void *dw);
  /* y[m][c] += b[c];  db[c] = sum over m of dy[m][c] (overwritten). */
  void (*bias_add)(h3d_device *dev, int64_t m, int64_t c, const void *b,
                   void *y);
  void (*bias_gradient)(h3d_device *dev, int64_t m, int64_t c, const void *dy,
                        void *db);

  /* y = x / (1 - drop) where the uniform number of the cell's global index is
   * at least drop, else 0.  Serves forward and backward; y may be x. */
  void (*dropout)(h3d_device *dev, const h3d_place *p, const h3d_rng *rng,
                  double drop, const void *x, void *y);

  /* Vectors. */
  void (*scale)(h3d_device *dev, int64_t size, double a, void *x); /* x *= a */
  void (*add)(h3d_device *dev, int64_t size, const void *x,
              void *y); /* y += x */
  double (*sum_squares)(h3d_device *dev, int64_t size, const void *x);
  int (*is_finite)(h3d_device *dev, int64_t size, const void *x);

  /* Updates of w from the complete gradient g.  SGD (I. Sutskever et al. 2013,
   * as PyTorch writes it): g += decay w; m = momentum m + g; w -= lr m, or
   * w -= lr (g + momentum m) with Nesterov.  m is NULL without momentum.
   * Adam: D. Kingma, J. Ba, arXiv 1412.6980; AdamW: I. Loshchilov, F. Hutter,
   * arXiv 1711.05101. */
  void (*sgd)(h3d_device *dev, const h3d_sgd_shape *s, int64_t size,
              const void *g, void *m, void *w);
  void (*adam)(h3d_device *dev, const h3d_adam_shape *s, int64_t size,
               const void *g, void *m, void *v, void *w);
};

/* All backends of this build, best first, ending with NULL. */
extern const h3d_backend *const h3d_backends[];
/* "auto" is the first that opens with this type.  H3D_ERR_USAGE for an
 * unknown name (the known ones named), H3D_ERR_BACKEND if it cannot be opened.
 */
h3d_status h3d_device_open(const char *name, h3d_type type, h3d_device *dev);
void h3d_device_close(h3d_device *dev);

#endif /* H3D_BACKEND_BACKEND_H */
