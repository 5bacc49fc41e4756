/* cpu.h: the backend "cpu": oneDNN for convolutions and wide dense layers,
 * own loops for what moves memory.  fp32 alone.
 *
 * The loops stand in small functions marked H3D_CPU_KERNEL, which are compiled
 * for several instruction sets and chosen when the program starts; threads are
 * made around them, since a compiler does not clone the inside of a parallel
 * region.  Sums are cut in a fixed number of parts that are added in order:
 * they do not depend on the number of threads.
 */
#ifndef H3D_BACKEND_CPU_H
#define H3D_BACKEND_CPU_H

#include "backend/backend.h"
#include "backend/cpu_dnnl.h"

/* glibc alone resolves such functions at run time.  v3 is AVX2 with fused
 * multiply-add, v4 AVX-512; ISO C would keep a product and a sum apart. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) \
  && __GNUC__ >= 12
#define H3D_CPU_KERNEL                                            \
  __attribute__((                                                 \
    target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), \
    optimize("fp-contract=fast")))
#else
#define H3D_CPU_KERNEL
#endif

/* State of an opened device.  The workspace serves all convolutions, one at a
 * time: plans make it grow, steps do not. */
typedef struct h3d_cpu {
  h3d_dnnl *dnnl;
  void *work;
  size_t work_bytes;
} h3d_cpu;

extern const h3d_backend h3d_backend_cpu;

/* At least this much workspace from now on; H3D_ERR_MEMORY. */
h3d_status h3d_cpu_reserve(h3d_device *dev, size_t bytes);

/* The entries of the table, by file; what they do stands in backend.h. */
h3d_status h3d_cpu_conv_plan(h3d_device *dev, const h3d_conv_shape *s,
                             h3d_conv **plan);
void h3d_cpu_conv_release(h3d_device *dev, h3d_conv *plan);
const char *h3d_cpu_conv_about(const h3d_conv *plan, size_t *bytes);
void h3d_cpu_conv_forward(h3d_device *dev, h3d_conv *plan, int64_t n,
                          const void *x, const void *w, const void *b,
                          void *y);
void h3d_cpu_conv_backward_data(h3d_device *dev, h3d_conv *plan, int64_t n,
                                const void *dy, const void *w, void *dx);
void h3d_cpu_conv_backward_weights(h3d_device *dev, h3d_conv *plan, int64_t n,
                                   const void *x, const void *dy, void *dw,
                                   void *db);

/* cpu_wgrad.c: the weight gradient by own loops, for any window and any
 * padding. */
typedef struct h3d_cpu_wgrad {
  int64_t cin, cout;
  h3d_local l[3];
  int64_t pairs;        /* taps along D and H */
  int64_t high, blocks; /* rows of a block; blocks of a plane */
  int64_t group_pairs, group_cin, groups;
  int parts;
} h3d_cpu_wgrad;

/* 0 if it does not serve this shape: cout must be a multiple of 8. */
int h3d_cpu_wgrad_init(h3d_cpu_wgrad *g, const h3d_conv_shape *s);
/* Workspace of a run. */
size_t h3d_cpu_wgrad_bytes(const h3d_cpu_wgrad *g);
/* dw [cout][cin][kd][kh][kw] from n samples of x and dy. */
void h3d_cpu_wgrad_run(const h3d_cpu_wgrad *g, int64_t n, const float *x,
                       const float *dy, float *work, float *dw);

void h3d_cpu_pool_forward(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                          const void *x, void *y, int32_t *tap);
void h3d_cpu_pool_backward(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                           const void *dy, const int32_t *tap, void *dx);
/* cpu_pool_max.c: the two halves for maxima. */
void h3d_cpu_max_forward(const h3d_pool_shape *s, int64_t n, const float *x,
                         float *y, int32_t *tap);
void h3d_cpu_max_backward(const h3d_pool_shape *s, int64_t n, const float *dy,
                          const int32_t *tap, float *dx);

void h3d_cpu_act_forward(h3d_device *dev, const h3d_act_shape *s, int64_t size,
                         const void *x, void *y);
void h3d_cpu_act_backward(h3d_device *dev, const h3d_act_shape *s,
                          int64_t size, const void *y, const void *dy,
                          void *dx);

void h3d_cpu_norm_moments(h3d_device *dev, int64_t m, int64_t c, const void *x,
                          double *mean, double *m2);
void h3d_cpu_norm_apply(h3d_device *dev, int64_t m, int64_t c, const double *a,
                        const double *b, const void *x, void *y);
void h3d_cpu_norm_sums(h3d_device *dev, int64_t m, int64_t c,
                       const double *mean, const double *inv, const void *x,
                       const void *dy, double *sum_dy, double *sum_dyx);
void h3d_cpu_norm_backward(h3d_device *dev, int64_t m, int64_t c,
                           const double *a, const double *b, const double *k,
                           const void *x, const void *dy, void *dx);
void h3d_cpu_bias_gradient(h3d_device *dev, int64_t m, int64_t c,
                           const void *dy, void *db);

void h3d_cpu_dense_forward(h3d_device *dev, int64_t n, int64_t in, int64_t out,
                           const void *x, const void *w, void *y);
void h3d_cpu_dense_backward_data(h3d_device *dev, int64_t n, int64_t in,
                                 int64_t out, const void *dy, const void *w,
                                 void *dx);
void h3d_cpu_dense_backward_weights(h3d_device *dev, int64_t n, int64_t in,
                                    int64_t out, const void *x, const void *dy,
                                    void *dw);

void h3d_cpu_dropout(h3d_device *dev, const h3d_place *p, const h3d_rng *rng,
                     double drop, const void *x, void *y);
void h3d_cpu_add(h3d_device *dev, int64_t size, const void *x, void *y);
double h3d_cpu_sum_squares(h3d_device *dev, int64_t size, const void *x);
int h3d_cpu_is_finite(h3d_device *dev, int64_t size, const void *x);
void h3d_cpu_sgd(h3d_device *dev, const h3d_sgd_shape *s, int64_t size,
                 const void *g, void *m, void *w);
void h3d_cpu_adam(h3d_device *dev, const h3d_adam_shape *s, int64_t size,
                  const void *g, void *m, void *v, void *w);

#endif /* H3D_BACKEND_CPU_H */
