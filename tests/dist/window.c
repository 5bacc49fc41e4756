/* Sliding windows, against all pairs of output and tap. */
#include "config.h"

#include "dist/window.h"

#include "tap.h"

#include <inttypes.h>

TAP_RANKS("1")

enum { EXTENT = 12, FAR = 64 };

static int wrong_outputs, wrong_reads, wrong_readers, wrong_wrapped;
static int wrong_local;
static int64_t cases;

static int64_t
read_by(const h3d_window *w, int64_t j, int t)
{
  return (int64_t)w->stride * j - w->before + (int64_t)t * w->dilation;
}

/* Outputs whose first and last tap lie in the padded domain. */
static int64_t
count_outputs(const h3d_window *w, int64_t n)
{
  int64_t j = 0;

  while (read_by(w, j, w->kernel - 1) < n + w->after) {
    j++;
  }
  return j;
}

static int
is(h3d_range a, int64_t begin, int64_t end)
{
  return begin < end ? a.begin == begin && a.end == end : a.begin >= a.end;
}

static void
try_reads(const h3d_window *w, int64_t begin, int64_t end)
{
  int64_t first = FAR, last = -FAR;

  for (int64_t j = begin; j < end; j++) {
    for (int t = 0; t < w->kernel; t++) {
      int64_t i = read_by(w, j, t);

      first = i < first ? i : first;
      last = i > last ? i : last;
    }
  }
  wrong_reads
    += !is(h3d_window_reads(w, (h3d_range){ begin, end }), first, last + 1);
}

/* Of the outputs whose reach from first to last tap touches an input: with
 * dilation an output in between may skip all of them, and does no harm. */
static void
try_readers(const h3d_window *w, int64_t begin, int64_t end, int64_t outs)
{
  int64_t first = FAR, last = -FAR;
  h3d_range wrapped = h3d_window_readers_wrapped(w, (h3d_range){ begin, end });
  h3d_range inside = h3d_window_readers(w, (h3d_range){ begin, end }, outs);

  for (int64_t j = -FAR; j < FAR && begin < end; j++) {
    if (read_by(w, j, 0) < end && read_by(w, j, w->kernel - 1) >= begin) {
      first = j < first ? j : first;
      last = j > last ? j : last;
    }
  }
  wrong_wrapped += !is(wrapped, first, last + 1);
  first = first < 0 ? 0 : first;
  last = last >= outs ? outs - 1 : last;
  wrong_readers += !is(inside, first, last + 1);
}

/* A rank's window reads the same voxels as the whole one. */
static void
try_local(const h3d_window *w, h3d_range in, h3d_range out)
{
  h3d_local l = h3d_window_local(w, in, out);

  wrong_local += l.in != in.end - in.begin || l.out != out.end - out.begin;
  for (int64_t j = 0; j < l.out; j++) {
    for (int t = 0; t < w->kernel; t++) {
      int64_t cell = l.stride * j - l.pad + (int64_t)t * l.dilation;

      wrong_local += in.begin + cell != read_by(w, out.begin + j, t);
    }
  }
}

static void
try_window(const h3d_window *w, int64_t n)
{
  int64_t outs = count_outputs(w, n), said = h3d_window_outputs(w, n);

  cases++;
  wrong_outputs += outs > 0 ? said != outs : said > 0;
  for (int64_t a = 0; a <= n; a += 1 + a / 3) {
    for (int64_t b = a; b <= n; b += 1 + b / 3) {
      if (b <= outs) {
        try_reads(w, a, b);
        try_local(w, (h3d_range){ n - b, n }, (h3d_range){ a, b });
      }
      try_readers(w, a, b, outs > 0 ? outs : 0);
    }
  }
}

static void
test_all(void)
{
  h3d_window w;

  for (w.kernel = 1; w.kernel <= 7; w.kernel++) {
    for (w.stride = 1; w.stride <= 4; w.stride++) {
      for (w.dilation = 1; w.dilation <= 3; w.dilation++) {
        for (w.before = 0; w.before <= 3; w.before++) {
          for (w.after = 0; w.after <= 3; w.after++) {
            for (int64_t n = 1; n <= EXTENT; n++) {
              try_window(&w, n);
            }
          }
        }
      }
    }
  }
  ok(wrong_outputs == 0, "outputs of %" PRId64 " windows, %d wrong", cases,
     wrong_outputs);
  ok(wrong_reads == 0, "inputs that outputs read, %d wrong", wrong_reads);
  ok(wrong_readers == 0, "outputs that read inputs, %d wrong", wrong_readers);
  ok(wrong_wrapped == 0, "the same without ends, %d wrong", wrong_wrapped);
  ok(wrong_local == 0, "a rank's own window, %d wrong", wrong_local);
}

/* What part [a,b) of the input lacks: {low, high} forward and backward. */
static void
try_pool(int64_t cut, int64_t n, int low, int high, int back_low,
         int back_high)
{
  h3d_window w = { .kernel = 3, .stride = 2, .dilation = 1, 1, 1 };
  int64_t outs = h3d_window_outputs(&w, n), mid = (cut + 1) / 2;
  h3d_range left = h3d_window_reads(&w, (h3d_range){ 0, mid });
  h3d_range right = h3d_window_reads(&w, (h3d_range){ mid, outs });
  h3d_range dleft = h3d_window_readers(&w, (h3d_range){ 0, cut }, outs);
  h3d_range dright = h3d_window_readers(&w, (h3d_range){ cut, n }, outs);

  ok(cut - right.begin == low && left.end - cut == high,
     "cut %" PRId64 " of %" PRId64 ": forward halo %d low, %d high", cut, n,
     low, high);
  ok(mid - dright.begin == back_low && dleft.end - mid == back_high,
     "cut %" PRId64 " of %" PRId64 ": backward halo %d low, %d high", cut, n,
     back_low, back_high);
}

static void
test_known(void)
{
  h3d_window w = h3d_window_point();

  ok(h3d_window_is_point(&w) && h3d_window_outputs(&w, 9) == 9,
     "a point reads itself");
  w.dilation = 5;
  ok(h3d_window_is_point(&w), "and has nothing to dilate");
  w.stride = 2;
  ok(!h3d_window_is_point(&w), "a stride is no point");
  w = (h3d_window){ .kernel = 2, .stride = 2, .dilation = 1 };
  ok(h3d_window_outputs(&w, 181) == 90, "181 in twos are 90");
  w = (h3d_window){ .kernel = 3, .stride = 2, .dilation = 1, 1, 1 };
  ok(h3d_window_outputs(&w, 181) == 91, "181 in padded threes are 91");
  try_pool(8, 16, 1, 0, 0, 1);
  try_pool(7, 16, 0, 1, 1, 0);
}

void
tap_main(void)
{
  test_all();
  test_known();
}
