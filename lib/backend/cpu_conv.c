/* cpu_conv.c: convolutions by oneDNN, by own loops where those are faster, in
 * plain loops where oneDNN has none. */
#include "config.h"

#include "backend/cpu.h"
#include "backend/ref.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { PASSES = 3 };

typedef struct cpu_conv {
  h3d_conv_shape s;
  h3d_dnnl_conv *all[PASSES]; /* the planned number of samples at once */
  h3d_dnnl_conv *one[PASSES]; /* one sample, for every other number */
  h3d_conv *ref;              /* NULL if no pass needs it */
  h3d_cpu_wgrad wgrad;
  int own_wgrad; /* 1: that, in oneDNN's place */
  size_t bytes;
  char about[224];
} cpu_conv;

static void
say(cpu_conv *p, int pass, const char *what, const char *why)
{
  size_t used = strlen(p->about);

  snprintf(p->about + used, sizeof p->about - used, "%s%c %s%s%s%s",
           used ? ", " : "", "fdw"[pass], what, why ? " (" : "",
           why ? why : "", why ? ")" : "");
}

static void
need(cpu_conv *p, size_t bytes)
{
  p->bytes = bytes > p->bytes ? bytes : p->bytes;
}

static h3d_status
plan_pass(h3d_device *dev, cpu_conv *p, h3d_dnnl_pass pass)
{
  h3d_cpu *cpu = dev->state;
  h3d_dnnl_conv_shape s = { .pass = pass,
                            .n = p->s.n,
                            .cin = p->s.cin,
                            .cout = p->s.cout,
                            .bias = p->s.bias,
                            .l = pass == H3D_DNNL_DATA ? p->s.bwd : p->s.fwd };
  const char *why, *why_one = NULL;
  h3d_status st = h3d_dnnl_conv_new(cpu->dnnl, &s, &p->all[pass], &why);

  if (st == H3D_OK && p->all[pass] && s.n > 1) {
    s.n = 1;
    st = h3d_dnnl_conv_new(cpu->dnnl, &s, &p->one[pass], &why_one);
    if (!p->one[pass]) {
      h3d_dnnl_conv_free(&p->all[pass]);
      why = why_one;
    }
  }
  if (st != H3D_OK) {
    return st;
  }
  if (why) {
    say(p, pass, "h3d-ref", why);
    return p->ref ? H3D_OK : h3d_ref_conv_plan(dev, &p->s, &p->ref);
  }
  say(p, pass, h3d_dnnl_conv_name(p->all[pass]), NULL);
  need(p, h3d_dnnl_conv_bytes(p->all[pass]));
  if (p->one[pass]) {
    need(p, h3d_dnnl_conv_bytes(p->one[pass]));
  }
  return H3D_OK;
}

/* oneDNN has a kernel of its own for processors with AVX-512; elsewhere it
 * gathers windows for a matrix product, which takes several times as long. */
static h3d_status
plan_weights(h3d_device *dev, cpu_conv *p)
{
  h3d_cpu *cpu = dev->state;
  h3d_dnnl_conv_shape s = { .pass = H3D_DNNL_WEIGHTS,
                            .n = p->s.n,
                            .cin = p->s.cin,
                            .cout = p->s.cout,
                            .bias = p->s.bias,
                            .l = p->s.fwd };
  h3d_dnnl_conv *c;
  const char *why;
  h3d_status st = h3d_dnnl_conv_new(cpu->dnnl, &s, &c, &why);
  int is_slow = st == H3D_OK && (!c || strstr(h3d_dnnl_conv_name(c), "gemm"));

  h3d_dnnl_conv_free(&c);
  if (st != H3D_OK || !is_slow || !h3d_cpu_wgrad_init(&p->wgrad, &p->s)) {
    return st == H3D_OK ? plan_pass(dev, p, H3D_DNNL_WEIGHTS) : st;
  }
  p->own_wgrad = 1;
  say(p, H3D_DNNL_WEIGHTS, "h3d-rows", NULL);
  need(p, h3d_cpu_wgrad_bytes(&p->wgrad));
  return H3D_OK;
}

h3d_status
h3d_cpu_conv_plan(h3d_device *dev, const h3d_conv_shape *s, h3d_conv **plan)
{
  cpu_conv *p = h3d_new(1, sizeof *p);
  h3d_status st = H3D_OK;

  *plan = NULL;
  p->s = *s;
  H3D_TRY(plan_pass(dev, p, H3D_DNNL_FORWARD));
  if (s->data_gradient) {
    H3D_TRY(plan_pass(dev, p, H3D_DNNL_DATA));
  }
  H3D_TRY(plan_weights(dev, p));
  H3D_TRY(h3d_cpu_reserve(dev, p->bytes));
  if (p->ref) {
    size_t bytes;

    h3d_ref_conv_about(p->ref, &bytes);
    p->bytes += bytes;
  }
  *plan = (h3d_conv *)p;
done:
  if (st != H3D_OK) {
    h3d_cpu_conv_release(dev, (h3d_conv *)p);
  }
  return st;
}

void
h3d_cpu_conv_release(h3d_device *dev, h3d_conv *plan)
{
  cpu_conv *p = (cpu_conv *)plan;
  int i;

  if (p) {
    for (i = 0; i < PASSES; i++) {
      h3d_dnnl_conv_free(&p->all[i]);
      h3d_dnnl_conv_free(&p->one[i]);
    }
    h3d_ref_conv_release(dev, p->ref);
    h3d_free(p);
  }
}

const char *
h3d_cpu_conv_about(const h3d_conv *plan, size_t *bytes)
{
  *bytes = ((const cpu_conv *)plan)->bytes;
  return ((const cpu_conv *)plan)->about;
}

static void
run(h3d_device *dev, cpu_conv *p, h3d_dnnl_pass pass, int64_t n,
    const void *in, void *w, void *b, void *out)
{
  void *work = ((h3d_cpu *)dev->state)->work;

  if (n == p->s.n) {
    h3d_dnnl_conv_run(p->all[pass], 1, work, in, w, b, out);
  } else {
    h3d_dnnl_conv_run(p->one[pass], n, work, in, w, b, out);
  }
}

void
h3d_cpu_conv_forward(h3d_device *dev, h3d_conv *plan, int64_t n, const void *x,
                     const void *w, const void *b, void *y)
{
  cpu_conv *p = (cpu_conv *)plan;

  if (n == 0) {
    return;
  }
  if (p->all[H3D_DNNL_FORWARD]) {
    run(dev, p, H3D_DNNL_FORWARD, n, x, (void *)w, (void *)b, y);
  } else {
    h3d_ref_conv_forward(dev, p->ref, n, x, w, b, y);
  }
}

void
h3d_cpu_conv_backward_data(h3d_device *dev, h3d_conv *plan, int64_t n,
                           const void *dy, const void *w, void *dx)
{
  cpu_conv *p = (cpu_conv *)plan;

  if (n == 0) {
    return;
  }
  if (p->all[H3D_DNNL_DATA]) {
    run(dev, p, H3D_DNNL_DATA, n, dy, (void *)w, NULL, dx);
  } else {
    h3d_ref_conv_backward_data(dev, p->ref, n, dy, w, dx);
  }
}

void
h3d_cpu_conv_backward_weights(h3d_device *dev, h3d_conv *plan, int64_t n,
                              const void *x, const void *dy, void *dw,
                              void *db)
{
  cpu_conv *p = (cpu_conv *)plan;
  const h3d_local *l = p->s.fwd;

  if (n == 0) {
    memset(dw, 0,
           (size_t)(p->s.cout * p->s.cin)
             * (size_t)(l[0].kernel * l[1].kernel * l[2].kernel)
             * sizeof(float));
    if (db) {
      memset(db, 0, (size_t)p->s.cout * sizeof(float));
    }
  } else if (p->own_wgrad) {
    h3d_cpu_wgrad_run(&p->wgrad, n, x, dy, ((h3d_cpu *)dev->state)->work, dw);
    if (db) {
      h3d_cpu_bias_gradient(dev, n * l[0].out * l[1].out * l[2].out, p->s.cout,
                            dy, db);
    }
  } else if (p->all[H3D_DNNL_WEIGHTS]) {
    run(dev, p, H3D_DNNL_WEIGHTS, n, x, dw, db, (void *)dy);
  } else {
    h3d_ref_conv_backward_weights(dev, p->ref, n, x, dy, dw, db);
  }
}
