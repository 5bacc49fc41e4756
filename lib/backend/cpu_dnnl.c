#include "config.h"

#include "backend/cpu_dnnl.h"
#include "backend/cpu_dnnl_impl.h"

#include "base/mem.h"

#include <stdio.h>

h3d_status
h3d_dnnl_open(h3d_dnnl **out)
{
  h3d_dnnl *d = h3d_new(1, sizeof *d);

  *out = NULL;
  if (dnnl_engine_create(&d->engine, dnnl_cpu, 0) != dnnl_success
      || dnnl_stream_create(&d->stream, d->engine, dnnl_stream_default_flags)
           != dnnl_success) {
    h3d_dnnl_close(&d);
    return h3d_fail(H3D_ERR_BACKEND, "oneDNN has no engine for this machine's "
                                     "processor: use --device ref");
  }
  *out = d;
  return H3D_OK;
}

void
h3d_dnnl_close(h3d_dnnl **d)
{
  if (*d) {
    if ((*d)->stream) {
      dnnl_stream_destroy((*d)->stream);
    }
    if ((*d)->engine) {
      dnnl_engine_destroy((*d)->engine);
    }
    h3d_free(*d);
    *d = NULL;
  }
}

static const char *
isa_name(void)
{
  switch (dnnl_get_effective_cpu_isa()) {
  case dnnl_cpu_isa_sse41:
    return "sse41";
  case dnnl_cpu_isa_avx:
    return "avx";
  case dnnl_cpu_isa_avx2:
    return "avx2";
  case dnnl_cpu_isa_avx2_vnni:
    return "avx2_vnni";
  case dnnl_cpu_isa_avx512_core:
    return "avx512_core";
  case dnnl_cpu_isa_avx512_core_vnni:
    return "avx512_core_vnni";
  case dnnl_cpu_isa_avx512_core_bf16:
    return "avx512_core_bf16";
  default:
    return "another instruction set";
  }
}

const char *
h3d_dnnl_about(void)
{
  static char text[80];
  const dnnl_version_t *v = dnnl_version();

  snprintf(text, sizeof text, "oneDNN %d.%d.%d, %s", v->major, v->minor,
           v->patch, isa_name());
  return text;
}

const char *
h3d_dnnl_conv_name(const h3d_dnnl_conv *c)
{
  return c->name;
}

size_t
h3d_dnnl_conv_bytes(const h3d_dnnl_conv *c)
{
  return c->bytes;
}

static void
point(dnnl_memory_t m, const void *at)
{
  MUST(dnnl_memory_set_data_handle(m, (void *)at));
}

/* The weights from h3d's layout into oneDNN's, or the gradients back. */
static void
reorder_weights(h3d_dnnl_conv *c, char *work, float *plain, float *own)
{
  int out = c->pass == H3D_DNNL_WEIGHTS;
  dnnl_exec_arg_t arg[3] = { { DNNL_ARG_FROM, out ? c->w : c->plain },
                             { DNNL_ARG_TO, out ? c->plain : c->w },
                             { DNNL_ARG_SCRATCHPAD, c->reorder_pad } };

  point(c->plain, plain);
  point(c->w, own);
  point(c->reorder_pad, work + c->at_reorder_pad);
  MUST(dnnl_primitive_execute(c->reorder, c->d->stream, 3, arg));
}

static void
execute(h3d_dnnl_conv *c, const float *in, float *w, float *b, float *out)
{
  static const int args[3][4] = {
    { DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS },
    { DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, 0 },
    { DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS,
      DNNL_ARG_DIFF_BIAS },
  };
  const int *a = args[c->pass];
  dnnl_exec_arg_t arg[5] = { { a[0], c->in },
                             { a[1], c->out },
                             { a[2], c->w },
                             { DNNL_ARG_SCRATCHPAD, c->pad },
                             { a[3], c->bias } };

  point(c->in, in);
  point(c->out, out);
  point(c->w, w);
  if (c->bias) {
    point(c->bias, b);
  }
  MUST(dnnl_primitive_execute(c->conv, c->d->stream, c->bias ? 5 : 4, arg));
}

static void
add_to(int64_t size, const float *x, float *sum)
{
  int64_t i;

#pragma omp parallel for simd if (size > 65536)
  for (i = 0; i < size; i++) {
    sum[i] += x[i];
  }
}

void
h3d_dnnl_conv_run(h3d_dnnl_conv *c, int64_t times, void *workv,
                  const float *in, float *w, float *b, float *out)
{
  char *work = workv;
  float *own = c->is_plain ? w : (float *)work;
  float *part = (float *)(work + c->at_sum);
  float *part_b = (float *)(work + 2 * c->at_sum);
  int64_t i;

  point(c->pad, work + c->at_pad);
  if (c->pass != H3D_DNNL_WEIGHTS && !c->is_plain) {
    reorder_weights(c, work, w, own);
  }
  for (i = 0; i < times; i++) {
    int more = c->pass == H3D_DNNL_WEIGHTS && i > 0;

    execute(c, in + i * c->in_size, more ? part : own, more ? part_b : b,
            out + i * c->out_size);
    if (more) {
      add_to(c->w_size, part, own);
      add_to(c->bias_size, part_b, b);
    }
  }
  if (c->pass == H3D_DNNL_WEIGHTS && !c->is_plain) {
    reorder_weights(c, work, w, own);
  }
  MUST(dnnl_stream_wait(c->d->stream));
}

void
h3d_dnnl_gemm(int trans_a, int trans_b, int64_t m, int64_t n, int64_t k,
              const float *a, int64_t lda, const float *b, int64_t ldb,
              float *c, int64_t ldc)
{
  MUST(dnnl_sgemm(trans_a ? 'T' : 'N', trans_b ? 'T' : 'N', m, n, k, 1, a, lda,
                  b, ldb, 0, c, ldc));
}
