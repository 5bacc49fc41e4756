/* Which voxels a halo is made of. */
#include "config.h"

#include "base/mem.h"
#include "tensor/halo_impl.h"

#include <inttypes.h>

static h3d_range
own_range(const h3d_dist *d, int a, const int at[H3D_AXES])
{
  h3d_box b = h3d_dist_box(d, at);

  return (h3d_range){ b.start[a], b.start[a] + b.len[a] };
}

/* The inputs that the outputs of a rank read along axis i of D H W. */
static h3d_range
reads(const h3d_halo *h, int i, const int at[H3D_AXES])
{
  int a = H3D_AXIS_D + i;
  int64_t n = h->spec.x.cut[a].n;
  h3d_range r
    = h3d_window_reads(&h->spec.window[i], own_range(&h->spec.y, a, at));

  if (!h->spec.periodic) {
    r.begin = r.begin < 0 ? 0 : r.begin > n ? n : r.begin;
    r.end = r.end > n ? n : r.end < r.begin ? r.begin : r.end;
  }
  return r;
}

/* The outputs that read the inputs of a rank. */
static h3d_range
readers(const h3d_halo *h, int i, const int at[H3D_AXES])
{
  int a = H3D_AXIS_D + i;
  h3d_range own = own_range(&h->spec.x, a, at);

  return h->spec.periodic
           ? h3d_window_readers_wrapped(&h->spec.window[i], own)
           : h3d_window_readers(&h->spec.window[i], own, h->spec.y.cut[a].n);
}

/* What a rank wants along one axis: its own where nobody needs more. */
static h3d_range
want_input(const h3d_halo *h, int i, const int at[H3D_AXES])
{
  return h->in.busy[i] ? reads(h, i, at)
                       : own_range(&h->spec.x, H3D_AXIS_D + i, at);
}

static h3d_range
want_gradient(const h3d_halo *h, int i, const int at[H3D_AXES])
{
  return h->grad.busy[i] ? readers(h, i, at)
                         : own_range(&h->spec.y, H3D_AXIS_D + i, at);
}

/* Own all along the batch, and along space what want says. */
static h3d_box
box_of(const h3d_halo *h, const h3d_dist *own, const int at[H3D_AXES],
       h3d_range (*want)(const h3d_halo *, int, const int *))
{
  h3d_box b = h3d_dist_box(own, at);

  for (int i = 0; i < 3; i++) {
    h3d_range r = want(h, i, at);

    b.start[H3D_AXIS_D + i] = r.begin;
    b.len[H3D_AXIS_D + i] = r.end - r.begin;
  }
  return b;
}

static h3d_box
input_box(const void *ctx, const int at[H3D_AXES])
{
  const h3d_halo *h = ctx;

  return box_of(h, &h->spec.x, at, want_input);
}

static h3d_box
gradient_box(const void *ctx, const int at[H3D_AXES])
{
  const h3d_halo *h = ctx;

  return box_of(h, &h->spec.y, at, want_gradient);
}

static int
reaches_out(h3d_range want, h3d_range own)
{
  return want.end > want.begin
         && (want.begin < own.begin || want.end > own.end);
}

/* An axis is busy if any part of it needs what it does not own. */
static void
find_busy(h3d_halo *h)
{
  for (int i = 0; i < 3; i++) {
    int a = H3D_AXIS_D + i, at[H3D_AXES] = { 0 };

    for (at[a] = 0; at[a] < h->spec.grid->n[a]; at[a]++) {
      h->in.busy[i]
        |= reaches_out(reads(h, i, at), own_range(&h->spec.x, a, at));
      h->grad.busy[i]
        |= reaches_out(readers(h, i, at), own_range(&h->spec.y, a, at));
    }
  }
}

static void
find_locals(h3d_halo *h)
{
  const int *at = h->spec.grid->at;

  h->in.voxels = h->grad.voxels = 1;
  for (int i = 0; i < 3; i++) {
    const h3d_window *w = &h->spec.window[i];
    h3d_range x = own_range(&h->spec.x, H3D_AXIS_D + i, at);
    h3d_range y = own_range(&h->spec.y, H3D_AXIS_D + i, at);
    h3d_range xb = want_input(h, i, at), yb = want_gradient(h, i, at);

    h->fwd[i] = h3d_window_local(w, xb, y);
    h->bwd[i] = h3d_window_local(w, x, yb);
    h->in.voxels *= xb.end - xb.begin;
    h->grad.voxels *= yb.end - yb.begin;
  }
}

static int
is_busy(const h3d_halo_side *s)
{
  return s->busy[0] || s->busy[1] || s->busy[2];
}

static h3d_status
make_redist(h3d_halo *h, int gradient, size_t cell, h3d_redist **out)
{
  h3d_redist_spec s = {
    .grid = h->spec.grid,
    .dev = h->spec.dev,
    .transport = h->spec.transport,
    .own = gradient ? &h->spec.y : &h->spec.x,
    .want = gradient ? gradient_box : input_box,
    .ctx = h,
    .cell = cell,
    .samples = h->spec.samples,
  };

  for (int a = H3D_AXIS_D; a < H3D_AXES; a++) {
    s.wrap[a] = h->spec.periodic;
  }
  return h3d_redist_new(&s, out);
}

/* On a periodic axis output j + n_out must read what output j reads. */
static h3d_status
check_periods(const h3d_halo_spec *s)
{
  for (int i = 0; s->periodic && i < 3; i++) {
    const h3d_cut *x = &s->x.cut[H3D_AXIS_D + i];
    const h3d_cut *y = &s->y.cut[H3D_AXIS_D + i];

    if (y->n * s->window[i].stride != x->n) {
      return h3d_fail(H3D_ERR_SHAPE,
                      "periodic padding needs outputs times stride to be the "
                      "extent, and axis %c has %" PRId64 " x %d and %" PRId64
                      ": use an extent that the stride divides",
                      h3d_axis_name[H3D_AXIS_D + i], y->n, s->window[i].stride,
                      x->n);
    }
  }
  return H3D_OK;
}

static h3d_status
make_sides(h3d_halo *h)
{
  size_t real = h3d_type_size(h->spec.dev->type);
  h3d_status st = H3D_OK;

  if (is_busy(&h->in)) {
    h->mem_bytes
      = (size_t)(h->in.voxels * h->spec.cx * h->spec.samples) * real;
    st = h->spec.dev->be->alloc(h->spec.dev, h->mem_bytes, &h->mem);
    st = h3d_grid_agree(h->spec.grid, st);
    if (st == H3D_OK) {
      st = make_redist(h, 0, (size_t)h->spec.cx * real, &h->in.redist);
    }
  }
  if (st == H3D_OK && h->spec.backward && is_busy(&h->grad)) {
    st = make_redist(h, 1, (size_t)h->spec.cy * real, &h->grad.redist);
    if (st == H3D_OK && h->spec.tap) {
      st = make_redist(h, 1, (size_t)h->spec.cy * sizeof(int32_t),
                       &h->grad.tap);
    }
  }
  return st;
}

h3d_status
h3d_halo_new(const h3d_halo_spec *spec, h3d_halo **out)
{
  h3d_halo *h = h3d_new(1, sizeof *h);
  h3d_status st;

  h->spec = *spec;
  find_busy(h);
  find_locals(h);
  st = check_periods(spec);
  if (st == H3D_OK) {
    st = make_sides(h);
  }
  if (st != H3D_OK) {
    h3d_halo_free(&h);
  }
  *out = h;
  return st;
}

int
h3d_halo_copies(const h3d_halo *h)
{
  return h->in.redist != NULL;
}

void
h3d_halo_free(h3d_halo **ph)
{
  h3d_halo *h = *ph;

  if (h) {
    h3d_redist_free(&h->in.redist);
    h3d_redist_free(&h->grad.redist);
    h3d_redist_free(&h->grad.tap);
    if (h->mem) {
      h->spec.dev->be->release(h->spec.dev, h->mem);
    }
    h3d_free(h);
    *ph = NULL;
  }
}
