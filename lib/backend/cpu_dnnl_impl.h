/* cpu_dnnl_impl.h: what cpu_dnnl.c, which runs convolutions, and
 * cpu_dnnl_make.c, which makes them, share.
 */
#ifndef H3D_BACKEND_CPU_DNNL_IMPL_H
#define H3D_BACKEND_CPU_DNNL_IMPL_H

#include "backend/cpu_dnnl.h"

#include "base/check.h"

#include <dnnl.h>

#define MUST(call)                                                \
  do {                                                            \
    dnnl_status_t rc_ = (call);                                   \
    if (rc_ != dnnl_success) {                                    \
      H3D_BREAK("oneDNN gave status %d for %s", (int)rc_, #call); \
    }                                                             \
  } while (0)

struct h3d_dnnl {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
};

struct h3d_dnnl_conv {
  h3d_dnnl *d;
  h3d_dnnl_pass pass;
  char name[48];
  int64_t in_size, out_size; /* reals of one batch */
  int64_t w_size, bias_size; /* reals in oneDNN's layout */
  int is_plain;              /* oneDNN takes the weights as they are */
  dnnl_primitive_t conv, reorder;
  dnnl_memory_t in, out, w, plain, bias, pad, reorder_pad;
  size_t at_sum, at_pad, at_reorder_pad, bytes; /* in the workspace */
};

#endif /* H3D_BACKEND_CPU_DNNL_IMPL_H */
