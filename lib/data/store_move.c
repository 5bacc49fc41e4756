#include "config.h"

#include "data/store_impl.h"

#include "base/mem.h"
#include "data/order.h"

#include <string.h>

/* Redist has 11 and 12; blocks may travel beside them. */
enum { TAG_STORE = 21 };

static int
meet(const block *a, const block *b, block *out)
{
  for (int q = 0; q < 3; q++) {
    int64_t end_a = a->start[q] + a->len[q], end_b = b->start[q] + b->len[q];

    out->start[q] = a->start[q] > b->start[q] ? a->start[q] : b->start[q];
    out->len[q] = (end_a < end_b ? end_a : end_b) - out->start[q];
    if (out->len[q] <= 0) {
      return 0;
    }
  }
  return 1;
}

/* The box of a piece, which is the whole or a part of it. */
static h3d_piece
narrow(const h3d_move *m, const h3d_piece *p, const block *box)
{
  h3d_piece out;

  for (int a = 0; a < 3; a++) {
    int q = m->axis[a];
    int64_t low = box->start[q] - p->from[q],
            high = p->len[q] - low - box->len[q];

    out.from[q] = box->start[q];
    out.len[q] = box->len[q];
    out.to[a] = p->to[a] + (m->flip[a] ? high : low);
  }
  return out;
}

static item *
next_item(items *l)
{
  if (l->n == l->room) {
    l->room = 2 * l->room + 8;
    l->item = h3d_grow(l->item, (size_t)l->room, sizeof *l->item);
    l->message = h3d_grow(l->message, (size_t)l->room, sizeof *l->message);
  }
  return &l->item[l->n++];
}

/* Where blocks are copied along an axis, ranks serve their own line. */
static int
may_serve(const h3d_store *s, int holder, int consumer)
{
  int a[H3D_AXES], b[H3D_AXES], may = 1;

  h3d_grid_coords(s->spec.grid, holder, a);
  h3d_grid_coords(s->spec.grid, consumer, b);
  for (int q = 0; q < 3; q++) {
    may = may && (!s->copied[q] || a[H3D_AXIS_D + q] == b[H3D_AXIS_D + q]);
  }
  return may;
}

/* What the consumer gets of the holder's block of one sample.  Both sides
 * call this, in the order of the batch, so their messages match. */
static void
list_pair(h3d_store *s, int64_t place, int holder, int consumer, items *l)
{
  const h3d_move *m = &s->move[place];
  const block *own = &s->block[holder], *want = &s->block[consumer];
  const int me = s->spec.grid->rank;
  h3d_piece piece[H3D_PIECES_MAX];
  int n;

  if (!may_serve(s, holder, consumer)) {
    return;
  }
  n = h3d_move_pieces(m, s->spec.info->extent, want->start, want->len, piece);
  for (int p = 0; p < n; p++) {
    block asked, box;
    item *e;

    memcpy(asked.start, piece[p].from, sizeof asked.start);
    memcpy(asked.len, piece[p].len, sizeof asked.len);
    if (!meet(own, &asked, &box)) {
      continue;
    }
    e = next_item(l);
    e->place = place;
    e->peer = holder == me ? consumer : holder;
    e->box = box;
    e->piece = narrow(m, &piece[p], &box);
    e->whole = holder == me && memcmp(&box, own, sizeof box) == 0;
    e->at = l->bytes;
    l->bytes += e->peer == me || e->whole ? 0 : store_bytes(s, box.len);
  }
}

/* Room for l->bytes; what was there is not needed any more. */
static h3d_status
enlarge(items *l)
{
  h3d_status st = H3D_OK;

  if (l->bytes > l->buffer) {
    h3d_free(l->mem);
    l->mem = NULL;
    l->buffer = 0;
    H3D_TRY(h3d_alloc(l->bytes, 1, &l->mem));
    l->buffer = l->bytes;
  }
done:
  return st;
}

h3d_status
store_list(h3d_store *s)
{
  const int me = s->spec.grid->rank, group = s->spec.grid->at[H3D_AXIS_N];
  int64_t first, n;
  h3d_status st = H3D_OK;

  s->in.n = s->out.n = 0;
  s->in.bytes = s->out.bytes = 0;
  for (int to = 0; to < s->groups; to++) {
    h3d_order_share(s->total, s->groups, to, &first, &n);
    for (int64_t j = first; j < first + n; j++) {
      const int from = s->holder[s->sample[j]];

      for (int r = 0; r < s->space && from >= 0; r++) {
        if (to == group) {
          list_pair(s, j, from * s->space + r, me, &s->in);
        }
        if (from == group && to * s->space + r != me) {
          list_pair(s, j, me, to * s->space + r, &s->out);
        }
      }
    }
  }
  s->piece = h3d_grow(s->piece, (size_t)s->in.room, sizeof *s->piece);
  H3D_TRY(enlarge(&s->in));
  H3D_TRY(enlarge(&s->out));
done:
  return st;
}

/* A box of my block, dense, to out. */
static void
pack(const h3d_store *s, const item *e, char *out)
{
  const block *own = &s->block[s->spec.grid->rank];
  const size_t one = h3d_elem_size(s->spec.info->elem);
  const size_t line = (size_t)e->box.len[2] * one;
  const char *mem = s->kept[s->sample[e->place]];

  for (int c = 0; c < s->spec.info->channels; c++) {
    for (int64_t d = 0; d < e->box.len[0]; d++) {
      for (int64_t h = 0; h < e->box.len[1]; h++) {
        int64_t at = ((c * own->len[0] + e->box.start[0] - own->start[0] + d)
                        * own->len[1]
                      + e->box.start[1] - own->start[1] + h)
                       * own->len[2]
                     + e->box.start[2] - own->start[2];

        memcpy(out, mem + (size_t)at * one, line);
        out += line;
      }
    }
  }
}

void
store_post(h3d_store *s)
{
  const int me = s->spec.grid->rank;

  s->in.messages = s->out.messages = 0;
  for (int i = 0; i < s->in.n; i++) {
    const item *e = &s->in.item[i];
    int64_t bytes = (int64_t)store_bytes(s, e->box.len);

    if (e->peer != me) {
      s->in.message[s->in.messages++]
        = (h3d_message){ e->peer, (char *)s->in.mem + e->at, bytes };
      s->about.moved += bytes;
    }
  }
  for (int i = 0; i < s->out.n; i++) {
    const item *e = &s->out.item[i];
    char *mem
      = e->whole ? s->kept[s->sample[e->place]] : (char *)s->out.mem + e->at;

    if (!e->whole) {
      pack(s, e, mem);
    }
    s->out.message[s->out.messages++]
      = (h3d_message){ e->peer, mem, (int64_t)store_bytes(s, e->box.len) };
  }
  s->spec.transport->exchange_begin(s->exchange, TAG_STORE, s->out.messages,
                                    s->out.message, s->in.messages,
                                    s->in.message);
}

void
store_place(h3d_store *s)
{
  const int me = s->spec.grid->rank;
  const block *own = &s->block[me];
  int at = 0;

  for (int64_t j = 0; j < s->n; j++) {
    s->from[j] = at;
    while (at < s->in.n && s->in.item[at].place == s->first + j) {
      const item *e = &s->in.item[at];
      const int here = e->peer == me;
      const int64_t *n = here ? own->len : e->box.len;
      h3d_cast_from *f = &s->piece[at].from;

      *f = (h3d_cast_from){ .stride = { n[1] * n[2], n[2], 1 },
                            .channel = n[0] * n[1] * n[2] };
      f->mem = here ? s->kept[s->sample[e->place]]
                    : (void *)((char *)s->in.mem + e->at);
      for (int a = 0; here && a < 3; a++) {
        f->first += (e->box.start[a] - own->start[a]) * f->stride[a];
      }
      s->piece[at++].piece = e->piece;
    }
  }
  s->from[s->n] = at;
}
