#include "config.h"

#include "convert_impl.h"

#include "base/agree.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"

#include <inttypes.h>
#include <string.h>

h3d_status
h3d_convert_go_to(h3d_convert_worker *w, int64_t file)
{
  h3d_status st = H3D_OK;

  if (file != w->file) {
    if (w->file >= 0) {
      h3d_source_close(&w->source);
    }
    w->file = -1;
    st = h3d_source_open(w->c->in->kind, w->c->in->options,
                         w->c->in->path[file], &w->source);
    w->file = st == H3D_OK ? file : -1;
  }
  return st;
}

void
h3d_convert_start(const h3d_convert *c, int64_t s, int64_t start[3])
{
  const int64_t *whole = c->survey->about[0].extent;
  int64_t extent[3], cube = s % h3d_convert_cubes(c);

  h3d_convert_extent(c, extent);
  /* First axis outermost, as the public cubes are numbered. */
  for (int a = 2; a >= 0; a--) {
    start[a] = cube % (whole[a] / extent[a]) * extent[a];
    cube /= whole[a] / extent[a];
  }
}

void
h3d_convert_about(const h3d_convert_worker *w, int64_t s, h3d_sample *out,
                  double geometry[16])
{
  const h3d_convert *c = w->c;
  int64_t cubes = h3d_convert_cubes(c), file = s / cubes, start[3];
  const double *spacing = c->survey->about[file].spacing;

  memset(out, 0, sizeof *out);
  out->id = c->cube > 0
              ? h3d_sprintf("%s_%03" PRId64, c->in->id[file], s % cubes)
              : h3d_strdup(c->in->id[file]);
  out->source = c->in->path[file];
  out->family = file;
  out->subset = c->subset[file];
  h3d_convert_start(c, s, start);
  memset(geometry, 0, 16 * sizeof *geometry);
  for (int i = 0; i < 3; i++) {
    geometry[5 * i] = spacing[i];
    geometry[4 * i + 3] = spacing[i] * (double)start[i];
  }
  geometry[15] = 1;
}

/* The voxels of one channel in the part of a box that a chunk is. */
static int64_t
take_chunk(const h3d_convert_worker *w, int channel, const int64_t at[3],
           const int64_t n[3], const int64_t len[3])
{
  size_t size = h3d_elem_size(w->c->survey->elem), row = (size_t)n[2] * size;
  char *to = w->scratch;

  for (int64_t d = at[0]; d < at[0] + n[0]; d++) {
    for (int64_t h = at[1]; h < at[1] + n[1]; h++, to += row) {
      int64_t from = ((channel * len[0] + d) * len[1] + h) * len[2] + at[2];

      memcpy(to, (const char *)w->voxels + (size_t)from * size, row);
    }
  }
  return n[0] * n[1] * n[2];
}

/* The chunks of a box that begins at start, by number, W fastest. */
static h3d_status
tally_chunks(h3d_convert_worker *w, int channel, const int64_t start[3],
             const int64_t len[3])
{
  const h3d_convert *c = w->c;
  const char *path = c->in->path[w->file];
  int64_t extent[3], counts[3], i[3];
  h3d_status st = H3D_OK;

  h3d_convert_extent(c, extent);
  for (int a = 0; a < 3; a++) {
    counts[a] = (extent[a] + c->chunk[a] - 1) / c->chunk[a];
  }
  for (i[0] = 0; i[0] < len[0]; i[0] += c->chunk[0]) {
    for (i[1] = 0; i[1] < len[1]; i[1] += c->chunk[1]) {
      for (i[2] = 0; i[2] < len[2]; i[2] += c->chunk[2]) {
        int64_t n[3], number = 0;

        for (int a = 0; a < 3; a++) {
          n[a] = len[a] - i[a] < c->chunk[a] ? len[a] - i[a] : c->chunk[a];
          number = number * counts[a] + (start[a] + i[a]) / c->chunk[a];
        }
        H3D_TRY(h3d_scale_tally_add(w->tally, number, channel,
                                    take_chunk(w, channel, i, n, len),
                                    w->scratch, path));
      }
    }
  }
done:
  return st;
}

h3d_status
h3d_convert_box(h3d_convert_worker *w, int64_t s, const int64_t start[3],
                const int64_t len[3])
{
  const h3d_convert *c = w->c;
  const int channels = c->survey->about[0].channels;
  const int64_t voxels = len[0] * len[1] * len[2];
  h3d_elem elem = c->survey->elem;
  size_t size = h3d_elem_size(elem);
  int64_t from[3];
  h3d_status st;

  h3d_convert_start(c, s, from);
  for (int a = 0; a < 3; a++) {
    from[a] += start[a];
  }
  if (h3d_dataset_is_kept(w->writer)) {
    H3D_TRY(h3d_dataset_read_kept(w->writer, start, len, w->voxels));
  } else {
    H3D_TRY(w->source.kind->read(&w->source, from, len, w->raw));
    h3d_scale_convert((h3d_h5_type)w->source.about.type, elem,
                      voxels * channels, w->raw, w->voxels);
  }
  for (int k = 0; k < channels; k++) {
    st = elem == H3D_ELEM_F32
           ? tally_chunks(w, k, start, len)
           : h3d_scale_tally_add(w->tally, 0, k, voxels,
                                 (const char *)w->voxels
                                   + (size_t)(k * voxels) * size,
                                 c->in->path[w->file]);
    H3D_TRY(st);
  }
done:
  return st;
}

h3d_status
h3d_convert_sum(h3d_convert_worker *w, int64_t s)
{
  const h3d_convert *c = w->c;
  const int channels = c->survey->about[0].channels;
  h3d_scale_sum *sum = &w->sum[(s - w->first) * channels];

  h3d_scale_tally_sums(w->tally, sum);
  for (int k = 0; k < channels; k++) {
    if (c->normalize == H3D_NORMALIZE_LOG1P && sum[k].min <= -1) {
      return h3d_fail(H3D_ERR_FILE,
                      "%s: a voxel is %g, and log1p wants more than -1; take "
                      "--normalize zscore or none",
                      c->in->path[w->file], sum[k].min);
    }
  }
  return H3D_OK;
}

static h3d_status
convert_one(h3d_convert_worker *w, int64_t s)
{
  static const int64_t zero[3] = { 0, 0, 0 };
  const h3d_convert *c = w->c;
  h3d_sample sample = { 0 };
  const float *target;
  double geometry[16];
  int64_t extent[3];
  h3d_status st;

  h3d_convert_extent(c, extent);
  h3d_scale_tally_clear(w->tally);
  H3D_TRY(h3d_convert_go_to(w, s / h3d_convert_cubes(c)));
  H3D_TRY(h3d_convert_box(w, s, zero, extent));
  H3D_TRY(h3d_convert_sum(w, s));
  h3d_convert_about(w, s, &sample, geometry);
  target = c->targets->value + sample.family * c->targets->n;
  st = h3d_dataset_is_kept(w->writer)
         ? h3d_dataset_keep(w->writer, &sample, target)
         : h3d_dataset_add(w->writer, &sample, w->voxels, target, geometry);
done:
  h3d_free(sample.id);
  return st;
}

static h3d_status
convert_mine(h3d_convert_worker *w)
{
  const h3d_convert *c = w->c;
  h3d_progress bar;
  h3d_status st;

  h3d_progress_begin(&bar, "preprocess", "samples of rank 0",
                     w->end - w->first);
  H3D_TRY(h3d_alloc((size_t)h3d_convert_numbers(c),
                    (size_t)h3d_convert_raw_size(c), &w->raw));
  H3D_TRY(h3d_alloc((size_t)h3d_convert_numbers(c),
                    h3d_elem_size(c->survey->elem), &w->voxels));
  for (int64_t s = w->first; s < w->end; s++) {
    H3D_TRY(convert_one(w, s));
    h3d_progress_set(&bar, s + 1 - w->first);
  }
done:
  h3d_progress_end(&bar);
  return st;
}

/* The recipe that "auto" means: counts are whole numbers from 0 on. */
static void
choose_recipe(const h3d_convert *c, const h3d_scale_sum *sum, int64_t n,
              h3d_recipe *recipe, int *standardize)
{
  h3d_normalize word = c->normalize;
  int counts = c->survey->elem != H3D_ELEM_F32;

  for (int64_t i = 0; i < n; i++) {
    counts = counts && sum[i].min >= 0;
  }
  if (word == H3D_NORMALIZE_AUTO) {
    word = counts ? H3D_NORMALIZE_LOG1P : H3D_NORMALIZE_NONE;
    h3d_log("normalize: %s", counts ? "voxels are counts: log1p, then mean 0 "
                                      "and deviation 1"
                                    : "voxels are no counts: none (zscore "
                                      "would give mean 0 and deviation 1)");
  }
  *recipe = word == H3D_NORMALIZE_LOG1P ? H3D_RECIPE_LOG1P : H3D_RECIPE_NONE;
  *standardize = word != H3D_NORMALIZE_NONE;
}

static h3d_status
combine(const h3d_convert *c, const h3d_scale_sum *sum, h3d_recipe recipe,
        int standardize, h3d_channel_stats *stats)
{
  int64_t samples = h3d_convert_samples(c), cubes = h3d_convert_cubes(c);
  int channels = c->survey->about[0].channels;
  const h3d_scale_sum **mine = h3d_new((size_t)samples, sizeof *mine);
  h3d_status st = H3D_OK;

  for (int k = 0; k < channels; k++) {
    int64_t n = 0;

    for (int64_t s = 0; s < samples; s++) {
      if (c->subset[s / cubes] == H3D_SUBSET_TRAIN) {
        mine[n++] = &sum[s * channels + k];
      }
    }
    stats[k] = h3d_scale_combine(mine, n, recipe);
    if (standardize && !(stats[k].dev > 0) && st == H3D_OK) {
      st = h3d_fail(H3D_ERR_FILE,
                    "channel %d (%s) is %g in every training voxel: it cannot "
                    "be standardised; leave it out, or take --normalize none",
                    k, c->survey->about[0].channel[k], stats[k].mean);
    }
  }
  h3d_free(mine);
  return st;
}

/* Statistics, then the index. */
static h3d_status
finish(MPI_Comm comm, h3d_convert_worker *w)
{
  const h3d_convert *c = w->c;
  int channels = c->survey->about[0].channels, standardize;
  /* Together all ranks have all sums. */
  int has_sums = c->pieces.n == 0 || h3d_comm_rank(comm) == 0;
  int64_t n = has_sums ? (w->end - w->first) * channels : 0;
  h3d_channel_stats *stats = h3d_new((size_t)channels, sizeof *stats);
  h3d_scale_sum *all;
  size_t bytes;
  h3d_recipe recipe;
  h3d_status st;

  h3d_gather_all(comm, w->sum, (size_t)n * sizeof *w->sum, (void **)&all,
                 &bytes);
  choose_recipe(c, all, (int64_t)(bytes / sizeof *all), &recipe, &standardize);
  /* The same numbers on all ranks: so is the status. */
  st = combine(c, all, recipe, standardize, stats);
  if (st == H3D_OK) {
    st = h3d_dataset_finish(&w->writer, recipe, standardize, stats);
  } else {
    h3d_dataset_abandon(&w->writer);
  }
  h3d_free(all);
  h3d_free(stats);
  return st;
}

/* The dataset's words and numbers, borrowed. */
static h3d_dataset_info
plan_of(const h3d_convert *c, char **channel)
{
  const h3d_survey *s = c->survey;
  h3d_dataset_info n = { .samples = h3d_convert_samples(c),
                         .channels = s->about[0].channels,
                         .channel_name = channel,
                         .elem = s->elem,
                         .spacing_unit = (char *)s->unit,
                         .targets = c->targets->n,
                         .target_name = c->targets->name,
                         .target_unit = c->targets->unit,
                         .target_offset = c->targets->offset,
                         .target_scale = c->targets->scale,
                         .command = (char *)c->command };

  h3d_convert_extent(c, n.extent);
  memcpy(n.chunk, c->chunk, sizeof n.chunk);
  memcpy(n.spacing, s->spacing, sizeof n.spacing);
  for (int k = 0; k < n.channels; k++) {
    channel[k] = (char *)s->about[0].channel[k];
  }
  return n;
}

static int64_t
chunks_of(const h3d_convert *c)
{
  int64_t extent[3], chunks = 1;

  h3d_convert_extent(c, extent);
  for (int a = 0; a < 3; a++) {
    chunks *= (extent[a] + c->chunk[a] - 1) / c->chunk[a];
  }
  return chunks;
}

h3d_status
h3d_convert_run(MPI_Comm comm, const h3d_convert *c)
{
  char *channel[H3D_SOURCE_CHANNELS];
  const h3d_dataset_info plan = plan_of(c, channel);
  const int together = c->pieces.n > 0;
  int64_t r = h3d_comm_rank(comm), p = h3d_comm_size(comm);
  h3d_convert_worker w
    = { .c = c,
        .first = together ? 0 : r * plan.samples / p,
        .end = together ? plan.samples : (r + 1) * plan.samples / p,
        .file = -1 };
  h3d_dataset_options options = c->options;
  h3d_status st;

  options.together = together;
  st = h3d_dataset_create(comm, c->out, &plan, w.end - w.first, &options,
                          &w.writer);
  if (st != H3D_OK) {
    return st;
  }
  w.sum = h3d_new((size_t)((w.end - w.first) * plan.channels), sizeof *w.sum);
  w.tally = h3d_scale_tally_new(plan.elem, plan.channels, chunks_of(c));
  w.scratch = h3d_new((size_t)(c->chunk[0] * c->chunk[1] * c->chunk[2]),
                      h3d_elem_size(plan.elem));
  st = h3d_agree(comm,
                 together ? h3d_convert_together(comm, &w) : convert_mine(&w));
  if (w.file >= 0) {
    h3d_source_close(&w.source);
  }
  h3d_free(w.voxels);
  h3d_free(w.raw);
  h3d_free(w.scratch);
  h3d_scale_tally_free(&w.tally);
  if (st == H3D_OK) {
    st = finish(comm, &w);
  } else {
    h3d_dataset_abandon(&w.writer);
  }
  h3d_free(w.sum);
  return st;
}
