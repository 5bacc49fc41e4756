/* Halos: the buffers hold what sliding windows read, voxel by voxel. */
#include "config.h"

#include "tensor/halo.h"

#include "tap.h"
#include "trial.h"

TAP_RANKS("1 2 3 4 8")

static int wrong_input, wrong_gradient, wrong_map;

/* Where a voxel of the wrapped axis lies, or -1 outside the domain. */
static int64_t
inside(const trial *t, int64_t i, int64_t n)
{
  if (t->periodic) {
    return (i % n + n) % n;
  }
  return i >= 0 && i < n ? i : -1;
}

/* Along one axis: which global input each cell of the buffer must hold, -1
 * where nobody reads; from all pairs of own output and tap. */
static int
map_input(const trial *t, int a, int64_t cell[SIZE])
{
  const h3d_window *w = &t->window[a];
  const h3d_local *l = &h3d_halo_forward_local(t->many.halo)[a];
  int64_t first = t->many.y.start[H3D_AXIS_D + a];
  int bad = l->in < 0 || l->in > SIZE;

  for (int64_t i = 0; i < SIZE; i++) {
    cell[i] = -1;
  }
  for (int64_t j = 0; !bad && j < t->many.y.len[H3D_AXIS_D + a]; j++) {
    for (int k = 0; k < w->kernel; k++) {
      int64_t at = l->stride * j - l->pad + (int64_t)k * l->dilation;
      int64_t want = inside(
        t, w->stride * (first + j) - w->before + (int64_t)k * w->dilation,
        t->n[a]);

      if (at < 0 || at >= l->in) {
        bad += want >= 0; /* padding in the middle of the domain */
      } else {
        bad += want < 0 || (cell[at] >= 0 && cell[at] != want);
        cell[at] = want;
      }
    }
  }
  return bad;
}

/* Likewise which output gradient: every pair of any output and tap that reads
 * an own input must be found in the buffer. */
static int
map_gradient(const trial *t, int a, int64_t cell[SIZE])
{
  const h3d_window *w = &t->window[a];
  const h3d_local *l = &h3d_halo_backward_local(t->many.halo)[a];
  int64_t x0 = t->many.x.start[H3D_AXIS_D + a], out = t->out[a];
  int64_t far = t->periodic ? SIZE : 0, shift = x0 - l->pad + w->before;
  int bad = l->out < 0 || l->out > SIZE || l->in != t->many.x.len[2 + a];

  for (int64_t i = 0; i < SIZE; i++) {
    cell[i] = -1;
  }
  if (l->in == 0) {
    return bad;
  }
  bad += shift % w->stride != 0 && l->out > 0;
  for (int64_t j = -far; !bad && j < out + far; j++) {
    for (int k = 0; k < w->kernel; k++) {
      int64_t i = w->stride * j - w->before + (int64_t)k * w->dilation;
      int64_t at = j - shift / w->stride;

      if (i >= x0 && i < x0 + l->in) {
        if (at < 0 || at >= l->out) {
          bad++;
        } else {
          cell[at] = inside(t, j, out);
        }
      }
    }
  }
  return bad;
}

/* Does a buffer [n][d][h][w][c] hold what the maps say?  ints or doubles. */
static int
check_buffer(const trial *t, uint64_t seed, int64_t c, const int64_t n[3],
             const int64_t len[3], int64_t (*cell)[SIZE], const double *x,
             const int32_t *tap)
{
  h3d_box b = { .len = { t->now, c, len[0], len[1], len[2] } };
  int bad = 0;

  for (int64_t i = 0; i < h3d_box_size(&b); i++) {
    int64_t v[H3D_AXES];

    some_voxel(&b, i, v);
    for (int a = 0; a < 3; a++) {
      v[H3D_AXIS_D + a] = cell[a][v[H3D_AXIS_D + a]];
    }
    if (v[H3D_AXIS_D] >= 0 && v[H3D_AXIS_H] >= 0 && v[H3D_AXIS_W] >= 0) {
      bad += (tap ? (double)tap[i] : x[i]) != value(t, seed, c, n, v);
    }
  }
  return bad;
}

static void
check_forward(trial *t)
{
  const h3d_local *l = h3d_halo_forward_local(t->many.halo);
  int64_t cell[3][SIZE], len[3];
  const void *x;
  int bad = 0;

  for (int a = 0; a < 3; a++) {
    bad += map_input(t, a, cell[a]);
    len[a] = l[a].in;
  }
  h3d_halo_input_begin(t->many.halo, t->now, t->many.mem_x);
  x = h3d_halo_input_end(t->many.halo);
  if (bad) {
    complain(t, "forward windows");
    wrong_map++;
  } else if (check_buffer(t, 1, t->c, t->n, len, cell, x, NULL)) {
    complain(t, "input buffer");
    wrong_input++;
  }
}

static void
check_backward(trial *t)
{
  const h3d_local *l = h3d_halo_backward_local(t->many.halo);
  int64_t cell[3][SIZE], len[3];
  const int32_t *tap;
  const void *dy;
  int bad = 0;

  for (int a = 0; a < 3; a++) {
    bad += map_gradient(t, a, cell[a]);
    len[a] = l[a].out;
  }
  h3d_halo_gradient_begin(t->many.halo, t->now, t->many.mem_dy, t->many.tap,
                          t->many.work);
  dy = h3d_halo_gradient_end(t->many.halo, &tap);
  if (bad) {
    complain(t, "backward windows");
    wrong_map++;
  } else if (h3d_box_voxels(&t->many.x) > 0
             && (check_buffer(t, 2, t->k, t->out, len, cell, dy, NULL)
                 || check_buffer(t, 3, t->k, t->out, len, cell, NULL, tap))) {
    complain(t, "gradient buffer");
    wrong_gradient++;
  }
}

/* Periodic padding under a stride that leaves a rest. */
static void
test_refusal(void)
{
  int space[3] = { tap_size, 1, 1 };
  h3d_halo_spec s = { .transport = &h3d_transport_mpi,
                      .periodic = 1,
                      .samples = 1,
                      .cx = 1,
                      .cy = 1 };
  h3d_grid *g = NULL;
  h3d_device dev;
  h3d_halo *h = NULL;
  h3d_status st;

  h3d_grid_new(MPI_COMM_WORLD, space, &g);
  h3d_device_open("ref", H3D_F64, &dev);
  s.grid = g;
  s.dev = &dev;
  for (int a = 0; a < H3D_AXES; a++) {
    s.x.cut[a] = h3d_cut_init(9, 1, 1);
    s.y.cut[a] = h3d_cut_init(5, 1, 1);
  }
  for (int a = 0; a < 3; a++) {
    s.window[a] = (h3d_window){ 3, 2, 1, 1, 1 };
  }
  st = h3d_halo_new(&s, &h);
  ok(st == H3D_ERR_SHAPE && h == NULL && strstr(h3d_why(), "axis D")
       && strstr(h3d_why(), "9"),
     "a period that the stride does not divide: %s", h3d_why());
  h3d_halo_free(&h);
  h3d_device_close(&dev);
  h3d_grid_free(&g);
}

void
tap_main(void)
{
  int trials = trials_for(tap_size);

  test_refusal();
  for (int i = 0; i < trials; i++) {
    trial t;

    begin(&t, i);
    check_forward(&t);
    check_backward(&t);
    end(&t);
  }
  ok(refused == 0, "%d layers are planned", trials);
  ok(wrong_map == 0, "windows of ranks leave out nothing that is read");
  ok(wrong_input == 0, "input buffers hold what windows read");
  ok(wrong_gradient == 0, "gradient buffers and taps what reads my inputs");
}
