/* The process grid: coordinates, communicators, refusals, collective helpers.
 */
#include "config.h"

#include "dist/grid.h"

#include "base/agree.h"
#include "base/mem.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TAP_RANKS("1 2 3 4 8")

enum { MOST = 8 };

/* World ranks that differ from rank only along the axes in mask, by asking
 * each of them. */
static int
members(const h3d_grid *g, unsigned mask, int out[MOST])
{
  int n = 0;

  for (int r = 0; r < g->size; r++) {
    int at[H3D_AXES], in = 1;

    h3d_grid_coords(g, r, at);
    for (int a = 0; a < H3D_AXES; a++) {
      in = in && (at[a] == g->at[a] || mask >> a & 1);
    }
    if (in) {
      out[n++] = r;
    }
  }
  return n;
}

static int
check_comm(const h3d_grid *g, unsigned mask)
{
  MPI_Comm comm = h3d_grid_comm(g, mask);
  int want[MOST], n = members(g, mask, want), bad = 0;
  double mine = g->rank, got[MOST], sum;

  if (h3d_comm_size(comm) != n || h3d_grid_comm_size(g, mask) != n) {
    return 1;
  }
  h3d_grid_gather(comm, 1, &mine, got);
  for (int i = 0; i < n; i++) {
    bad += got[i] != want[i];
  }
  bad += want[h3d_comm_rank(comm)] != g->rank;
  /* In rank order: 1 is lost behind 2^53, 2^53 is not behind 1. */
  mine = h3d_comm_rank(comm) == 0 ? 9007199254740992.0 : 1;
  h3d_grid_sum(comm, 1, &mine, &sum);
  bad += sum != 9007199254740992.0 && n > 1;
  return bad;
}

static int
check_coords(const h3d_grid *g, const int space[3])
{
  int bad = 0, rank = 0;

  for (int n = 0; n < g->n[H3D_AXIS_N]; n++) {
    for (int d = 0; d < space[0]; d++) {
      for (int h = 0; h < space[1]; h++) {
        for (int w = 0; w < space[2]; w++, rank++) {
          int want[H3D_AXES] = { n, 0, d, h, w }, at[H3D_AXES];

          h3d_grid_coords(g, rank, at);
          bad += memcmp(at, want, sizeof at) != 0;
          bad += h3d_grid_rank(g, want) != rank;
          bad += rank == tap_rank && memcmp(g->at, want, sizeof want) != 0;
        }
      }
    }
  }
  return bad + (rank != g->size);
}

static void
test_one(const int space[3])
{
  h3d_grid *g;
  int bad = 0;

  if (!ok(h3d_grid_new(MPI_COMM_WORLD, space, &g) == H3D_OK,
          "grid %dx%dx%d is made", space[0], space[1], space[2])) {
    return;
  }
  ok(check_coords(g, space) == 0, "ranks and coordinates, W fastest");
  for (unsigned mask = 0; mask < 1u << H3D_AXES; mask++) {
    bad += check_comm(g, mask);
  }
  ok(bad == 0, "each communicator has its ranks in order");
  ok(h3d_grid_agree(g, tap_rank == tap_size - 1 ? h3d_fail(H3D_ERR_SHAPE, "no")
                                                : H3D_OK)
         == H3D_ERR_SHAPE
       && strcmp(h3d_why(), "no") == 0,
     "one rank's verdict is everyone's");
  h3d_grid_free(&g);
  ok(g == NULL, "and freed");
  h3d_grid_free(&g);
}

static void
test_grids(void)
{
  int space[3];

  for (space[0] = 1; space[0] <= tap_size; space[0]++) {
    for (space[1] = 1; space[1] <= tap_size; space[1]++) {
      for (space[2] = 1; space[2] <= tap_size; space[2]++) {
        if (tap_size % (space[0] * space[1] * space[2]) == 0) {
          test_one(space);
        }
      }
    }
  }
}

static void
refuse(int d, int h, int w)
{
  int space[3] = { d, h, w };
  char need[32];
  h3d_grid *g = NULL;
  h3d_status st = h3d_grid_new(MPI_COMM_WORLD, space, &g);

  snprintf(need, sizeof need, "grid %dx%dx%d", d, h, w);
  ok(st == H3D_ERR_USAGE && g == NULL && strstr(h3d_why(), need),
     "%s is refused by name", need);
  /* All that work, and only those, of the form Px1x1. */
  for (int p = 1; p <= tap_size + 1; p++) {
    char form[32];
    int named;

    snprintf(form, sizeof form, " %dx1x1", p);
    named = strstr(strstr(h3d_why(), "use --grid"), form) != NULL;
    ok(named == (tap_size % p == 0), "%sworkable:%s", named ? "" : "not ",
       form);
  }
}

static void
test_refusals(void)
{
  refuse(tap_size + 1, 1, 1);
  refuse(1, tap_size, 2);
  refuse(0, 1, 1);
  refuse(1, -1, -1);
  refuse(2000000000, 2000000000, 2000000000);
  if (tap_size == 3 || tap_size == 8) {
    refuse(tap_size - 1, 1, 1);
  }
}

static int
parse(const char *text, int ranks, int64_t d, int64_t h, int64_t w, int want_d,
      int want_h, int want_w)
{
  int64_t extent[3] = { d, h, w };
  int s[3] = { -1, -1, -1 };

  return h3d_grid_parse(text, ranks, extent, s) == H3D_OK && s[0] == want_d
         && s[1] == want_h && s[2] == want_w;
}

static void
refuse_text(const char *text, int ranks, const char *says)
{
  int64_t extent[3] = { 8, 8, 2 };
  int s[3];
  h3d_status st = h3d_grid_parse(text, ranks, extent, s);

  ok(st == H3D_ERR_USAGE && strstr(h3d_why(), says),
     "'%s' on %d ranks is refused: %s", text, ranks, says);
}

static void
test_parse(void)
{
  ok(parse("2x1x4", 8, 64, 64, 64, 2, 1, 4), "2x1x4");
  ok(parse("2x1x2", 8, 64, 64, 64, 2, 1, 2), "2x1x2 in two groups");
  ok(parse("auto", 8, 64, 64, 64, 8, 1, 1), "auto cuts D");
  ok(parse("auto", 8, 8, 64, 64, 4, 2, 1), "auto leaves two voxels a rank");
  ok(parse("auto", 8, 4, 4, 4, 2, 2, 2), "auto goes on with H and W");
  ok(parse("auto", 6, 8, 8, 8, 3, 2, 1), "auto with six");
  ok(parse("auto", 7, 8, 8, 8, 1, 1, 1), "auto that finds none makes groups");
  ok(parse("auto", 1, 1, 1, 1, 1, 1, 1), "auto of one");
  ok(parse("auto", 4, 1, 9, 9, 1, 4, 1), "auto skips a flat axis");
  refuse_text("2x2", 4, "'2x2'");
  refuse_text("2x2x1x1", 4, "'2x2x1x1'");
  refuse_text("", 4, "2x1x1");
  refuse_text("axbxc", 4, "auto");
  refuse_text("0x1x1", 4, "'0x1x1'");
  refuse_text("2x-1x1", 4, "'2x-1x1'");
  refuse_text("2x1x1 ", 4, "'2x1x1 '");
  refuse_text("1x1x3", 3, "axis W of 2 voxels");
  refuse_text("3x1x1", 4, "use --grid 1x1x1, 2x1x1, 4x1x1");
  refuse_text("99999999999x1x1", 4, "99999999999x1x1");
}

/* Long vectors go in pieces; each must be added in rank order. */
static void
test_sums(void)
{
  enum { N = 10001 };
  double *x = h3d_new(N, sizeof *x), *sum = h3d_new(N, sizeof *sum);
  int bad = 0;

  for (int i = 0; i < N; i++) {
    x[i] = 1.0 / (1 + i + 3 * tap_rank);
  }
  h3d_grid_sum(MPI_COMM_WORLD, N, x, sum);
  for (int i = 0; i < N; i++) {
    double want = 0;

    for (int r = 0; r < tap_size; r++) {
      want += 1.0 / (1 + i + 3 * r);
    }
    bad += sum[i] != want;
  }
  ok(bad == 0, "%d sums, bit by bit", (int)N);
  h3d_grid_sum(MPI_COMM_WORLD, N, x, x);
  ok(memcmp(x, sum, N * sizeof *x) == 0, "into the same place");
  h3d_grid_sum(MPI_COMM_WORLD, 0, x, sum);
  ok(h3d_grid_max(MPI_COMM_WORLD, -tap_rank) == 0, "the greatest");
  ok(h3d_grid_max(MPI_COMM_WORLD, tap_rank) == tap_size - 1, "from the last");
  h3d_free(x);
  h3d_free(sum);
}

static unsigned char
byte(int64_t i, int from)
{
  return (unsigned char)((i * 7 + i / 251 + from * 31) & 0xff);
}

static int
is_from(const unsigned char *mem, int64_t bytes, int from)
{
  for (int64_t i = 0; i < bytes; i++) {
    if (mem[i] != byte(i, from)) {
      return 0;
    }
  }
  return 1;
}

/* Above what MPI sends eagerly. */
static void
test_moves(void)
{
  static const int64_t sizes[] = { 0, 1, 4096, 3 << 20 };
  unsigned char *mem = h3d_new(3 << 20, 1);
  int sent = 1, cast = 1;

  for (int k = 0; k < 4; k++) {
    for (int root = 0; root < tap_size; root++) {
      int to = (root + tap_size / 2) % tap_size;

      for (int64_t i = 0; i < sizes[k]; i++) {
        mem[i] = byte(i, tap_rank);
      }
      h3d_grid_send(MPI_COMM_WORLD, root, to, mem, sizes[k]);
      sent = sent && is_from(mem, sizes[k], tap_rank == to ? root : tap_rank);
      h3d_broadcast(MPI_COMM_WORLD, root, mem, (size_t)sizes[k]);
      cast = cast && is_from(mem, sizes[k], root);
    }
  }
  ok(sent, "what is sent arrives, and nowhere else");
  ok(cast, "what is broadcast arrives everywhere");
  h3d_grid_barrier(MPI_COMM_WORLD);
  h3d_free(mem);
}

/* Open MPI has 65536 communicators; a grid of one rank makes two.  Grids of
 * all ranks are slower to make, and enough to see that none waits. */
static void
test_leak(void)
{
  enum { ALL = 100 };
  int space[3] = { tap_size % 2 ? 1 : 2, 1, 1 }, alone[3] = { 1, 1, 1 };
  int made = 0, single = tap_size == 1 ? 70000 : 0;

  for (int i = 0; i < single + ALL; i++) {
    h3d_grid *g = NULL;

    made += (i < single ? h3d_grid_new(MPI_COMM_SELF, alone, &g)
                        : h3d_grid_new(MPI_COMM_WORLD, space, &g))
            == H3D_OK;
    h3d_grid_free(&g);
  }
  ok(made == single + ALL, "%d grids, one after the other", made);
}

/* What the user gave is taken, nonsense is not. */
static void
test_threads(void)
{
  int mine, given;

  setenv("OMP_NUM_THREADS", "1", 1);
  ok(h3d_grid_set_threads(MPI_COMM_WORLD) == 1, "one thread, as asked");
  setenv("OMP_NUM_THREADS", "no", 1);
  given = h3d_grid_set_threads(MPI_COMM_WORLD);
  unsetenv("OMP_NUM_THREADS");
  mine = h3d_grid_set_threads(MPI_COMM_WORLD);
  ok(mine >= 1 && given == mine, "else the cores shared by the ranks: %d",
     mine);
  setenv("OMP_NUM_THREADS", "1", 1);
}

/* All ranks of a test run on one node. */
static void
test_node(void)
{
  const int whole[3] = { 1, 1, 1 };
  h3d_grid *g = NULL;

  ok(h3d_grid_new(MPI_COMM_WORLD, whole, &g) == H3D_OK, "a grid");
  ok(h3d_grid_node_sum(g, tap_rank + 1) == tap_size * (tap_size + 1) / 2.0,
     "the sum over a node");
  h3d_grid_free(&g);
}

void
tap_main(void)
{
  test_node();
  test_threads();
  test_grids();
  test_refusals();
  test_parse();
  test_sums();
  test_moves();
  test_leak();
}
