#include "config.h"

#include "data/loader_impl.h"

#include "base/check.h"
#include "base/mem.h"
#include "data/order.h"

#include <string.h>

/* Bytes as stored of a box of this extent. */
static size_t
stored_bytes(const h3d_dataset_info *info, const int64_t len[3])
{
  return (size_t)(info->channels * len[0] * len[1] * len[2])
         * h3d_elem_size(info->elem);
}

static h3d_cast_spec
cast_of(const h3d_loader_spec *spec)
{
  const h3d_dataset_info *info = h3d_dataset_about(spec->dataset);

  return (h3d_cast_spec){ .elem = info->elem,
                          .type = spec->type,
                          .channels = info->channels,
                          .recipe = spec->recipe,
                          .standardize = spec->standardize,
                          .stats = spec->stats };
}

/* Samples that training reads and one group may get first: its part of every
 * batch, of training and of validation, where batches are as small as
 * spec->samples allows. */
static int64_t
samples_of_group(const h3d_loader_spec *spec)
{
  const h3d_dataset_info *info = h3d_dataset_about(spec->dataset);
  const int64_t least = (spec->samples - 1) * spec->grid->n[H3D_AXIS_N] + 1;
  int64_t n = 0, most;

  for (int64_t s = 0; s < info->samples; s++) {
    n += info->sample[s].subset != H3D_SUBSET_TEST;
  }
  most = least > 0 ? (h3d_order_batches(n, least) + 1) * spec->samples : n;
  return most < n ? most : n;
}

void
h3d_loader_plan(const h3d_loader_spec *spec, h3d_loader_need *need)
{
  const h3d_dataset_info *info = h3d_dataset_about(spec->dataset);
  const h3d_grid *g = spec->grid;
  const int64_t *len = &spec->block.len[H3D_AXIS_D];
  const size_t real = h3d_type_size(spec->type), n = (size_t)spec->samples;
  const size_t voxels = (size_t)(len[0] * len[1] * len[2] * info->channels);
  const size_t stored = stored_bytes(info, len);
  const h3d_cast_spec cast = cast_of(spec);
  const int moves = spec->augment != H3D_AUGMENT_NONE;
  size_t keep = (size_t)samples_of_group(spec);

  if (stored > 0 && keep > spec->limit / stored) {
    keep = spec->limit / stored;
  }
  need->keep = keep > 0 ? H3D_KEEP_BLOCKS : H3D_KEEP_NOTHING;
  need->kept = keep * stored;
  need->batch = n * (voxels + (size_t)spec->targets) * real + stored
                + h3d_cast_bytes(&cast);
  /* Whole blocks are sent from where they are. */
  need->travel = 0;
  if (keep > 0 && (g->n[H3D_AXIS_N] > 1 || (moves && g->size > 1))) {
    need->travel = n * stored * (size_t)(1 + (moves ? g->n[H3D_AXIS_N] : 0));
  }
}

static h3d_status
make_room(h3d_loader *l)
{
  const size_t real = h3d_type_size(l->spec.type);
  const size_t n = (size_t)l->spec.samples;
  h3d_status st = H3D_OK;

  H3D_TRY(h3d_alloc(n * l->block_reals, real, &l->input));
  H3D_TRY(h3d_alloc(n * (size_t)l->spec.targets, real, &l->out_target));
  H3D_TRY(h3d_alloc(stored_bytes(l->info, l->len), 1, &l->scratch));
done:
  return st;
}

static void
make_store(h3d_loader *l)
{
  h3d_store_spec s = { .grid = l->spec.grid,
                       .transport = l->spec.transport,
                       .info = l->info,
                       .limit = l->spec.limit };

  memcpy(s.start, l->start, sizeof s.start);
  memcpy(s.len, l->len, sizeof s.len);
  h3d_store_new(&s, &l->store);
}

h3d_status
h3d_loader_new(const h3d_loader_spec *spec, h3d_loader **out)
{
  h3d_loader *l = h3d_new(1, sizeof *l);
  h3d_status st;
  h3d_cast_spec scale;

  l->spec = *spec;
  l->info = h3d_dataset_about(spec->dataset);
  l->target = h3d_new((size_t)spec->targets, sizeof *l->target);
  if (spec->targets > 0) {
    memcpy(l->target, spec->target, (size_t)spec->targets * sizeof *l->target);
  }
  l->wish = h3d_new((size_t)l->info->targets, sizeof *l->wish);
  l->seen = h3d_new((size_t)l->info->samples, sizeof *l->seen);
  for (int a = 0; a < 3; a++) {
    l->start[a] = spec->block.start[H3D_AXIS_D + a];
    l->len[a] = spec->block.len[H3D_AXIS_D + a];
  }
  l->block_reals
    = (size_t)(l->len[0] * l->len[1] * l->len[2] * l->info->channels);
  l->total = -1;
  l->about.limit = spec->limit;
  scale = cast_of(spec);
  make_store(l);
  st = make_room(l);
  if (st == H3D_OK) {
    st = h3d_cast_new(&scale, &l->cast);
  }
  st = h3d_grid_agree(spec->grid, st);
  if (st != H3D_OK) {
    h3d_loader_free(&l);
  }
  *out = l;
  return st;
}

void
h3d_loader_free(h3d_loader **out)
{
  h3d_loader *l = *out;

  if (!l) {
    return;
  }
  h3d_store_free(&l->store);
  h3d_free(l->move);
  h3d_free(l->sample);
  h3d_free(l->seen);
  h3d_free(l->wish);
  h3d_free(l->scratch);
  h3d_free(l->out_target);
  h3d_free(l->input);
  h3d_cast_free(&l->cast);
  h3d_free(l->target);
  h3d_free(l);
  *out = NULL;
}

/* The batch and its moves, mine to keep until it is read. */
static void
take_batch(h3d_loader *l, int64_t total, const int64_t *sample, int64_t epoch)
{
  if (total > l->room) {
    l->room = total;
    l->sample = h3d_grow(l->sample, (size_t)total, sizeof *l->sample);
    l->move = h3d_grow(l->move, (size_t)total, sizeof *l->move);
  }
  for (int64_t s = 0; s < total; s++) {
    l->sample[s] = sample[s];
    l->move[s] = epoch < 0 ? h3d_move_none()
                           : h3d_move_draw(l->spec.augment, l->spec.seed,
                                           epoch, sample[s], l->info->extent);
    l->about.distinct += !l->seen[sample[s]];
    l->seen[sample[s]] = 1;
  }
  l->epoch = epoch;
  h3d_order_share(total, l->spec.grid->n[H3D_AXIS_N],
                  l->spec.grid->at[H3D_AXIS_N], &l->first, &l->n);
  H3D_ASSERT(l->n <= l->spec.samples);
}

h3d_status
h3d_loader_begin(h3d_loader *l, int64_t total, const int64_t *sample,
                 int64_t epoch)
{
  h3d_status st;

  take_batch(l, total, sample, epoch);
  l->total = -1;
  st = h3d_store_plan(l->store, total, l->sample, l->move);
  for (int64_t j = 0; j < l->n && st == H3D_OK; j++) {
    void *room = h3d_store_room(l->store, j);

    if (room) {
      st = h3d_dataset_read(l->spec.dataset, l->sample[l->first + j], l->start,
                            l->len, room);
      l->about.reads++;
    }
  }
  st = h3d_store_begin(l->store, st);
  if (st == H3D_OK) {
    l->total = total;
  }
  return st;
}

/* Is this what was begun? */
static int
is_begun(const h3d_loader *l, int64_t total, const int64_t *sample,
         int64_t epoch)
{
  return l->total == total && l->epoch == epoch
         && (total == 0
             || memcmp(l->sample, sample, (size_t)total * sizeof *sample)
                  == 0);
}

h3d_status
h3d_loader_read(h3d_loader *l, int64_t total, const int64_t *sample,
                int64_t epoch)
{
  const size_t bytes = l->block_reals * h3d_type_size(l->spec.type);
  h3d_status st = H3D_OK;

  if (!is_begun(l, total, sample, epoch)) {
    H3D_TRY(h3d_loader_begin(l, total, sample, epoch));
  }
  l->total = -1;
  h3d_store_end(l->store);
  for (int64_t j = 0; j < l->n && st == H3D_OK; j++) {
    st = loader_block(l, j, (char *)l->input + (size_t)j * bytes);
    if (st == H3D_OK) {
      st = loader_target(l, j);
    }
  }
  st = h3d_grid_agree(l->spec.grid, st);
done:
  return st;
}

const void *
h3d_loader_input(const h3d_loader *l)
{
  return l->input;
}

const void *
h3d_loader_target(const h3d_loader *l)
{
  return l->out_target;
}

void
h3d_loader_ask(const h3d_loader *l, h3d_loader_about *about)
{
  h3d_store_about a;

  h3d_store_ask(l->store, &a);
  *about = l->about;
  about->kept = a.kept;
  about->room = a.room;
  about->held = a.held;
  about->moved = a.moved;
  h3d_dataset_traffic(l->spec.dataset, &about->asked, &about->touched);
}

void
h3d_loader_sum(const h3d_loader *l, h3d_loader_total *total)
{
  h3d_loader_about a;
  double mine[4], sum[4];

  h3d_loader_ask(l, &a);
  mine[0] = (double)a.kept;
  mine[1] = (double)a.moved;
  mine[2] = (double)a.asked;
  mine[3] = (double)a.touched;
  h3d_grid_sum(l->spec.grid->world, 4, mine, sum);
  *total = (h3d_loader_total){
    .kept = sum[0],
    .moved = sum[1],
    .asked = sum[2],
    .touched = sum[3],
    .once = (double)a.distinct * (double)stored_bytes(l->info, l->info->extent)
  };
}

size_t
h3d_loader_limit(const h3d_grid *grid)
{
  return (size_t)((double)h3d_mem_machine() / 4 / h3d_grid_node_sum(grid, 1));
}
