#include "config.h"

#include "backend/cpu_dnnl.h"

#include "base/check.h"
#include "base/mem.h"

#include <dnnl.h>

#include <stdio.h>
#include <string.h>

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

/* A memory description: a struct up to 2.x, a handle from 3.0 on. */
#if DNNL_VERSION_MAJOR < 3
typedef const dnnl_memory_desc_t *md_ref;
#define REF(md) (&(md))
#else
typedef const_dnnl_memory_desc_t md_ref;
#define REF(md) (md)
#endif

/* What both versions make a convolution from. */
typedef struct geometry {
  dnnl_memory_desc_t src, weights, bias, dst, plain;
  int has_bias;
  dnnl_dims_t stride, dilation, left, right;
} geometry;

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

static dnnl_status_t
describe(dnnl_memory_desc_t *md, int axes, const dnnl_dims_t dims,
         dnnl_format_tag_t tag)
{
#if DNNL_VERSION_MAJOR < 3
  return dnnl_memory_desc_init_by_tag(md, axes, dims, dnnl_f32, tag);
#else
  return dnnl_memory_desc_create_with_tag(md, axes, dims, dnnl_f32, tag);
#endif
}

static void
forget(geometry *g)
{
#if DNNL_VERSION_MAJOR < 3
  (void)g;
#else
  dnnl_memory_desc_destroy(g->src);
  dnnl_memory_desc_destroy(g->weights);
  dnnl_memory_desc_destroy(g->bias);
  dnnl_memory_desc_destroy(g->dst);
  dnnl_memory_desc_destroy(g->plain);
#endif
}

/* A word for what oneDNN cannot take; else padding after the last input and
 * NULL.  oneDNN rounds the number of outputs down, so that inputs that no
 * window reaches need no negative padding while they are fewer than a stride.
 */
static const char *
pad_axis(const h3d_local *l, dnnl_dim_t *right)
{
  int64_t span = (int64_t)(l->kernel - 1) * l->dilation + 1;
  int64_t over = l->stride * (l->out - 1) + span - l->pad - l->in;

  *right = over > 0 ? over : 0;
  return l->in == 0 || l->out == 0 ? "empty"
         : l->pad < 0              ? "negative padding"
         : over <= -l->stride      ? "unread inputs"
                                   : NULL;
}

static const char *
geometry_init(geometry *g, const h3d_dnnl_conv_shape *s)
{
  const h3d_local *l = s->l;
  dnnl_dims_t src = { s->n, s->cin, l[0].in, l[1].in, l[2].in };
  dnnl_dims_t dst = { s->n, s->cout, l[0].out, l[1].out, l[2].out };
  dnnl_dims_t weights
    = { s->cout, s->cin, l[0].kernel, l[1].kernel, l[2].kernel };
  const char *why = NULL;
  int a;

  memset(g, 0, sizeof *g);
  for (a = 0; a < 3 && !why; a++) {
    why = pad_axis(&l[a], &g->right[a]);
    g->left[a] = l[a].pad;
    g->stride[a] = l[a].stride;
    g->dilation[a] = l[a].dilation - 1;
  }
  if (why) {
    return why;
  }
  g->has_bias = s->bias && s->pass != H3D_DNNL_DATA;
  MUST(describe(&g->src, 5, src, dnnl_ndhwc));
  MUST(describe(&g->dst, 5, dst, dnnl_ndhwc));
  MUST(describe(&g->plain, 5, weights, dnnl_oidhw));
  MUST(describe(&g->weights, 5, weights, dnnl_format_tag_any));
  MUST(describe(&g->bias, 1, weights, dnnl_a));
  return NULL;
}

#if DNNL_VERSION_MAJOR < 3
static dnnl_status_t
make_pd(h3d_dnnl *d, const geometry *g, h3d_dnnl_pass pass,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint,
        dnnl_primitive_desc_t *pd)
{
  const dnnl_memory_desc_t *bias = g->has_bias ? &g->bias : NULL;
  dnnl_convolution_desc_t desc;
  dnnl_status_t rc;

  if (pass == H3D_DNNL_FORWARD) {
    rc = dnnl_dilated_convolution_forward_desc_init(
      &desc, dnnl_forward_training, dnnl_convolution_direct, &g->src,
      &g->weights, bias, &g->dst, g->stride, g->dilation, g->left, g->right);
  } else if (pass == H3D_DNNL_DATA) {
    rc = dnnl_dilated_convolution_backward_data_desc_init(
      &desc, dnnl_convolution_direct, &g->src, &g->weights, &g->dst, g->stride,
      g->dilation, g->left, g->right);
  } else {
    rc = dnnl_dilated_convolution_backward_weights_desc_init(
      &desc, dnnl_convolution_direct, &g->src, &g->weights, bias, &g->dst,
      g->stride, g->dilation, g->left, g->right);
  }
  if (rc != dnnl_success) {
    return rc;
  }
  return dnnl_primitive_desc_create(pd, &desc, attr, d->engine, hint);
}
#else
static dnnl_status_t
make_pd(h3d_dnnl *d, const geometry *g, h3d_dnnl_pass pass,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint,
        dnnl_primitive_desc_t *pd)
{
  const_dnnl_memory_desc_t bias = g->has_bias ? g->bias : NULL;

  if (pass == H3D_DNNL_FORWARD) {
    return dnnl_convolution_forward_primitive_desc_create(
      pd, d->engine, dnnl_forward_training, dnnl_convolution_direct, g->src,
      g->weights, bias, g->dst, g->stride, g->dilation, g->left, g->right,
      attr);
  }
  if (pass == H3D_DNNL_DATA) {
    return dnnl_convolution_backward_data_primitive_desc_create(
      pd, d->engine, dnnl_convolution_direct, g->src, g->weights, g->dst,
      g->stride, g->dilation, g->left, g->right, hint, attr);
  }
  return dnnl_convolution_backward_weights_primitive_desc_create(
    pd, d->engine, dnnl_convolution_direct, g->src, g->weights, bias, g->dst,
    g->stride, g->dilation, g->left, g->right, hint, attr);
}
#endif

static dnnl_memory_t
make_memory(h3d_dnnl *d, md_ref md)
{
  dnnl_memory_t m = NULL;

  MUST(dnnl_memory_create(&m, md, d->engine, DNNL_MEMORY_NONE));
  return m;
}

static size_t
round_up(size_t bytes)
{
  return (bytes + 127) / 128 * 128;
}

/* The primitive that changes the weights' layout, where there is one. */
static void
add_reorder(h3d_dnnl_conv *c, const geometry *g, md_ref w,
            const_dnnl_primitive_attr_t attr)
{
  int out = c->pass == H3D_DNNL_WEIGHTS;
  dnnl_primitive_desc_t pd;
  md_ref pad;

  c->is_plain = dnnl_memory_desc_equal(w, REF(g->plain));
  c->plain = make_memory(c->d, REF(g->plain));
  if (c->is_plain) {
    return;
  }
  MUST(dnnl_reorder_primitive_desc_create(
    &pd, out ? w : REF(g->plain), c->d->engine, out ? REF(g->plain) : w,
    c->d->engine, attr));
  MUST(dnnl_primitive_create(&c->reorder, pd));
  pad = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
  c->reorder_pad = make_memory(c->d, pad);
  c->at_reorder_pad = c->bytes;
  c->bytes += round_up(dnnl_memory_desc_get_size(pad));
  dnnl_primitive_desc_destroy(pd);
}

static void
fill(h3d_dnnl_conv *c, const geometry *g, const_dnnl_primitive_desc_t pd,
     const_dnnl_primitive_attr_t attr)
{
  md_ref w = dnnl_primitive_desc_query_md(pd,
                                          c->pass == H3D_DNNL_WEIGHTS
                                            ? dnnl_query_diff_weights_md
                                            : dnnl_query_weights_md,
                                          0);
  md_ref pad = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
  int data = c->pass == H3D_DNNL_DATA;
  size_t bias = g->has_bias ? dnnl_memory_desc_get_size(REF(g->bias)) : 0;

  MUST(dnnl_primitive_create(&c->conv, pd));
  c->in = make_memory(c->d, data ? REF(g->dst) : REF(g->src));
  c->out = make_memory(c->d, data ? REF(g->src) : REF(g->dst));
  c->w = make_memory(c->d, w);
  c->bias = g->has_bias ? make_memory(c->d, REF(g->bias)) : NULL;
  c->pad = make_memory(c->d, pad);
  c->w_size = (int64_t)(dnnl_memory_desc_get_size(w) / sizeof(float));
  c->bias_size = (int64_t)(bias / sizeof(float));
  /* Workspace: weights, the sum over batches, the library's own. */
  c->at_sum = round_up((size_t)c->w_size * sizeof(float));
  c->at_pad = c->at_sum;
  if (c->pass == H3D_DNNL_WEIGHTS) {
    c->at_pad += c->at_sum + round_up(bias);
  }
  c->bytes = c->at_pad + round_up(dnnl_memory_desc_get_size(pad));
  add_reorder(c, g, w, attr);
}

h3d_status
h3d_dnnl_conv_new(h3d_dnnl *d, const h3d_dnnl_conv_shape *s,
                  h3d_dnnl_conv **out, const char **why)
{
  dnnl_primitive_attr_t attr = NULL;
  dnnl_primitive_desc_t pd = NULL, hint = NULL;
  const char *name = NULL;
  dnnl_status_t rc;
  geometry g;

  *out = NULL;
  *why = s->n == 0 ? "empty" : geometry_init(&g, s);
  if (*why) {
    return H3D_OK;
  }
  MUST(dnnl_primitive_attr_create(&attr));
  MUST(
    dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
  rc = make_pd(d, &g, H3D_DNNL_FORWARD, attr, NULL, &hint);
  if (rc == dnnl_success) {
    rc = make_pd(d, &g, s->pass, attr, hint, &pd);
  }
  if (rc == dnnl_success) {
    MUST(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name));
    if (strncmp(name, "ref", 3) != 0) {
      h3d_dnnl_conv *c = h3d_new(1, sizeof *c);
      int64_t ins = s->l[0].in * s->l[1].in * s->l[2].in * s->n * s->cin;
      int64_t outs = s->l[0].out * s->l[1].out * s->l[2].out * s->n * s->cout;

      c->d = d;
      c->pass = s->pass;
      c->in_size = s->pass == H3D_DNNL_DATA ? outs : ins;
      c->out_size = s->pass == H3D_DNNL_DATA ? ins : outs;
      snprintf(c->name, sizeof c->name, "%s", name);
      fill(c, &g, pd, attr);
      *out = c;
    }
  }
  *why = *out ? NULL : "oneDNN has only its reference";
  if (pd) {
    dnnl_primitive_desc_destroy(pd);
  }
  if (hint) {
    dnnl_primitive_desc_destroy(hint);
  }
  dnnl_primitive_attr_destroy(attr);
  forget(&g);
  if (rc == dnnl_out_of_memory) {
    return h3d_fail(H3D_ERR_MEMORY,
                    "oneDNN finds no memory for a convolution "
                    "of %lld to %lld channels: use more ranks "
                    "or a smaller batch",
                    (long long)s->cin, (long long)s->cout);
  }
  return H3D_OK;
}

void
h3d_dnnl_conv_free(h3d_dnnl_conv **cp)
{
  h3d_dnnl_conv *c = *cp;

  if (!c) {
    return;
  }
  dnnl_primitive_destroy(c->conv);
  if (c->reorder) {
    dnnl_primitive_destroy(c->reorder);
    dnnl_memory_destroy(c->reorder_pad);
  }
  dnnl_memory_destroy(c->in);
  dnnl_memory_destroy(c->out);
  dnnl_memory_destroy(c->w);
  dnnl_memory_destroy(c->plain);
  dnnl_memory_destroy(c->pad);
  if (c->bias) {
    dnnl_memory_destroy(c->bias);
  }
  h3d_free(c);
  *cp = NULL;
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
