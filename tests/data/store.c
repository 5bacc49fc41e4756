/* Every sample once an epoch, each voxel in its place, read from the files
 * once and moved no more than needed, on any grid. */
#include "config.h"

#include "data/order.h"
#include "data/store.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1 2 3 4 8")

enum { CHANNELS = 2, SAMPLES = 7, EPOCHS = 3 };
static const int64_t extent[3] = { 6, 4, 6 };
enum { VOXELS = 6 * 4 * 6, RANKS = 8 };
enum { BYTES = CHANNELS * (int)sizeof(int16_t) };

typedef struct trial {
  const char *what;
  int64_t batch;
  h3d_augment augment;
  int64_t room; /* samples that a rank's limit allows */
  int copied;   /* 1: the space does not cut the volume */
} trial;

/* All that a trial works with. */
typedef struct rig {
  const trial *t;
  const h3d_grid *grid;
  h3d_dataset_info info;
  h3d_dist dist;
  h3d_cast *cast;
  h3d_store *store;
  int holder[SAMPLES]; /* what must be: a group, or -1 */
  int64_t left[RANKS];
  int64_t seen[SAMPLES];  /* by this rank, in this epoch */
  int64_t wanted, moved;  /* bytes from others: what must be, for all ranks */
  int64_t filled, missed; /* blocks that this rank read to keep, or again */
  int right;
} rig;

/* Different for every voxel of every sample. */
static int16_t
voxel(int64_t sample, int64_t c, const int64_t s[3])
{
  int64_t i = (s[0] * extent[1] + s[1]) * extent[2] + s[2];

  return (int16_t)((sample * CHANNELS + c) * VOXELS + i - 1);
}

static void
stored_place(const h3d_move *m, const int64_t o[3], int64_t s[3])
{
  for (int a = 0; a < 3; a++) {
    int q = m->axis[a];
    int64_t t = m->flip[a] ? extent[q] - 1 - o[a] : o[a];

    s[q] = (t + m->shift[q]) % extent[q];
  }
}

static h3d_box
block_of(const rig *r, int rank)
{
  int at[H3D_AXES];

  h3d_grid_coords(r->grid, rank, at);
  return h3d_dist_box(&r->dist, at);
}

/* Voxel i of a box, counted D H W. */
static void
place(const h3d_box *b, int64_t i, int64_t o[3])
{
  const int64_t *len = b->len + H3D_AXIS_D;

  o[0] = i / (len[1] * len[2]);
  o[1] = i / len[2] % len[1];
  o[2] = i % len[2];
  for (int a = 0; a < 3; a++) {
    o[a] += b->start[H3D_AXIS_D + a];
  }
}

/* Does the rank have this voxel? */
static int
has(const rig *r, int rank, const int64_t s[3])
{
  h3d_box b = block_of(r, rank);
  int in = 1;

  for (int a = 0; a < 3; a++) {
    int64_t i = s[a] - b.start[H3D_AXIS_D + a];

    in = in && i >= 0 && i < b.len[H3D_AXIS_D + a];
  }
  return in;
}

/* The rule in plain words: bytes that must travel for a sample. */
static int64_t
travel(const rig *r, int from, int to, const h3d_move *m)
{
  int space = r->grid->size / r->grid->n[H3D_AXIS_N];
  int64_t n = 0;

  for (int rank = to * space; rank < (to + 1) * space; rank++) {
    h3d_box b = block_of(r, rank);

    for (int64_t i = 0; i < h3d_box_voxels(&b); i++) {
      int64_t o[3], s[3];

      place(&b, i, o);
      stored_place(m, o, s);
      n += from != to || !has(r, rank, s) ? BYTES : 0;
    }
  }
  return n;
}

/* Who must hold what after this batch, and what must have travelled. */
static void
expect(rig *r, int64_t total, const int64_t *sample, const h3d_move *move)
{
  int groups = r->grid->n[H3D_AXIS_N];

  for (int pass = 0; pass < 2; pass++) {
    for (int g = 0; g < groups; g++) {
      for (int64_t j = total * g / groups; j < total * (g + 1) / groups; j++) {
        int *h = &r->holder[sample[j]];

        if (pass == 0 && *h < 0 && r->left[g] > 0) {
          *h = g;
          r->left[g]--;
        } else if (pass == 1 && *h >= 0) {
          r->wanted += travel(r, *h, g, &move[j]);
        }
      }
    }
  }
}

/* My block of a sample as the files have it. */
static void
fill(const rig *r, int64_t sample, int16_t *out)
{
  h3d_box b = block_of(r, r->grid->rank);
  int64_t s[3];

  for (int c = 0; c < CHANNELS; c++) {
    for (int64_t i = 0; i < h3d_box_voxels(&b); i++) {
      place(&b, i, s);
      *out++ = voxel(sample, c, s);
    }
  }
}

static int
block_is_right(const rig *r, int64_t sample, const h3d_move *m, int n,
               const h3d_store_piece *piece)
{
  h3d_box b = block_of(r, r->grid->rank);
  double out[CHANNELS * VOXELS], *x = out;
  int right = 1;

  memset(out, 0, sizeof out);
  for (int p = 0; p < n; p++) {
    right = h3d_cast_piece(r->cast, &piece[p].from, m, &piece[p].piece,
                           b.len + H3D_AXIS_D, out)
            && right;
  }
  for (int64_t i = 0; i < h3d_box_voxels(&b); i++) {
    int64_t o[3], s[3];

    place(&b, i, o);
    stored_place(m, o, s);
    for (int c = 0; c < CHANNELS; c++) {
      right = right && *x++ == voxel(sample, c, s);
    }
  }
  return right;
}

static void
batch(rig *r, int64_t total, const int64_t *sample, int64_t epoch)
{
  h3d_move move[SAMPLES];
  int64_t first, n;
  h3d_status st;

  for (int64_t j = 0; j < total; j++) {
    move[j] = h3d_move_draw(r->t->augment, 5, epoch, sample[j], extent);
  }
  expect(r, total, sample, move);
  h3d_order_share(total, r->grid->n[H3D_AXIS_N], r->grid->at[H3D_AXIS_N],
                  &first, &n);
  st = h3d_store_plan(r->store, total, sample, move);
  for (int64_t j = 0; j < n; j++) {
    void *room = h3d_store_room(r->store, j);

    if (room) {
      fill(r, sample[first + j], room);
      r->filled++;
    }
  }
  r->right = h3d_store_begin(r->store, st) == H3D_OK && r->right;
  h3d_store_end(r->store);
  for (int64_t j = 0; j < n; j++) {
    const h3d_store_piece *piece;
    const int64_t s = sample[first + j];
    int pieces = h3d_store_pieces(r->store, j, &piece);

    r->seen[s]++;
    r->right = r->right && (pieces < 0) == (r->holder[s] < 0);
    r->missed += pieces < 0;
    r->right = r->right
               && (pieces < 0
                   || block_is_right(r, s, &move[first + j], pieces, piece));
  }
}

/* The sum over ranks. */
static int64_t
sum(const h3d_grid *g, int64_t x)
{
  double mine = (double)x, all;

  h3d_grid_sum(g->world, 1, &mine, &all);
  return (int64_t)all;
}

static void
epochs(rig *r)
{
  const int64_t space = r->grid->size / r->grid->n[H3D_AXIS_N];
  int64_t subset[SAMPLES], order[SAMPLES], first, n, before = 0;
  int once = 1, held = 0;
  h3d_store_about about;

  for (int s = 0; s < SAMPLES; s++) {
    subset[s] = s;
  }
  for (int e = 0; e < EPOCHS; e++) {
    before = r->filled + r->missed;
    memset(r->seen, 0, sizeof r->seen);
    h3d_order_epoch(3, e, SAMPLES, subset, order);
    for (int64_t b = 0; b < h3d_order_batches(SAMPLES, r->t->batch); b++) {
      h3d_order_batch(SAMPLES, r->t->batch, b, &first, &n);
      batch(r, n, order + first, e);
    }
    for (int s = 0; s < SAMPLES; s++) {
      once = once && sum(r->grid, r->seen[s]) == space;
    }
  }
  for (int s = 0; s < SAMPLES; s++) {
    held += r->holder[s] >= 0;
  }
  h3d_store_ask(r->store, &about);
  ok(r->right, "%s: every voxel in its place", r->t->what);
  ok(once, "%s: every sample once an epoch", r->t->what);
  ok(about.held == held && about.held <= about.room, "%s: %d samples held",
     r->t->what, held);
  ok(sum(r->grid, r->filled) == held * space, "%s: what is held was read once",
     r->t->what);
  ok(r->t->room < SAMPLES || (r->missed == 0 && r->filled == before),
     "%s: an epoch after the first reads nothing", r->t->what);
  ok(sum(r->grid, about.moved) == r->wanted, "%s: %d bytes travel, no more",
     r->t->what, (int)r->wanted);
}

static void
run(const h3d_grid *g, const trial *t)
{
  rig r = { .t = t, .grid = g, .right = 1 };
  const h3d_channel_stats stats[CHANNELS] = { { .dev = 1 }, { .dev = 1 } };
  const h3d_cast_spec scale = { .elem = H3D_ELEM_I16,
                                .type = H3D_F64,
                                .channels = CHANNELS,
                                .recipe = H3D_RECIPE_NONE,
                                .stats = stats };
  h3d_store_spec spec
    = { .grid = g, .transport = &h3d_transport_mpi, .info = &r.info };
  h3d_box b;

  r.info = (h3d_dataset_info){ .samples = SAMPLES,
                               .channels = CHANNELS,
                               .elem = H3D_ELEM_I16 };
  memcpy(r.info.extent, extent, sizeof extent);
  for (int a = 0; a < H3D_AXES; a++) {
    int64_t n = a < H3D_AXIS_D ? 1 : extent[a - H3D_AXIS_D];

    r.dist.cut[a]
      = h3d_cut_init(n, a < H3D_AXIS_D || t->copied ? 1 : g->n[a], 1);
  }
  for (int s = 0; s < SAMPLES; s++) {
    r.holder[s] = -1;
  }
  for (int n = 0; n < g->n[H3D_AXIS_N]; n++) {
    r.left[n] = t->room;
  }
  b = block_of(&r, g->rank);
  memcpy(spec.start, b.start + H3D_AXIS_D, sizeof spec.start);
  memcpy(spec.len, b.len + H3D_AXIS_D, sizeof spec.len);
  /* Rank 0 alone is short of memory. */
  spec.limit = (size_t)((g->rank == 0 ? t->room : SAMPLES) * h3d_box_voxels(&b)
                        * BYTES);
  for (int n = 1; n < g->n[H3D_AXIS_N]; n++) {
    r.left[n] = SAMPLES;
  }
  ok(h3d_cast_new(&scale, &r.cast) == H3D_OK, "a cast");
  h3d_store_new(&spec, &r.store);
  epochs(&r);
  h3d_store_free(&r.store);
  h3d_cast_free(&r.cast);
}

static void
run_all(const int space[3])
{
  static const trial trials[]
    = { { "batches of 3", 3, H3D_AUGMENT_NONE, SAMPLES, 0 },
        { "fewer samples than groups", 2, H3D_AUGMENT_NONE, SAMPLES, 0 },
        { "moves", 5, H3D_AUGMENT_CUBE | H3D_AUGMENT_SHIFT, SAMPLES, 0 },
        { "moves, one batch", 7, H3D_AUGMENT_CUBE, SAMPLES, 0 },
        { "copies", 3, H3D_AUGMENT_SHIFT, SAMPLES, 1 },
        { "little memory", 3, H3D_AUGMENT_SHIFT, 2, 0 },
        { "no memory on rank 0", 4, H3D_AUGMENT_NONE, 0, 0 } };
  h3d_grid *g = NULL;

  ok(h3d_grid_new(MPI_COMM_WORLD, space, &g) == H3D_OK, "grid %dx%dx%d",
     space[0], space[1], space[2]);
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    run(g, &trials[i]);
  }
  h3d_grid_free(&g);
}

void
tap_main(void)
{
  static const int spaces[][3]
    = { { 1, 1, 1 }, { 2, 1, 1 }, { 3, 1, 1 }, { 1, 2, 1 },
        { 1, 1, 4 }, { 2, 2, 1 }, { 2, 1, 2 }, { 2, 2, 2 } };

  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
    if (tap_size % (spaces[i][0] * spaces[i][1] * spaces[i][2]) == 0) {
      run_all(spaces[i]);
    }
  }
}
