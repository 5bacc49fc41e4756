/* ref.h: plain loops, which define every operation.
 *
 * The entries of the table "ref", by name, so that other backends may put them
 * into theirs where they have nothing better.  What each does stands in
 * backend.h.  Sums are taken in double, whatever the type of the device, and
 * rounded once; loops over output cells run in parallel, which changes no bit.
 */
#ifndef H3D_BACKEND_REF_H
#define H3D_BACKEND_REF_H

#include "backend/backend.h"

extern const h3d_backend h3d_backend_ref;

/* The function of a template for the device's type. */
#define H3D_REF_PICK(dev, f) ((dev)->type == H3D_F64 ? f##_f64 : f##_f32)

/* ref.c: host memory and boxes. */
h3d_status h3d_ref_alloc(h3d_device *dev, size_t bytes, void **mem);
void h3d_ref_release(h3d_device *dev, void *mem);
void h3d_ref_put(h3d_device *dev, void *mem, const void *host, size_t bytes);
void h3d_ref_get(h3d_device *dev, void *host, const void *mem, size_t bytes);
void h3d_ref_zero(h3d_device *dev, void *mem, size_t bytes);
void h3d_ref_sync(h3d_device *dev);
void h3d_ref_copy_box(h3d_device *dev, const int64_t len[4], size_t cell,
                      const void *src, const h3d_cells *from, void *dst,
                      const h3d_cells *to);
void h3d_ref_add_box(h3d_device *dev, const int64_t len[4], int64_t c,
                     const void *src, const h3d_cells *from, void *dst,
                     const h3d_cells *to);

/* ref_conv.c: the plan holds a copy of the weights in double, transposed. */
h3d_status h3d_ref_conv_plan(h3d_device *dev, const h3d_conv_shape *s,
                             h3d_conv **plan);
void h3d_ref_conv_release(h3d_device *dev, h3d_conv *plan);
const char *h3d_ref_conv_about(const h3d_conv *plan, size_t *bytes);
void h3d_ref_conv_forward(h3d_device *dev, h3d_conv *plan, int64_t n,
                          const void *x, const void *w, const void *b,
                          void *y);
void h3d_ref_conv_backward_data(h3d_device *dev, h3d_conv *plan, int64_t n,
                                const void *dy, const void *w, void *dx);
void h3d_ref_conv_backward_weights(h3d_device *dev, h3d_conv *plan, int64_t n,
                                   const void *x, const void *dy, void *dw,
                                   void *db);

/* ref_pool.c */
void h3d_ref_pool_forward(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                          const void *x, void *y, int32_t *tap);
void h3d_ref_pool_backward(h3d_device *dev, const h3d_pool_shape *s, int64_t n,
                           const void *dy, const int32_t *tap, void *dx);

/* ref_point.c: activations, norm, dropout. */
void h3d_ref_act_forward(h3d_device *dev, const h3d_act_shape *s, int64_t size,
                         const void *x, void *y);
void h3d_ref_act_backward(h3d_device *dev, const h3d_act_shape *s,
                          int64_t size, const void *y, const void *dy,
                          void *dx);
void h3d_ref_norm_moments(h3d_device *dev, int64_t m, int64_t c, const void *x,
                          double *mean, double *m2);
void h3d_ref_norm_apply(h3d_device *dev, int64_t m, int64_t c, const double *a,
                        const double *b, const void *x, void *y);
void h3d_ref_norm_sums(h3d_device *dev, int64_t m, int64_t c,
                       const double *mean, const double *inv, const void *x,
                       const void *dy, double *sum_dy, double *sum_dyx);
void h3d_ref_norm_backward(h3d_device *dev, int64_t m, int64_t c,
                           const double *a, const double *b, const double *k,
                           const void *x, const void *dy, void *dx);
void h3d_ref_dropout(h3d_device *dev, const h3d_place *p, const h3d_rng *rng,
                     double drop, const void *x, void *y);

/* ref_vec.c: dense layers, vectors, optimizers. */
void h3d_ref_dense_forward(h3d_device *dev, int64_t n, int64_t in, int64_t out,
                           const void *x, const void *w, void *y);
void h3d_ref_dense_backward_data(h3d_device *dev, int64_t n, int64_t in,
                                 int64_t out, const void *dy, const void *w,
                                 void *dx);
void h3d_ref_dense_backward_weights(h3d_device *dev, int64_t n, int64_t in,
                                    int64_t out, const void *x, const void *dy,
                                    void *dw);
void h3d_ref_bias_add(h3d_device *dev, int64_t m, int64_t c, const void *b,
                      void *y);
void h3d_ref_bias_gradient(h3d_device *dev, int64_t m, int64_t c,
                           const void *dy, void *db);
void h3d_ref_scale(h3d_device *dev, int64_t size, double a, void *x);
void h3d_ref_add(h3d_device *dev, int64_t size, const void *x, void *y);
double h3d_ref_sum_squares(h3d_device *dev, int64_t size, const void *x);
int h3d_ref_is_finite(h3d_device *dev, int64_t size, const void *x);
void h3d_ref_sgd(h3d_device *dev, const h3d_sgd_shape *s, int64_t size,
                 const void *g, void *m, void *w);
void h3d_ref_adam(h3d_device *dev, const h3d_adam_shape *s, int64_t size,
                  const void *g, void *m, void *v, void *w);

#endif /* H3D_BACKEND_REF_H */
