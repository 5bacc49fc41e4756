#include "config.h"

#include "data/loader.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

struct h3d_loader {
  h3d_loader_spec spec;
  const h3d_dataset_info *info;
  int *target; /* spec.target */
  h3d_cast *cast;
  int64_t start[3], len[3]; /* my block */
  size_t block_reals;       /* of one sample */
  void *input, *out_target; /* the batch */
  void *scratch;            /* one block or sample as stored */
  void **kept;              /* [info->samples], NULL where nothing is kept */
  float *wish;              /* targets of a sample as stored */
  h3d_loader_about about;
};

/* Bytes as stored of a box of this extent. */
static size_t
stored_bytes(const h3d_dataset_info *info, const int64_t len[3])
{
  return (size_t)(info->channels * len[0] * len[1] * len[2])
         * h3d_elem_size(info->elem);
}

/* Samples that training reads. */
static int64_t
samples_read(const h3d_dataset_info *info)
{
  int64_t n = 0;

  for (int64_t s = 0; s < info->samples; s++) {
    n += info->sample[s].subset != H3D_SUBSET_TEST;
  }
  return n;
}

static h3d_keep
how_to_keep(const h3d_loader_spec *spec)
{
  const h3d_dataset_info *info = h3d_dataset_about(spec->dataset);

  if (spec->augment == H3D_AUGMENT_NONE) {
    return H3D_KEEP_BLOCKS;
  }
  return (double)samples_read(info) * (double)stored_bytes(info, info->extent)
             <= (double)spec->limit
           ? H3D_KEEP_SAMPLES
           : H3D_KEEP_NOTHING;
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

void
h3d_loader_plan(const h3d_loader_spec *spec, h3d_loader_need *need)
{
  const h3d_dataset_info *info = h3d_dataset_about(spec->dataset);
  const int64_t *len = &spec->block.len[H3D_AXIS_D];
  const size_t real = h3d_type_size(spec->type);
  size_t voxels = (size_t)(len[0] * len[1] * len[2] * info->channels), stored;
  h3d_cast_spec cast = cast_of(spec);
  double most;

  need->keep = how_to_keep(spec);
  stored
    = stored_bytes(info, need->keep == H3D_KEEP_SAMPLES ? info->extent : len);
  need->batch = (size_t)spec->samples * (voxels + (size_t)spec->targets) * real
                + stored + h3d_cast_bytes(&cast);
  most = (double)samples_read(info) * (double)stored;
  if (need->keep == H3D_KEEP_NOTHING || stored == 0) {
    need->kept = 0;
  } else if (most <= (double)spec->limit) {
    need->kept = (size_t)most;
  } else {
    need->kept = spec->limit / stored * stored;
  }
}

static h3d_status
make_room(h3d_loader *l)
{
  const h3d_dataset_info *info = l->info;
  const size_t real = h3d_type_size(l->spec.type);
  const size_t n = (size_t)l->spec.samples;
  const int64_t *stored
    = l->about.keep == H3D_KEEP_SAMPLES ? info->extent : l->len;
  h3d_status st = H3D_OK;

  H3D_TRY(h3d_alloc(n * l->block_reals, real, &l->input));
  H3D_TRY(h3d_alloc(n * (size_t)l->spec.targets, real, &l->out_target));
  H3D_TRY(h3d_alloc(stored_bytes(info, stored), 1, &l->scratch));
done:
  return st;
}

h3d_status
h3d_loader_new(const h3d_loader_spec *spec, h3d_loader **out)
{
  h3d_loader *l = h3d_new(1, sizeof *l);
  h3d_status st = H3D_OK;
  h3d_cast_spec scale;

  *out = NULL;
  l->spec = *spec;
  l->info = h3d_dataset_about(spec->dataset);
  l->target = h3d_new((size_t)spec->targets, sizeof *l->target);
  if (spec->targets > 0) {
    memcpy(l->target, spec->target, (size_t)spec->targets * sizeof *l->target);
  }
  l->wish = h3d_new((size_t)l->info->targets, sizeof *l->wish);
  l->kept = h3d_new((size_t)l->info->samples, sizeof *l->kept);
  for (int a = 0; a < 3; a++) {
    l->start[a] = spec->block.start[H3D_AXIS_D + a];
    l->len[a] = spec->block.len[H3D_AXIS_D + a];
  }
  l->block_reals
    = (size_t)(l->len[0] * l->len[1] * l->len[2] * l->info->channels);
  l->about.keep = how_to_keep(spec);
  l->about.limit = spec->limit;
  scale = cast_of(spec);
  H3D_TRY(make_room(l));
  H3D_TRY(h3d_cast_new(&scale, &l->cast));
done:
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
  for (int64_t s = 0; s < l->info->samples; s++) {
    h3d_free(l->kept[s]);
  }
  h3d_free(l->kept);
  h3d_free(l->wish);
  h3d_free(l->scratch);
  h3d_free(l->out_target);
  h3d_free(l->input);
  h3d_cast_free(&l->cast);
  h3d_free(l->target);
  h3d_free(l);
  *out = NULL;
}

/* A box of a sample as stored, kept if there is room; *mem is the loader's. */
static h3d_status
fetch(h3d_loader *l, int64_t sample, const int64_t start[3],
      const int64_t len[3], int keep, const void **mem)
{
  const size_t bytes = stored_bytes(l->info, len);
  void *room = l->scratch;
  h3d_status st;

  if (keep && l->kept[sample]) {
    l->about.hits++;
    *mem = l->kept[sample];
    return H3D_OK;
  }
  keep = keep && bytes <= l->spec.limit - l->about.kept;
  /* No room after all is no failure: the next epoch reads it again. */
  if (keep && h3d_alloc(bytes, 1, &l->kept[sample]) == H3D_OK) {
    room = l->kept[sample];
    l->about.kept += bytes;
  }
  st = h3d_dataset_read(l->spec.dataset, sample, start, len, room);
  if (st != H3D_OK && room != l->scratch) {
    h3d_free(l->kept[sample]);
    l->kept[sample] = NULL;
    l->about.kept -= bytes;
  }
  l->about.reads++;
  *mem = room;
  return st;
}

/* My block of a sample, moved, into out. */
static h3d_status
read_block(h3d_loader *l, int64_t sample, const h3d_move *m, void *out)
{
  const int64_t *ext = l->info->extent;
  const int64_t zero[3] = { 0, 0, 0 };
  const h3d_keep keep = l->about.keep;
  h3d_piece piece[H3D_PIECES_MAX];
  int pieces = h3d_move_pieces(m, ext, l->start, l->len, piece), fine = 1;
  const void *mem = NULL;
  h3d_status st = H3D_OK;

  if (keep == H3D_KEEP_SAMPLES) {
    H3D_TRY(fetch(l, sample, zero, ext, 1, &mem));
  }
  for (int p = 0; p < pieces; p++) {
    const h3d_piece *e = &piece[p];
    const int64_t *n = keep == H3D_KEEP_SAMPLES ? ext : e->len;
    h3d_cast_from src
      = { mem, 0, { n[1] * n[2], n[2], 1 }, n[0] * n[1] * n[2] };

    if (keep == H3D_KEEP_SAMPLES) {
      src.first = (e->from[0] * n[1] + e->from[1]) * n[2] + e->from[2];
    } else {
      H3D_TRY(
        fetch(l, sample, e->from, e->len, keep == H3D_KEEP_BLOCKS, &src.mem));
    }
    fine = h3d_cast_piece(l->cast, &src, m, e, l->len, out) && fine;
  }
  if (!fine) {
    st = h3d_fail(H3D_ERR_FILE,
                  "sample %s has voxels that are no finite number after "
                  "\"%s\": repair %s, or preprocess with --normalize=none",
                  l->info->sample[sample].id, h3d_recipe_name(l->spec.recipe),
                  l->info->sample[sample].source);
  }
done:
  return st;
}

static h3d_status
read_target(h3d_loader *l, int64_t sample, int64_t at)
{
  h3d_status st = H3D_OK;

  if (l->spec.targets == 0) {
    return H3D_OK;
  }
  H3D_TRY(h3d_dataset_read_target(l->spec.dataset, sample, l->wish));
  for (int t = 0; t < l->spec.targets; t++) {
    float x = l->wish[l->target[t]];
    int64_t to = at * l->spec.targets + t;

    if (!isfinite(x)) {
      return h3d_fail(H3D_ERR_FILE,
                      "sample %s has no finite target %s (%g): preprocess "
                      "again without it",
                      l->info->sample[sample].id,
                      l->info->target_name[l->target[t]], (double)x);
    }
    if (l->spec.type == H3D_F64) {
      ((double *)l->out_target)[to] = (double)x;
    } else {
      ((float *)l->out_target)[to] = x;
    }
  }
done:
  return st;
}

h3d_status
h3d_loader_read(h3d_loader *l, int64_t n, const int64_t *sample, int64_t epoch)
{
  const size_t bytes = l->block_reals * h3d_type_size(l->spec.type);
  h3d_status st = H3D_OK;

  for (int64_t s = 0; s < n && st == H3D_OK; s++) {
    h3d_move m = epoch < 0 ? h3d_move_none()
                           : h3d_move_draw(l->spec.augment, l->spec.seed,
                                           epoch, sample[s], l->info->extent);

    st = read_block(l, sample[s], &m, (char *)l->input + (size_t)s * bytes);
    if (st == H3D_OK) {
      st = read_target(l, sample[s], s);
    }
  }
  return h3d_grid_agree(l->spec.grid, st);
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
  *about = l->about;
  h3d_dataset_traffic(l->spec.dataset, &about->asked, &about->touched);
}

size_t
h3d_loader_limit(const h3d_grid *grid)
{
  return (size_t)((double)h3d_mem_machine() / 4 / h3d_grid_node_sum(grid, 1));
}
