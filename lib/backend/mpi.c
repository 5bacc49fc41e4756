#include "config.h"

#include "backend/transport.h"

#include "base/check.h"
#include "base/mem.h"

#include <stddef.h>

struct h3d_exchange {
  MPI_Comm comm;
  int room, used;
  MPI_Request *request;
};

/* MPI counts are int, and some networks fail above 2 GiB. */
static const int64_t PIECE = (int64_t)1 << 30;
/* A sum goes in buckets that stay in cache. */
static const int64_t BUCKET = (int64_t)4 << 20;

static h3d_exchange *
exchange_new(MPI_Comm comm, int messages)
{
  h3d_exchange *e = h3d_new(1, sizeof *e);

  e->comm = comm;
  e->room = messages;
  e->request = h3d_new((size_t)messages, sizeof *e->request);
  return e;
}

static void
exchange_free(h3d_exchange **e)
{
  if (*e) {
    H3D_ASSERT((*e)->used == 0);
    h3d_free((*e)->request);
    h3d_free(*e);
    *e = NULL;
  }
}

static MPI_Request *
next_request(h3d_exchange *e)
{
  if (e->used == e->room) {
    /* Only split messages get here, once: the room stays. */
    e->room = e->room * 2 + 1;
    e->request = h3d_grow(e->request, (size_t)e->room, sizeof *e->request);
  }
  return &e->request[e->used++];
}

static void
post(h3d_exchange *e, int tag, int is_send, const h3d_message *m)
{
  int64_t at;

  for (at = 0; at < m->bytes; at += PIECE) {
    int64_t left = m->bytes - at;
    int count = (int)(left < PIECE ? left : PIECE);
    char *mem = (char *)m->mem + at;
    MPI_Request *r = next_request(e);

    if (is_send) {
      H3D_MPI(MPI_Isend(mem, count, MPI_BYTE, m->peer, tag, e->comm, r));
    } else {
      H3D_MPI(MPI_Irecv(mem, count, MPI_BYTE, m->peer, tag, e->comm, r));
    }
  }
}

static void
exchange_begin(h3d_exchange *e, int tag, int sends, const h3d_message *send,
               int recvs, const h3d_message *recv)
{
  int i;

  H3D_ASSERT(e->used == 0);
  for (i = 0; i < recvs; i++) {
    post(e, tag, 0, &recv[i]);
  }
  for (i = 0; i < sends; i++) {
    post(e, tag, 1, &send[i]);
  }
}

static void
exchange_end(h3d_exchange *e)
{
  H3D_MPI(MPI_Waitall(e->used, e->request, MPI_STATUSES_IGNORE));
  e->used = 0;
}

/* Work of a sum: four lists of ints, one entry a rank, then the shares. */
typedef struct sum_room {
  int *scount, *sat, *rcount, *rat;
  char *shares; /* [rank][my slice] */
} sum_room;

static size_t
lists_bytes(int size)
{
  return (4 * (size_t)size * sizeof(int) + 63) / 64 * 64;
}

static size_t
sum_work(MPI_Comm comm, h3d_type type, int64_t size)
{
  int64_t one = (int64_t)h3d_type_size(type), bucket = BUCKET / one, slice;
  int ranks;

  H3D_MPI(MPI_Comm_size(comm, &ranks));
  if (ranks == 1) {
    return 0;
  }
  slice = ((size < bucket ? size : bucket) + ranks - 1) / ranks;
  return lists_bytes(ranks) + (size_t)(slice * ranks * one);
}

/* acc = the sum of the ranks' shares of n reals, in rank order. */
static void
add_shares(h3d_type type, int ranks, int n, const void *shares, void *out)
{
  int64_t i;

#pragma omp parallel for if (n > 65536)
  for (i = 0; i < n; i++) {
    double sum = 0;
    int r;

    for (r = 0; r < ranks; r++) {
      sum += type == H3D_F64 ? ((const double *)shares)[(int64_t)r * n + i]
                             : ((const float *)shares)[(int64_t)r * n + i];
    }
    if (type == H3D_F64) {
      ((double *)out)[i] = sum;
    } else {
      ((float *)out)[i] = (float)sum;
    }
  }
}

/* One bucket of n reals. */
static void
sum_bucket(MPI_Comm comm, int ranks, int me, h3d_type type, int n, char *x,
           const sum_room *w)
{
  MPI_Datatype real = type == H3D_F64 ? MPI_DOUBLE : MPI_FLOAT;
  int r, mine = n / ranks + (me < n % ranks);

  for (r = 0; r < ranks; r++) {
    w->scount[r] = n / ranks + (r < n % ranks);
    w->sat[r] = r == 0 ? 0 : w->sat[r - 1] + w->scount[r - 1];
    w->rcount[r] = mine;
    w->rat[r] = r * mine;
  }
  H3D_MPI(MPI_Alltoallv(x, w->scount, w->sat, real, w->shares, w->rcount,
                        w->rat, real, comm));
  add_shares(type, ranks, mine, w->shares,
             x + (size_t)w->sat[me] * h3d_type_size(type));
  H3D_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, w->scount,
                         w->sat, real, comm));
}

static void
sum(MPI_Comm comm, h3d_type type, int64_t size, void *x, void *work)
{
  int64_t one = (int64_t)h3d_type_size(type), bucket = BUCKET / one, at;
  sum_room w;
  int ranks, me;

  H3D_MPI(MPI_Comm_size(comm, &ranks));
  H3D_MPI(MPI_Comm_rank(comm, &me));
  if (ranks == 1) {
    return;
  }
  w.scount = work;
  w.sat = w.scount + ranks;
  w.rcount = w.sat + ranks;
  w.rat = w.rcount + ranks;
  w.shares = (char *)work + lists_bytes(ranks);
  for (at = 0; at < size; at += bucket) {
    int64_t left = size - at;

    sum_bucket(comm, ranks, me, type, (int)(left < bucket ? left : bucket),
               (char *)x + at * one, &w);
  }
}

const h3d_transport h3d_transport_mpi = {
  .name = "mpi",
  .exchange_new = exchange_new,
  .exchange_free = exchange_free,
  .exchange_begin = exchange_begin,
  .exchange_end = exchange_end,
  .sum = sum,
  .sum_work = sum_work,
};
