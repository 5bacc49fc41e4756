#include "config.h"

#include "data/store_impl.h"

#include "base/mem.h"
#include "data/order.h"

#include <string.h>

size_t
store_bytes(const h3d_store *s, const int64_t len[3])
{
  return s->voxel * (size_t)(len[0] * len[1] * len[2]);
}

/* Everyone's block, and how many samples each group has room for. */
static void
meet_ranks(h3d_store *s)
{
  const h3d_grid *g = s->spec.grid;
  const size_t ranks = (size_t)g->size;
  double mine[7], *all = h3d_new(7 * ranks, sizeof *all);
  double most = (double)s->spec.info->samples;
  size_t bytes = store_bytes(s, s->spec.len);

  for (int a = 0; a < 3; a++) {
    mine[a] = (double)s->spec.start[a];
    mine[3 + a] = (double)s->spec.len[a];
  }
  mine[6] = bytes > 0 ? (double)(s->spec.limit / bytes) : most;
  h3d_grid_gather(g->world, 7, mine, all);
  for (int r = 0; r < g->size; r++) {
    const double *x = all + 7 * r;
    int64_t *left = &s->left[r / s->space];
    int64_t room = (int64_t)(x[6] < most ? x[6] : most);

    *left = r % s->space == 0 || room < *left ? room : *left;
    for (int a = 0; a < 3; a++) {
      s->block[r].start[a] = (int64_t)x[a];
      s->block[r].len[a] = (int64_t)x[3 + a];
      s->copied[a] = s->copied[a] && x[a] == all[a] && x[3 + a] == all[3 + a];
    }
  }
  for (int n = 0; n < s->groups; n++) {
    s->about.room += s->left[n];
  }
  h3d_free(all);
}

void
h3d_store_new(const h3d_store_spec *spec, h3d_store **out)
{
  h3d_store *s = h3d_new(1, sizeof *s);
  const size_t samples = (size_t)spec->info->samples;

  s->spec = *spec;
  s->groups = spec->grid->n[H3D_AXIS_N];
  s->space = spec->grid->size / s->groups;
  s->voxel = (size_t)spec->info->channels * h3d_elem_size(spec->info->elem);
  s->block = h3d_new((size_t)spec->grid->size, sizeof *s->block);
  s->left = h3d_new((size_t)s->groups, sizeof *s->left);
  s->holder = h3d_new(samples, sizeof *s->holder);
  s->kept = h3d_new(samples, sizeof *s->kept);
  for (size_t i = 0; i < samples; i++) {
    s->holder[i] = -1;
  }
  for (int a = 0; a < 3; a++) {
    s->copied[a] = 1;
  }
  meet_ranks(s);
  s->exchange = spec->transport->exchange_new(spec->grid->world, 16);
  *out = s;
}

static void
items_free(items *l)
{
  h3d_free(l->item);
  h3d_free(l->message);
  h3d_free(l->mem);
}

void
h3d_store_free(h3d_store **out)
{
  h3d_store *s = *out;

  if (!s) {
    return;
  }
  h3d_store_end(s);
  s->spec.transport->exchange_free(&s->exchange);
  for (int64_t i = 0; i < s->spec.info->samples; i++) {
    h3d_free(s->kept[i]);
  }
  items_free(&s->in);
  items_free(&s->out);
  h3d_free(s->piece);
  h3d_free(s->from);
  h3d_free(s->fresh);
  h3d_free(s->move);
  h3d_free(s->sample);
  h3d_free(s->kept);
  h3d_free(s->holder);
  h3d_free(s->left);
  h3d_free(s->block);
  h3d_free(s);
  *out = NULL;
}

/* The batch is the caller's; it has to last until end. */
static void
copy_batch(h3d_store *s, int64_t total, const int64_t *sample,
           const h3d_move *move)
{
  if (total > s->room || !s->from) {
    size_t n = (size_t)total;

    s->room = total;
    s->sample = h3d_grow(s->sample, n, sizeof *s->sample);
    s->move = h3d_grow(s->move, n, sizeof *s->move);
    s->fresh = h3d_grow(s->fresh, n, sizeof *s->fresh);
    s->from = h3d_grow(s->from, n + 1, sizeof *s->from);
  }
  s->total = total;
  if (total > 0) {
    memcpy(s->sample, sample, (size_t)total * sizeof *sample);
    memcpy(s->move, move, (size_t)total * sizeof *move);
    memset(s->fresh, 0, (size_t)total * sizeof *s->fresh);
  }
  h3d_order_share(total, s->groups, s->spec.grid->at[H3D_AXIS_N], &s->first,
                  &s->n);
}

/* Nothing of this batch is kept. */
static void
undo(h3d_store *s)
{
  for (int64_t j = 0; j < s->total; j++) {
    const int64_t i = s->sample[j];

    if (s->fresh[j]) {
      s->about.kept -= s->kept[i] ? store_bytes(s, s->spec.len) : 0;
      h3d_free(s->kept[i]);
      s->kept[i] = NULL;
      s->left[s->holder[i]]++;
      s->holder[i] = -1;
      s->fresh[j] = 0;
      s->about.held--;
    }
  }
}

/* What groups keep of this batch.  The first one that asks for a sample. */
static void
keep(h3d_store *s)
{
  const size_t bytes = store_bytes(s, s->spec.len);
  int some = 0, failed = 0;

  for (int g = 0; g < s->groups; g++) {
    int64_t first, n;

    h3d_order_share(s->total, s->groups, g, &first, &n);
    for (int64_t j = first; j < first + n; j++) {
      const int64_t i = s->sample[j];

      if (s->holder[i] >= 0 || s->left[g] == 0) {
        continue;
      }
      s->holder[i] = g;
      s->left[g]--;
      s->about.held++;
      s->fresh[j] = some = 1;
      if (g == s->spec.grid->at[H3D_AXIS_N]) {
        if (h3d_alloc(bytes, 1, &s->kept[i]) == H3D_OK) {
          s->about.kept += bytes;
        } else {
          failed = 1;
        }
      }
    }
  }
  if (some && h3d_grid_max(s->spec.grid->world, failed) > 0) {
    undo(s);
    memset(s->left, 0, (size_t)s->groups * sizeof *s->left);
    s->about.room = s->about.held;
  }
}

h3d_status
h3d_store_plan(h3d_store *s, int64_t total, const int64_t *sample,
               const h3d_move *move)
{
  h3d_store_end(s);
  copy_batch(s, total, sample, move);
  keep(s);
  return store_list(s);
}

void *
h3d_store_room(const h3d_store *s, int64_t j)
{
  return s->fresh[s->first + j] ? s->kept[s->sample[s->first + j]] : NULL;
}

h3d_status
h3d_store_begin(h3d_store *s, h3d_status mine)
{
  h3d_status st = h3d_grid_agree(s->spec.grid, mine);

  if (st != H3D_OK) {
    undo(s);
    s->total = s->n = 0;
    return st;
  }
  store_post(s);
  s->in_flight = 1;
  return st;
}

void
h3d_store_end(h3d_store *s)
{
  if (s->in_flight) {
    s->spec.transport->exchange_end(s->exchange);
    s->in_flight = 0;
    store_place(s);
  }
}

int
h3d_store_pieces(const h3d_store *s, int64_t j, const h3d_store_piece **piece)
{
  *piece = s->piece + s->from[j];
  return s->holder[s->sample[s->first + j]] < 0 ? -1
                                                : s->from[j + 1] - s->from[j];
}

void
h3d_store_ask(const h3d_store *s, h3d_store_about *about)
{
  *about = s->about;
}
