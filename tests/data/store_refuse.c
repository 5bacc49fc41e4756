/* What a store does when a rank cannot read, or has no memory. */
#include "config.h"

#include "base/torture.h"
#include "data/order.h"
#include "data/store.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

TAP_RANKS("1 2 3 4")

enum { SAMPLES = 7, EXTENT = 4 };
static const int64_t sample[3] = { 2, 0, 6 };

static void
moves(h3d_move move[3])
{
  for (int j = 0; j < 3; j++) {
    move[j] = h3d_move_none();
  }
}

/* Rank 0 alone could not read; then all can. */
static void
refusal(const h3d_store_spec *spec)
{
  h3d_move move[3];
  h3d_store *s = NULL;
  h3d_store_about about;
  h3d_status st;

  moves(move);
  h3d_store_new(spec, &s);
  st = h3d_store_plan(s, 3, sample, move);
  if (st == H3D_OK && tap_rank == 0) {
    st = h3d_fail(H3D_ERR_FILE, "no such file");
  }
  ok(h3d_store_begin(s, st) == H3D_ERR_FILE, "one rank refuses, all do");
  h3d_store_ask(s, &about);
  ok(about.held == 0 && about.kept == 0, "and nothing is kept");
  st = h3d_store_plan(s, 3, sample, move);
  ok(h3d_store_begin(s, st) == H3D_OK, "the next batch is");
  h3d_store_ask(s, &about);
  ok(about.held == 3, "all of it");
  h3d_store_free(&s); /* what travels ends there */
}

/* on: the next point of the last rank refuses. */
static void
fail_next(int on)
{
  char point[24], last[12];

  snprintf(point, sizeof point, "%lld", h3d_torture_points() + 1);
  snprintf(last, sizeof last, "%d", tap_size - 1);
  if (on) {
    setenv("H3D_FAIL_AT", point, 1);
    setenv("H3D_FAIL_RANK", last, 1);
  } else {
    unsetenv("H3D_FAIL_AT");
    unsetenv("H3D_FAIL_RANK");
  }
  h3d_torture_begin(tap_rank);
}

/* The last rank has no memory for a block; its group has one to keep. */
static void
no_memory(const h3d_store_spec *spec)
{
  h3d_move move[3];
  const h3d_store_piece *piece;
  h3d_store *s = NULL;
  h3d_store_about about;
  int64_t first, n;
  int none = 1;

  moves(move);
  h3d_store_new(spec, &s);
  fail_next(1);
  ok(h3d_store_plan(s, 3, sample, move) == H3D_OK, "no memory for a block");
  fail_next(0);
  ok(h3d_store_begin(s, H3D_OK) == H3D_OK, "is no refusal");
  h3d_store_end(s);
  h3d_order_share(3, spec->grid->n[H3D_AXIS_N], spec->grid->at[H3D_AXIS_N],
                  &first, &n);
  for (int64_t j = 0; j < n; j++) {
    none
      = none && !h3d_store_room(s, j) && h3d_store_pieces(s, j, &piece) == -1;
  }
  h3d_store_ask(s, &about);
  ok(none && about.kept == 0 && about.held == 0 && about.room == 0,
     "no rank keeps any");
  h3d_store_free(&s);
}

/* Groups of parts ranks along D. */
static void
run(int parts)
{
  const int space[3] = { parts, 1, 1 };
  h3d_dataset_info info = { .samples = SAMPLES,
                            .channels = 1,
                            .extent = { EXTENT, EXTENT, EXTENT },
                            .elem = H3D_ELEM_I16 };
  h3d_store_spec spec = { .transport = &h3d_transport_mpi,
                          .info = &info,
                          .len = { EXTENT, EXTENT, EXTENT },
                          .limit = 1 << 20 };
  h3d_grid *g = NULL;
  h3d_cut cut = h3d_cut_init(EXTENT, parts, 1);

  ok(h3d_grid_new(MPI_COMM_WORLD, space, &g) == H3D_OK, "%d along D", parts);
  spec.grid = g;
  spec.start[0] = h3d_cut_start(&cut, g->at[H3D_AXIS_D]);
  spec.len[0] = h3d_cut_start(&cut, g->at[H3D_AXIS_D] + 1) - spec.start[0];
  refusal(&spec);
  no_memory(&spec);
  h3d_grid_free(&g);
}

void
tap_main(void)
{
  for (int parts = 1; parts <= tap_size; parts++) {
    if (tap_size % parts == 0) {
      run(parts);
    }
  }
}
