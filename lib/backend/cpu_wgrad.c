/* cpu_wgrad.c: the weight gradient of a convolution, channels last.
 *
 * oneDNN computes it by gathering all windows into a matrix where the
 * processor has no AVX-512: several times slower than the rest.  Here a tile
 * of 6 input times 16 output channels of one tap stays in registers while a
 * block of rows goes by; blocks are small enough for L2, where all taps of a
 * task read them.
 *
 * A task is a part of the blocks and a group of the weights.  The number of
 * parts follows from the shape alone and parts are added in order, in double:
 * the result does not depend on the number of threads.
 */
#include "config.h"

#include "backend/cpu.h"

#include <string.h>

enum {
  TILE = 6,            /* input channels */
  LANES = 8,           /* floats of a vector; a tile is two wide */
  BLOCK_BYTES = 65536, /* output gradients of a block of rows */
  GROUP_BYTES = 131072 /* sums of a task */
};

typedef float vec __attribute__((vector_size(32), aligned(4), may_alias));

/* Rows of a block for one tap: cells are x_step and dy_step floats apart. */
typedef struct rows {
  int64_t rows, cells;
  const float *x, *dy;
  int64_t x_row, x_step, dy_row, dy_step;
} rows;

/* sum[ni][width] += x^T dy, width in vectors (1 or 2), ni <= TILE. */
#define TILE_KERNEL(name, ni, width)                                         \
  H3D_CPU_KERNEL static void name(const rows *b, float *sum, int64_t stride) \
  {                                                                          \
    vec acc[ni][width];                                                      \
    int64_t r, i;                                                            \
    int k, v;                                                                \
    memset(acc, 0, sizeof acc);                                              \
    for (r = 0; r < b->rows; r++) {                                          \
      const float *x = b->x + r * b->x_row, *dy = b->dy + r * b->dy_row;     \
      for (i = 0; i < b->cells; i++, x += b->x_step, dy += b->dy_step) {     \
        vec g[width];                                                        \
        for (v = 0; v < width; v++) {                                        \
          g[v] = *(const vec *)(dy + v * LANES);                             \
        }                                                                    \
        for (k = 0; k < ni; k++) {                                           \
          for (v = 0; v < width; v++) {                                      \
            acc[k][v] += x[k] * g[v];                                        \
          }                                                                  \
        }                                                                    \
      }                                                                      \
    }                                                                        \
    for (k = 0; k < ni; k++) {                                               \
      for (v = 0; v < width; v++) {                                          \
        *(vec *)(sum + k * stride + v * LANES) += acc[k][v];                 \
      }                                                                      \
    }                                                                        \
  }

TILE_KERNEL(tile_1x2, 1, 2)
TILE_KERNEL(tile_2x2, 2, 2)
TILE_KERNEL(tile_3x2, 3, 2)
TILE_KERNEL(tile_4x2, 4, 2)
TILE_KERNEL(tile_5x2, 5, 2)
TILE_KERNEL(tile_6x2, 6, 2)
TILE_KERNEL(tile_1x1, 1, 1)
TILE_KERNEL(tile_2x1, 2, 1)
TILE_KERNEL(tile_3x1, 3, 1)
TILE_KERNEL(tile_4x1, 4, 1)
TILE_KERNEL(tile_5x1, 5, 1)
TILE_KERNEL(tile_6x1, 6, 1)

static void
tile(const rows *b, int ni, int wide, float *sum, int64_t stride)
{
  static void (*const kernel[2][TILE])(const rows *, float *, int64_t) = {
    { tile_1x1, tile_2x1, tile_3x1, tile_4x1, tile_5x1, tile_6x1 },
    { tile_1x2, tile_2x2, tile_3x2, tile_4x2, tile_5x2, tile_6x2 },
  };

  kernel[wide][ni - 1](b, sum, stride);
}

/* sum[ni][cout] += x^T dy, tile by tile. */
static void
strip(rows b, int64_t ni, int64_t cout, float *sum)
{
  const float *x = b.x, *dy = b.dy;
  int64_t i, o;

  if (b.rows <= 0 || b.cells <= 0) {
    return;
  }
  for (o = 0; o < cout; o += 2 * LANES) {
    for (i = 0; i < ni; i += TILE) {
      b.x = x + i;
      b.dy = dy + o;
      tile(&b, (int)(ni - i < TILE ? ni - i : TILE), cout - o > LANES,
           sum + i * cout + o, cout);
    }
  }
}

static int64_t
min(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t
max(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* The outputs [lo, hi) that read an input through tap t. */
static h3d_range
readers(const h3d_local *l, int t)
{
  int64_t shift = l->pad - (int64_t)t * l->dilation, last = l->in - 1 + shift;
  h3d_range r;

  r.begin = shift > 0 ? (shift + l->stride - 1) / l->stride : 0;
  r.end = last < 0 ? 0 : min(l->out, last / l->stride + 1);
  return r;
}

int
h3d_cpu_wgrad_init(h3d_cpu_wgrad *g, const h3d_conv_shape *s)
{
  const h3d_local *l = s->fwd;
  int64_t row = s->cout * (int64_t)sizeof(float), one, size;

  memset(g, 0, sizeof *g);
  if (s->cout % LANES != 0) {
    return 0;
  }
  g->cin = s->cin;
  g->cout = s->cout;
  memcpy(g->l, l, sizeof g->l);
  g->pairs = (int64_t)l[0].kernel * l[1].kernel;
  g->high = max(1, BLOCK_BYTES / max(1, l[2].out * row));
  g->blocks = (l[1].out + g->high - 1) / g->high;
  /* Groups: some pairs of taps along D and H, or some channels of one. */
  one = l[2].kernel * s->cin * row;
  g->group_pairs = min(g->pairs, max(1, GROUP_BYTES / one));
  g->group_cin = s->cin;
  if (one > GROUP_BYTES) {
    g->group_cin = max(1, GROUP_BYTES / (l[2].kernel * row) / TILE) * TILE;
  }
  g->groups = (g->pairs + g->group_pairs - 1) / g->group_pairs
              * ((s->cin + g->group_cin - 1) / g->group_cin);
  size = g->pairs * l[2].kernel * s->cin * s->cout;
  g->parts = (int)max(1, min(16, (1 << 20) / size));
  return 1;
}

size_t
h3d_cpu_wgrad_bytes(const h3d_cpu_wgrad *g)
{
  return (size_t)(g->parts * g->pairs * g->l[2].kernel * g->cin * g->cout)
         * sizeof(float);
}

/* All taps along W of one pair, for channels c0..c1: b stands at cell 0 of
 * its rows of x and dy. */
static void
add_pair(const h3d_cpu_wgrad *g, rows b, int64_t c0, int64_t c1, float *sum)
{
  const h3d_local *w = &g->l[2];
  const float *x = b.x, *dy = b.dy;
  h3d_range inner = { 0, 0 };
  int t;

  if (w->dilation == 1 && g->cin < TILE) {
    /* Where no tap leaves the row, the taps are more channels, side by side.
     */
    inner.begin = readers(w, 0).begin;
    inner.end = max(inner.begin, readers(w, w->kernel - 1).end);
    b.cells = inner.end - inner.begin;
    b.x = x + (w->stride * inner.begin - w->pad) * g->cin;
    b.dy = dy + inner.begin * g->cout;
    strip(b, w->kernel * g->cin, g->cout, sum);
  }
  for (t = 0; t < w->kernel; t++) {
    h3d_range r = readers(w, t), rest[2];
    int k;

    rest[0] = rest[1] = r;
    rest[0].end = inner.begin < inner.end ? min(r.end, inner.begin) : r.end;
    rest[1].begin = inner.begin < inner.end ? max(r.begin, inner.end) : r.end;
    for (k = 0; k < 2; k++) {
      int64_t at = w->stride * rest[k].begin - w->pad + t * w->dilation;

      b.cells = rest[k].end - rest[k].begin;
      b.x = x + at * g->cin + c0;
      b.dy = dy + rest[k].begin * g->cout;
      strip(b, c1 - c0, g->cout, sum + (t * g->cin + c0) * g->cout);
    }
  }
}

/* Rows [h0, h1) of plane od of a sample into the sums of a group. */
static void
add_block(const h3d_cpu_wgrad *g, int64_t group, int64_t od, int64_t h0,
          int64_t h1, const float *x, const float *dy, float *sum)
{
  const h3d_local *l = g->l;
  int64_t per = (g->cin + g->group_cin - 1) / g->group_cin, pair;
  int64_t c0 = group % per * g->group_cin,
          first = group / per * g->group_pairs;
  int64_t x_row = l[2].in * g->cin, dy_row = l[2].out * g->cout;

  for (pair = first; pair < min(first + g->group_pairs, g->pairs); pair++) {
    int a = (int)(pair / l[1].kernel), b = (int)(pair % l[1].kernel);
    h3d_range d = readers(&l[0], a), h = readers(&l[1], b);
    int64_t id = l[0].stride * od - l[0].pad + a * l[0].dilation, ih;
    rows r;

    h.begin = max(h.begin, h0);
    h.end = min(h.end, h1);
    if (od < d.begin || od >= d.end || h.begin >= h.end) {
      continue;
    }
    ih = l[1].stride * h.begin - l[1].pad + b * l[1].dilation;
    r.rows = h.end - h.begin;
    r.cells = 0;
    r.x = x + (id * l[1].in + ih) * x_row;
    r.dy = dy + (od * l[1].out + h.begin) * dy_row;
    r.x_row = l[1].stride * x_row;
    r.x_step = l[2].stride * g->cin;
    r.dy_row = dy_row;
    r.dy_step = g->cout;
    add_pair(g, r, c0, min(c0 + g->group_cin, g->cin),
             sum + pair * l[2].kernel * g->cin * g->cout);
  }
}

/* dw[cout][cin][taps] from the parts' sums [taps][cin][cout]. */
static void
collect(const h3d_cpu_wgrad *g, const float *sums, float *dw)
{
  int64_t taps = g->pairs * g->l[2].kernel, o, size = taps * g->cin * g->cout;

#pragma omp parallel for
  for (o = 0; o < g->cout; o += LANES) {
    int64_t i, t;
    int j, p;

    for (i = 0; i < g->cin; i++) {
      for (t = 0; t < taps; t++) {
        const float *from = sums + (t * g->cin + i) * g->cout + o;
        double sum[LANES] = { 0 };

        for (p = 0; p < g->parts; p++) {
          for (j = 0; j < LANES; j++) {
            sum[j] += from[p * size + j];
          }
        }
        for (j = 0; j < LANES; j++) {
          dw[((o + j) * g->cin + i) * taps + t] = (float)sum[j];
        }
      }
    }
  }
}

void
h3d_cpu_wgrad_run(const h3d_cpu_wgrad *g, int64_t n, const float *x,
                  const float *dy, float *work, float *dw)
{
  const h3d_local *l = g->l;
  int64_t blocks = n * l[0].out * g->blocks, task;
  int64_t in = l[0].in * l[1].in * l[2].in * g->cin;
  int64_t out = l[0].out * l[1].out * l[2].out * g->cout;
  int64_t size = g->pairs * l[2].kernel * g->cin * g->cout;

  memset(work, 0, h3d_cpu_wgrad_bytes(g));
#pragma omp parallel for schedule(dynamic)
  for (task = 0; task < g->parts * g->groups; task++) {
    int64_t part = task / g->groups, b;

    for (b = blocks * part / g->parts; b < blocks * (part + 1) / g->parts;
         b++) {
      int64_t h0 = b % g->blocks * g->high, od = b / g->blocks % l[0].out;
      int64_t s = b / g->blocks / l[0].out;

      add_block(g, task % g->groups, od, h0, min(h0 + g->high, l[1].out),
                x + s * in, dy + s * out, work + part * size);
    }
  }
  collect(g, work, dw);
}
