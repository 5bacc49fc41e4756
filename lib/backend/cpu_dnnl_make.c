/* cpu_dnnl_make.c: convolutions of oneDNN, made by either of its interfaces.
 * No other file knows its version. */
#include "config.h"

#include "backend/cpu_dnnl_impl.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

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
