/* Moving what redist.c planned: pack, send, copy what is mine, unpack. */
#include "config.h"

#include "tensor/redist_impl.h"

enum { TAG_FORWARD = 11, TAG_ADJOINT = 12 };

/* The cells of a buffer that holds box, with samples of this step. */
static h3d_cells
cells_of(const h3d_redist *r, const h3d_box *box, const int64_t at[4])
{
  h3d_cells c = { .ext = { r->samples > 0 ? r->n : box->len[H3D_AXIS_N],
                           box->len[H3D_AXIS_D], box->len[H3D_AXIS_H],
                           box->len[H3D_AXIS_W] } };

  for (int i = 0; i < 4; i++) {
    c.at[i] = at[i];
  }
  return c;
}

/* The extents of a piece in this step, and the same as cells of a message. */
static h3d_cells
piece_cells(const h3d_redist *r, const h3d_redist_piece *p, int64_t len[4])
{
  h3d_cells c = { .at = { 0 } };

  for (int i = 0; i < 4; i++) {
    len[i] = p->len[i];
  }
  if (r->samples > 0) {
    len[0] = r->n;
  }
  for (int i = 0; i < 4; i++) {
    c.ext[i] = len[i];
  }
  return c;
}

static int64_t
piece_bytes(const h3d_redist *r, const h3d_redist_piece *p)
{
  return p->voxels * (int64_t)r->cell * (r->samples > 0 ? r->n : 1);
}

/* Set addresses and sizes of the messages for this step. */
static void
lay_out(const h3d_redist *r, h3d_redist_pieces *p)
{
  char *mem = p->mem;

  for (int i = 0; i < p->messages; i++) {
    p->message[i].mem = mem;
    p->message[i].bytes = p->per_sample[i] * (r->samples > 0 ? r->n : 1);
    mem += p->message[i].bytes;
  }
}

/* Walk the pieces that are in messages; buf is where the piece lies there,
 * NULL for pieces between this rank and itself. */
typedef void (*visit)(h3d_redist *r, const h3d_redist_piece *p, char *buf);

static void
walk(h3d_redist *r, h3d_redist_pieces *p, visit f)
{
  char *mem = p->mem;

  for (int i = 0; i < p->n; i++) {
    const h3d_redist_piece *q = &p->piece[i];

    if (q->peer == r->grid->rank) {
      f(r, q, NULL);
    } else {
      f(r, q, mem);
      mem += piece_bytes(r, q);
    }
  }
}

/* A piece at "at" of a buffer that holds box, into its message. */
static void
into_message(h3d_redist *r, const h3d_redist_piece *p, const h3d_box *box,
             const int64_t at[4], const void *mem, char *buf)
{
  int64_t len[4];
  h3d_cells to = piece_cells(r, p, len);
  h3d_cells from = cells_of(r, box, at);

  r->dev->be->copy_box(r->dev, len, r->cell, mem, &from, buf, &to);
}

static void
pack(h3d_redist *r, const h3d_redist_piece *p, char *buf)
{
  if (buf) {
    into_message(r, p, &r->own, p->src_at, r->src, buf);
  }
}

/* What comes from myself needs no message. */
static void
unpack_mine(h3d_redist *r, const h3d_redist_piece *p, char *buf)
{
  int64_t len[4];
  h3d_cells from = cells_of(r, &r->own, p->src_at);
  h3d_cells to = cells_of(r, &r->want, p->dst_at);

  if (!buf) {
    piece_cells(r, p, len);
    r->dev->be->copy_box(r->dev, len, r->cell, r->src, &from, r->dst, &to);
  }
}

static void
unpack(h3d_redist *r, const h3d_redist_piece *p, char *buf)
{
  int64_t len[4];
  h3d_cells from = piece_cells(r, p, len);
  h3d_cells to = cells_of(r, &r->want, p->dst_at);

  if (buf) {
    r->dev->be->copy_box(r->dev, len, r->cell, buf, &from, r->dst, &to);
  }
}

void
h3d_redist_begin(h3d_redist *r, int64_t n, const void *src, void *dst)
{
  r->n = n;
  r->src = src;
  r->dst = dst;
  lay_out(r, &r->out);
  lay_out(r, &r->in);
  walk(r, &r->out, pack);
  r->dev->be->sync(r->dev);
  r->transport->exchange_begin(r->exchange, TAG_FORWARD, r->out.messages,
                               r->out.message, r->in.messages, r->in.message);
  walk(r, &r->in, unpack_mine);
}

void
h3d_redist_end(h3d_redist *r)
{
  r->transport->exchange_end(r->exchange);
  walk(r, &r->in, unpack);
}

/* The adjoint runs the same messages backwards: what was received is sent. */
static void
pack_back(h3d_redist *r, const h3d_redist_piece *p, char *buf)
{
  if (buf) {
    into_message(r, p, &r->want, p->dst_at, r->dst, buf);
  }
}

static void
add_back(h3d_redist *r, const h3d_redist_piece *p, char *buf)
{
  int64_t len[4], c = (int64_t)(r->cell / h3d_type_size(r->dev->type));
  h3d_cells from = piece_cells(r, p, len);
  h3d_cells mine = cells_of(r, &r->want, p->dst_at);
  h3d_cells to = cells_of(r, &r->own, p->src_at);
  void *src = (void *)(uintptr_t)r->src; /* written: the adjoint's result */

  r->dev->be->add_box(r->dev, len, c, buf ? buf : r->dst, buf ? &from : &mine,
                      src, &to);
}

void
h3d_redist_adjoint(h3d_redist *r, int64_t n, const void *dst, void *src)
{
  int64_t zero[4] = { 0 };
  h3d_cells own;
  size_t bytes = r->cell;

  r->n = n;
  r->src = src;
  r->dst = (void *)(uintptr_t)dst; /* read only */
  own = cells_of(r, &r->own, zero);
  for (int i = 0; i < 4; i++) {
    bytes *= (size_t)own.ext[i];
  }
  r->dev->be->zero(r->dev, src, bytes);
  lay_out(r, &r->out);
  lay_out(r, &r->in);
  walk(r, &r->in, pack_back);
  r->dev->be->sync(r->dev);
  r->transport->exchange_begin(r->exchange, TAG_ADJOINT, r->in.messages,
                               r->in.message, r->out.messages, r->out.message);
  r->transport->exchange_end(r->exchange);
  walk(r, &r->out, add_back);
}
