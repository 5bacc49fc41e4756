#include "config.h"

#include "tap.h"

#include "backend/transport.h"
#include "base/mem.h"
#include "base/rng.h"

#include <string.h>

TAP_RANKS("1 2 3 4 8")

static const h3d_transport *const tr = &h3d_transport_mpi;

static int
is_same_everywhere(const void *mem, size_t bytes)
{
  unsigned char *low = h3d_new(bytes, 1), *high = h3d_new(bytes, 1);
  int same;

  MPI_Allreduce(mem, low, (int)bytes, MPI_UNSIGNED_CHAR, MPI_MIN,
                MPI_COMM_WORLD);
  MPI_Allreduce(mem, high, (int)bytes, MPI_UNSIGNED_CHAR, MPI_MAX,
                MPI_COMM_WORLD);
  same = memcmp(low, high, bytes) == 0;
  h3d_free(low);
  h3d_free(high);
  return same;
}

/* Whole numbers, whose sums are exact in any order. */
static int
is_sum_exact(h3d_type type, int64_t size)
{
  char *x = h3d_new((size_t)size, h3d_type_size(type));
  char *work = h3d_new(tr->sum_work(MPI_COMM_WORLD, type, size), 1);
  int good = 1;
  int64_t i;

  for (i = 0; i < size; i++) {
    double v = (double)(i % 1000 * (tap_rank + 1));

    if (type == H3D_F64) {
      ((double *)x)[i] = v;
    } else {
      ((float *)x)[i] = (float)v;
    }
  }
  tr->sum(MPI_COMM_WORLD, type, size, x, work);
  for (i = 0; i < size; i++) {
    double want = (double)(i % 1000 * (tap_size * (tap_size + 1) / 2));

    good &= want == (type == H3D_F64 ? ((double *)x)[i] : ((float *)x)[i]);
  }
  h3d_free(x);
  h3d_free(work);
  return good;
}

static float
share(int rank, int64_t i)
{
  h3d_rng rng = h3d_rng_init(1, H3D_RNG_TEST, (uint64_t)rank, 0);

  return (float)(h3d_rng_uniform(&rng, (uint64_t)i) - 0.5);
}

/* Against the same sum by hand: rank order, double, one rounding. */
static void
test_order(void)
{
  enum { N = 5003 };
  float *x = h3d_new(N, sizeof *x);
  void *work = h3d_new(tr->sum_work(MPI_COMM_WORLD, H3D_F32, N), 1);
  int i, r, good = 1;

  for (i = 0; i < N; i++) {
    x[i] = share(tap_rank, i);
  }
  /* Cancels in rank order, and not in another. */
  x[0] = tap_rank == 0 ? 1e30f : tap_rank == 1 ? -1e30f : 1;
  tr->sum(MPI_COMM_WORLD, H3D_F32, N, x, work);
  for (i = 1; i < N; i++) {
    double sum = 0;

    for (r = 0; r < tap_size; r++) {
      sum += share(r, i);
    }
    good &= x[i] == (float)sum;
  }
  ok(good, "a sum is taken in rank order, in double, rounded once");
  ok(x[0] == (tap_size == 1 ? 1e30f : (float)(tap_size - 2)),
     "what cancels in rank order, cancels");
  ok(is_same_everywhere(x, N * sizeof *x), "all ranks have the same bits");
  h3d_free(x);
  h3d_free(work);
}

/* Every rank to every rank, itself included, two messages each of different
 * lengths; the second of an odd pair is empty. */
static int64_t
length(int from, int to, int k)
{
  return k == 1 && (from + to) % 2 ? 0 : 10 + 7 * from + 3 * to + 1000 * k;
}

static unsigned char
letter(int from, int to, int k, int64_t i)
{
  return (unsigned char)(from * 31 + to * 7 + k * 101 + i);
}

static int
exchange_once(h3d_exchange *e, int tag)
{
  int n = 2 * tap_size, i, good = 1;
  h3d_message *send = h3d_new((size_t)n, sizeof *send);
  h3d_message *recv = h3d_new((size_t)n, sizeof *recv);
  int64_t j;

  for (i = 0; i < n; i++) {
    int peer = i / 2, k = i % 2;

    send[i].peer = recv[i].peer = peer;
    send[i].bytes = length(tap_rank, peer, k);
    recv[i].bytes = length(peer, tap_rank, k);
    send[i].mem = h3d_new((size_t)send[i].bytes, 1);
    recv[i].mem = h3d_new((size_t)recv[i].bytes, 1);
    for (j = 0; j < send[i].bytes; j++) {
      ((unsigned char *)send[i].mem)[j] = letter(tap_rank, peer, k, j);
    }
  }
  tr->exchange_begin(e, tag, n, send, n, recv);
  tr->exchange_end(e);
  for (i = 0; i < n; i++) {
    for (j = 0; j < recv[i].bytes; j++) {
      good &= ((unsigned char *)recv[i].mem)[j]
              == letter(i / 2, tap_rank, i % 2, j);
    }
    h3d_free(send[i].mem);
    h3d_free(recv[i].mem);
  }
  h3d_free(send);
  h3d_free(recv);
  return good;
}

static void
test_exchange(void)
{
  h3d_exchange *e = tr->exchange_new(MPI_COMM_WORLD, 4 * tap_size);
  int good = 1, i;

  for (i = 0; i < 3; i++) {
    good &= exchange_once(e, i);
  }
  ok(good, "messages between all pairs match in order, three times over");
  tr->exchange_begin(e, 0, 0, NULL, 0, NULL);
  tr->exchange_end(e);
  tr->exchange_free(&e);
  ok(e == NULL, "an exchange of nothing ends, and is freed");
}

void
tap_main(void)
{
  static const int64_t sizes[] = { 0, 1, 2, 7, 1000, 65537 };
  int64_t bucket = (int64_t)4 << 20;
  size_t i;

  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    ok(is_sum_exact(H3D_F32, sizes[i]) & is_sum_exact(H3D_F64, sizes[i]),
       "%d reals sum exactly", (int)sizes[i]);
  }
  ok(is_sum_exact(H3D_F32, bucket / 4 * 2 + 5), "three buckets sum exactly");
  ok(tap_size > 1
       ? tr->sum_work(MPI_COMM_WORLD, H3D_F32, 100 * bucket) < 5u << 20
       : tr->sum_work(MPI_COMM_WORLD, H3D_F32, 100 * bucket) == 0,
     "a long sum needs no more than a bucket's work");
  test_order();
  test_exchange();
}
