#include "config.h"

#include "tap.h"

#include "backend/conv_brute.h"
#include "base/status.h"

#include <stdio.h>

TAP_RANKS("1")

/* One call each; what comes out must be near to brute force. */
static int
is_forward_right(h3d_device *dev, h3d_conv *plan, const h3d_conv_shape *s,
                 int64_t n, double *w, double *b)
{
  int64_t nx = n * ins(s->fwd) * s->cin, ny = n * outs(s->fwd) * s->cout;
  int64_t nw = s->cout * s->cin * taps(s->fwd);
  double *x = random_reals(nx, 1), *junk = random_reals(ny, 2), *got;
  void *mw = to_device(dev, nw, w), *mx = to_device(dev, nx, x);
  void *mb = s->bias ? to_device(dev, s->cout, b) : NULL;
  void *my = to_device(dev, ny, junk);
  result want = new_result(ny);
  int good;

  brute(FORWARD, s, n, s->fwd, x, w, NULL, &want);
  if (s->bias) {
    add_bias(s, b, &want);
  }
  dev->be->conv_forward(dev, plan, n, mx, mw, mb, my);
  got = from_device(dev, ny, my);
  good = is_near(ny, got, want.value, want.size, ULPS * device_epsilon(dev));
  dev->be->release(dev, mw);
  dev->be->release(dev, mx);
  dev->be->release(dev, mb);
  free_result(&want);
  h3d_free(got);
  h3d_free(junk);
  h3d_free(x);
  return good;
}

static int
is_data_right(h3d_device *dev, h3d_conv *plan, const h3d_conv_shape *s,
              int64_t n, double *w)
{
  int64_t nx = n * ins(s->bwd) * s->cin, ny = n * outs(s->bwd) * s->cout;
  double *dy = random_reals(ny, 3), *junk = random_reals(nx, 4), *got;
  void *mw = to_device(dev, s->cout * s->cin * taps(s->fwd), w);
  void *my = to_device(dev, ny, dy), *mx = to_device(dev, nx, junk);
  result want = new_result(nx);
  int good;

  brute(DATA, s, n, s->bwd, NULL, w, dy, &want);
  dev->be->conv_backward_data(dev, plan, n, my, mw, mx);
  got = from_device(dev, nx, mx);
  good = is_near(nx, got, want.value, want.size, ULPS * device_epsilon(dev));
  dev->be->release(dev, mw);
  dev->be->release(dev, my);
  free_result(&want);
  h3d_free(got);
  h3d_free(junk);
  h3d_free(dy);
  return good;
}

static int
is_weights_right(h3d_device *dev, h3d_conv *plan, const h3d_conv_shape *s,
                 int64_t n)
{
  int64_t nx = n * ins(s->fwd) * s->cin, ny = n * outs(s->fwd) * s->cout;
  int64_t nw = s->cout * s->cin * taps(s->fwd);
  double *x = random_reals(nx, 5), *dy = random_reals(ny, 6), *got, *got_b;
  double *junk = random_reals(nw + s->cout, 7);
  void *mx = to_device(dev, nx, x), *my = to_device(dev, ny, dy);
  void *mw = to_device(dev, nw, junk), *mb = to_device(dev, s->cout, junk);
  result want = new_result(nw), want_b = new_result(s->cout);
  int good;

  brute(WEIGHTS, s, n, s->fwd, x, NULL, dy, &want);
  bias_gradient(s, n * outs(s->fwd), dy, &want_b);
  dev->be->conv_backward_weights(dev, plan, n, mx, my, mw,
                                 s->bias ? mb : NULL);
  got = from_device(dev, nw, mw);
  got_b = from_device(dev, s->cout, mb);
  good = is_near(nw, got, want.value, want.size, ULPS * device_epsilon(dev))
         && (!s->bias
             || is_near(s->cout, got_b, want_b.value, want_b.size,
                        ULPS * device_epsilon(dev)));
  dev->be->release(dev, mx);
  dev->be->release(dev, my);
  free_result(&want);
  free_result(&want_b);
  h3d_free(got);
  h3d_free(got_b);
  h3d_free(junk);
  h3d_free(x);
  h3d_free(dy);
  return good;
}

static void
print_shape(const h3d_conv_shape *s, int64_t n, const char *about)
{
  int a;

  fprintf(stderr, "# n %d of %d, channels %d -> %d, %s\n", (int)n, (int)s->n,
          (int)s->cin, (int)s->cout, about);
  for (a = 0; a < 3; a++) {
    const h3d_local *f = &s->fwd[a], *b = &s->bwd[a];

    fprintf(stderr,
            "#   k%d s%d d%d: fwd %d -> %d pad %d, bwd %d -> %d pad "
            "%d\n",
            f->kernel, f->stride, f->dilation, (int)f->in, (int)f->out,
            (int)f->pad, (int)b->in, (int)b->out, (int)b->pad);
  }
}

/* All passes of one plan with 0 .. s->n samples. */
static int
is_right(h3d_device *dev, const h3d_conv_shape *s)
{
  int64_t nw = s->cout * s->cin * taps(s->fwd), n;
  double *w = random_reals(nw, 8), *b = random_reals(s->cout, 9);
  h3d_conv *plan = NULL;
  int good = dev->be->conv_plan(dev, s, &plan) == H3D_OK;
  size_t bytes;

  for (n = s->n; good && n >= 0; n--) {
    good = is_forward_right(dev, plan, s, n, w, b)
           && (!s->data_gradient || is_data_right(dev, plan, s, n, w))
           && is_weights_right(dev, plan, s, n);
    if (!good) {
      print_shape(s, n, dev->be->conv_about(plan, &bytes));
    }
  }
  dev->be->conv_release(dev, plan);
  h3d_free(w);
  h3d_free(b);
  return good;
}

static void
test_random(h3d_device *dev, int cases)
{
  h3d_rng rng = h3d_rng_init(11, H3D_RNG_TEST, 0, 0);
  static const int channels[] = { 1, 2, 3, 4, 5, 8, 16, 17, 32, 33 };
  int bad = 0, i, a;
  char name[32];

  for (i = 0; i < cases; i++) {
    h3d_conv_shape s = { .n = draw(&rng, 0, 3) };

    /* Few channels with wide windows, to keep brute force short. */
    int wide = i % 4 == 0, most = wide ? 2 : 5;

    s.cin = channels[draw(&rng, 0, wide ? 9 : 5)];
    s.cout = channels[draw(&rng, 0, wide ? 9 : 5)];
    s.bias = draw(&rng, 0, 1);
    s.data_gradient = draw(&rng, 0, 3) > 0;
    for (a = 0; a < 3; a++) {
      s.fwd[a] = random_local(&rng, a == 2 ? 7 : most, -2);
      s.bwd[a] = random_local(&rng, 1, -2);
      s.bwd[a].kernel = s.fwd[a].kernel;
      s.bwd[a].stride = s.fwd[a].stride;
      s.bwd[a].dilation = s.fwd[a].dilation;
      s.bwd[a].pad = draw(&rng, -1, (s.fwd[a].kernel - 1) * s.fwd[a].dilation);
    }
    if (i % 17 == 3) {
      s.fwd[i % 3].in = 0; /* a block without voxels reads nothing */
    }
    if (i % 17 == 5) {
      s.fwd[i % 3].out = s.bwd[i % 3].in = 0;
    }
    if (i % 17 == 7) {
      s.bwd[i % 3].out = 0;
    }
    bad += !is_right(dev, &s);
  }
  ok(bad == 0, "%s: %d random geometries agree with brute force",
     device_name(dev, name), cases);
}

/* The shapes of everyday: 3x3x3 with halos, as ranks see them. */
static void
test_blocks(h3d_device *dev)
{
  static const h3d_window windows[] = {
    { 3, 1, 1, 1, 1 }, { 3, 2, 1, 1, 1 }, { 2, 2, 1, 0, 0 }, { 1, 1, 1, 0, 0 },
    { 1, 2, 1, 0, 0 }, { 3, 1, 2, 2, 2 }, { 5, 1, 1, 2, 2 },
  };
  static const int64_t cut[] = { 0, 3, 8, 11 };
  size_t i;
  int r, a, bad = 0, cases = 0;
  char name[32];

  for (i = 0; i < sizeof windows / sizeof windows[0]; i++) {
    const h3d_window *w = &windows[i];
    int64_t n_out = h3d_window_outputs(w, 11);

    for (r = 0; r < 3; r++) {
      h3d_conv_shape s
        = { .n = 2, .cin = 16, .cout = 16, .bias = 1, .data_gradient = 1 };
      h3d_range all = { 0, 11 }, all_out = { 0, n_out };
      h3d_range in = { cut[r], cut[r + 1] };
      h3d_range out
        = { (cut[r] + w->stride - 1) / w->stride,
            r == 2 ? n_out : (cut[r + 1] + w->stride - 1) / w->stride };

      for (a = 0; a < 3; a++) {
        s.fwd[a] = h3d_window_local(w, all, all_out);
        s.bwd[a] = s.fwd[a];
      }
      s.fwd[0] = h3d_window_local(w, h3d_window_reads(w, out), out);
      s.bwd[0] = h3d_window_local(w, in, h3d_window_readers(w, in, n_out));
      bad += !is_right(dev, &s);
      cases++;
    }
  }
  ok(bad == 0, "%s: %d blocks of cut axes agree with brute force",
     device_name(dev, name), cases);
}

/* A step must not ask for memory, and the plan must say what it does. */
static void
test_plan(h3d_device *dev)
{
  h3d_local l = { 3, 1, 1, 6, 6, 1 };
  h3d_conv_shape s = { 2, 4, 4, { l, l, l }, { l, l, l }, 1, 1 };
  double *zeros = h3d_new(2 * 216 * 4, sizeof *zeros);
  void *x = to_device(dev, 2 * 216 * 4, zeros);
  void *y = to_device(dev, 2 * 216 * 4, zeros);
  void *w = to_device(dev, 27 * 16, zeros), *b = to_device(dev, 4, zeros);
  size_t calls, bytes = 0;
  h3d_conv *plan;
  const char *about;
  char name[32];
  int64_t n;

  if (!ok(dev->be->conv_plan(dev, &s, &plan) == H3D_OK, "%s: a plan is made",
          device_name(dev, name))) {
    return;
  }
  about = dev->be->conv_about(plan, &bytes);
  ok(strlen(about) > 0 && bytes > 0, "%s: it says \"%s\"",
     device_name(dev, name), about);
  calls = h3d_mem_calls();
  for (n = 0; n <= 2; n++) {
    dev->be->conv_forward(dev, plan, n, x, w, b, y);
    dev->be->conv_backward_data(dev, plan, n, y, w, x);
    dev->be->conv_backward_weights(dev, plan, n, x, y, w, b);
  }
  ok(h3d_mem_calls() == calls, "%s: a step allocates nothing",
     device_name(dev, name));
  dev->be->conv_release(dev, plan);
  dev->be->release(dev, x);
  dev->be->release(dev, y);
  dev->be->release(dev, w);
  dev->be->release(dev, b);
  h3d_free(zeros);
}

void
tap_main(void)
{
  h3d_device dev[DEVICES_MAX];
  int n = open_devices(dev), i;

  for (i = 0; i < n; i++) {
    test_random(&dev[i], 80);
    test_blocks(&dev[i]);
    test_plan(&dev[i]);
  }
  close_devices(dev, n);
}
