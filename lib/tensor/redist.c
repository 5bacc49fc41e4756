#include "config.h"

#include "tensor/redist.h"

#include "base/check.h"
#include "base/mem.h"
#include "tensor/redist_impl.h"

#include <string.h>

/* The ranks that I may trade with: those that share my coordinate on every
 * axis along which the source is copied, and my group where N stays. */
static int
is_partner(const h3d_redist_spec *s, const int at[H3D_AXES])
{
  for (int a = 0; a < H3D_AXES; a++) {
    int stays
      = s->own->cut[a].parts == 1 || (a == H3D_AXIS_N && s->samples > 0);

    if (stays && at[a] != s->grid->at[a]) {
      return 0;
    }
  }
  return 1;
}

/* Where N stays, one sample stands for all of them. */
static h3d_box
one_sample(const h3d_redist_spec *s, h3d_box b)
{
  if (s->samples > 0) {
    b.start[H3D_AXIS_N] = 0;
    b.len[H3D_AXIS_N] = 1;
  }
  return b;
}

h3d_box
h3d_redist_own_box(const h3d_redist_spec *s, const int at[H3D_AXES])
{
  return one_sample(s, h3d_dist_box(s->own, at));
}

h3d_box
h3d_redist_want_box(const h3d_redist_spec *s, const int at[H3D_AXES])
{
  return one_sample(s, s->want(s->ctx, at));
}

static void
add_piece(h3d_redist_pieces *p, int peer, const h3d_box *meet,
          const h3d_box *own, const h3d_box *want)
{
  /* N D H W: everything but C, which is never cut. */
  static const int axis[4]
    = { H3D_AXIS_N, H3D_AXIS_D, H3D_AXIS_H, H3D_AXIS_W };
  h3d_redist_piece *q;

  p->piece = h3d_grow(p->piece, (size_t)p->n + 1, sizeof *p->piece);
  q = &p->piece[p->n++];
  q->peer = peer;
  q->voxels = 1;
  for (int i = 0; i < 4; i++) {
    int a = axis[i];

    q->len[i] = meet->len[a];
    q->src_at[i] = meet->start[a] - own->start[a];
    q->dst_at[i] = meet->start[a] - want->start[a];
    q->voxels *= meet->len[a];
  }
}

/* All images of own (shifted by whole periods on wrapped axes) that meet
 * want, in one fixed order. */
static void
add_pair(const h3d_redist_spec *s, h3d_redist_pieces *p, int peer,
         const h3d_box *own, const h3d_box *want)
{
  int64_t first[H3D_AXES], last[H3D_AXES], k[H3D_AXES];
  int a;

  for (a = 0; a < H3D_AXES; a++) {
    int64_t n = s->own->cut[a].n;
    int wraps = s->wrap[a] && n > 0 && want->len[a] > 0;

    first[a] = last[a] = 0;
    if (wraps) {
      first[a] = want->start[a] < 0 ? -((-want->start[a] + n - 1) / n) : 0;
      last[a] = (want->start[a] + want->len[a] - 1) / n;
      last[a] = last[a] < first[a] ? first[a] : last[a];
    }
    k[a] = first[a];
  }
  do {
    h3d_box image = *own, meet;

    for (a = 0; a < H3D_AXES; a++) {
      image.start[a] += k[a] * s->own->cut[a].n;
    }
    if (h3d_box_meet(&image, want, &meet)) {
      add_piece(p, peer, &meet, &image, want);
    }
    for (a = H3D_AXES - 1; a >= 0 && ++k[a] > last[a]; a--) {
      k[a] = first[a];
    }
  } while (a >= 0);
}

static int
is_same(const h3d_box *a, const h3d_box *b)
{
  if (h3d_box_is_empty(a) || h3d_box_is_empty(b)) {
    return h3d_box_is_empty(a) && h3d_box_is_empty(b);
  }
  return memcmp(a->start, b->start, sizeof a->start) == 0
         && memcmp(a->len, b->len, sizeof a->len) == 0;
}

static void
find_pieces(const h3d_redist_spec *s, h3d_redist *r)
{
  for (int peer = 0; peer < s->grid->size; peer++) {
    int at[H3D_AXES];
    h3d_box own, want;

    h3d_grid_coords(s->grid, peer, at);
    own = h3d_redist_own_box(s, at);
    want = h3d_redist_want_box(s, at);
    r->nothing = r->nothing && is_same(&own, &want);
    if (is_partner(s, at)) {
      add_pair(s, &r->out, peer, &r->own, &want);
      add_pair(s, &r->in, peer, &own, &r->want);
    }
  }
}

/* What I get covers what I want, once: the two sides come from the same pure
 * functions, so this cannot fail but by a bug. */
static void
check_cover(const h3d_redist *r)
{
  int64_t got = 0, wanted = h3d_box_voxels(&r->want) * r->want.len[H3D_AXIS_N];

  for (int i = 0; i < r->in.n; i++) {
    got += r->in.piece[i].voxels;
  }
  if (got != wanted) {
    H3D_BREAK("bug: a redist brings %lld of %lld voxels", (long long)got,
              (long long)wanted);
  }
}

/* One buffer for all messages of one direction, one message per peer. */
static h3d_status
make_messages(h3d_redist *r, h3d_redist_pieces *p)
{
  int64_t total = 0, most = r->samples > 0 ? r->samples : 1;

  p->message = h3d_new((size_t)p->n + 1, sizeof *p->message);
  p->per_sample = h3d_new((size_t)p->n + 1, sizeof *p->per_sample);
  for (int i = 0; i < p->n; i++) {
    if (p->piece[i].peer == r->grid->rank) {
      continue;
    }
    if (p->messages == 0
        || p->message[p->messages - 1].peer != p->piece[i].peer) {
      p->message[p->messages++].peer = p->piece[i].peer;
    }
    p->per_sample[p->messages - 1] += p->piece[i].voxels * (int64_t)r->cell;
    total += p->piece[i].voxels * (int64_t)r->cell;
  }
  p->bytes = total;
  return r->dev->be->alloc(r->dev, (size_t)(total * most), &p->mem);
}

h3d_status
h3d_redist_new(const h3d_redist_spec *s, h3d_redist **out)
{
  h3d_redist *r = h3d_new(1, sizeof *r);
  h3d_status st;

  r->grid = s->grid;
  r->dev = s->dev;
  r->transport = s->transport;
  r->cell = s->cell;
  r->samples = s->samples;
  r->nothing = 1;
  r->own = h3d_redist_own_box(s, s->grid->at);
  r->want = h3d_redist_want_box(s, s->grid->at);
  find_pieces(s, r);
  check_cover(r);
  st = make_messages(r, &r->out);
  st = st == H3D_OK ? make_messages(r, &r->in) : st;
  st = h3d_grid_agree(s->grid, st);
  if (st == H3D_OK) {
    r->exchange = s->transport->exchange_new(s->grid->world,
                                             r->out.messages + r->in.messages);
  } else {
    h3d_redist_free(&r);
  }
  *out = r;
  return st;
}

static h3d_box
box_of(const void *ctx, const int at[H3D_AXES])
{
  return h3d_dist_box(ctx, at);
}

h3d_status
h3d_redist_between(const h3d_redist_spec *spec, const h3d_dist *to,
                   h3d_redist **out)
{
  h3d_redist_spec s = *spec;

  s.want = box_of;
  s.ctx = to;
  return h3d_redist_new(&s, out);
}

static void
free_pieces(h3d_redist *r, h3d_redist_pieces *p)
{
  h3d_free(p->piece);
  h3d_free(p->message);
  h3d_free(p->per_sample);
  if (p->mem) {
    r->dev->be->release(r->dev, p->mem);
  }
}

void
h3d_redist_free(h3d_redist **pr)
{
  h3d_redist *r = *pr;

  if (r) {
    free_pieces(r, &r->out);
    free_pieces(r, &r->in);
    if (r->exchange) {
      r->transport->exchange_free(&r->exchange);
    }
    h3d_free(r);
    *pr = NULL;
  }
}

int64_t
h3d_redist_bytes(const h3d_redist *r)
{
  return r->in.bytes;
}

int
h3d_redist_is_nothing(const h3d_redist *r)
{
  return r->nothing;
}

size_t
h3d_redist_memory(const h3d_redist *r)
{
  int64_t most = r->samples > 0 ? r->samples : 1;

  return (size_t)((r->in.bytes + r->out.bytes) * most);
}
