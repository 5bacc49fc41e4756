#include "config.h"

#include "convert.h"

#include "base/agree.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"
#include "scale.h"

#include <inttypes.h>
#include <string.h>

/* One rank at work. */
struct worker {
  const h3d_convert *c;
  h3d_dataset_writer *writer;
  int64_t first, end; /* samples */
  h3d_source source;  /* open while file >= 0 */
  int64_t file;
  void *raw, *voxels;
  h3d_scale_sum *sum; /* [samples of this rank][channels] */
};

static h3d_status
go_to_file(struct worker *w, int64_t file)
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

static h3d_status
check_range(const struct worker *w, const h3d_scale_sum *s)
{
  if (w->c->normalize == H3D_NORMALIZE_LOG1P && s->min <= -1) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: a voxel is %g, and log1p wants more than -1; take "
                    "--normalize zscore or none",
                    w->c->in->path[w->file], s->min);
  }
  return H3D_OK;
}

/* Voxel to world of a cube that begins at start. */
static void
place(const h3d_source_about *a, const int64_t start[3], double m[16])
{
  memset(m, 0, 16 * sizeof *m);
  for (int i = 0; i < 3; i++) {
    m[5 * i] = a->spacing[i];
    m[4 * i + 3] = a->spacing[i] * (double)start[i];
  }
  m[15] = 1;
}

static h3d_status
add_sample(struct worker *w, int64_t cube, const int64_t start[3],
           const void *voxels)
{
  const h3d_convert *c = w->c;
  const h3d_inputs *in = c->in;
  char *id = c->cube > 0 ? h3d_sprintf("%s_%03" PRId64, in->id[w->file], cube)
                         : h3d_strdup(in->id[w->file]);
  const h3d_sample sample = { .id = id,
                              .source = in->path[w->file],
                              .family = w->file,
                              .subset = c->subset[w->file] };
  double geometry[16];
  h3d_status st;

  place(&w->source.about, start, geometry);
  st = h3d_dataset_add(w->writer, &sample, voxels,
                       c->targets->value + w->file * c->targets->n, geometry);
  h3d_free(id);
  return st;
}

static h3d_status
convert_one(struct worker *w, int64_t s)
{
  const h3d_convert *c = w->c;
  const h3d_source_about *a = &c->survey->about[0];
  int64_t cubes = h3d_convert_cubes(c), cube = s % cubes,
          all = h3d_convert_numbers(c);
  int64_t extent[3], start[3], voxels = all / a->channels;
  h3d_elem elem = c->survey->elem;
  h3d_h5_type type;
  h3d_status st;

  h3d_convert_extent(c, extent);
  H3D_TRY(go_to_file(w, s / cubes));
  /* First axis outermost, as the public cubes are numbered. */
  start[2] = cube % (a->extent[2] / extent[2]) * extent[2];
  start[1] = cube / (a->extent[2] / extent[2]) % (a->extent[1] / extent[1])
             * extent[1];
  start[0] = cube / (a->extent[2] / extent[2]) / (a->extent[1] / extent[1])
             * extent[0];
  H3D_TRY(w->source.kind->read(&w->source, start, extent, w->raw));
  type = (h3d_h5_type)w->source.about.type;
  h3d_scale_convert(type, elem, all, w->raw, w->voxels);
  for (int k = 0; k < a->channels; k++) {
    h3d_scale_sum *sum = &w->sum[(s - w->first) * a->channels + k];

    H3D_TRY(h3d_scale_sum_up(elem, voxels,
                             (const char *)w->voxels
                               + (size_t)(k * voxels) * h3d_elem_size(elem),
                             c->in->path[w->file], sum));
    H3D_TRY(check_range(w, sum));
  }
  st = add_sample(w, cube, start, w->voxels);
done:
  return st;
}

static h3d_status
convert_mine(struct worker *w)
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
  if (w->file >= 0) {
    h3d_source_close(&w->source);
  }
  h3d_free(w->voxels);
  h3d_free(w->raw);
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
finish(MPI_Comm comm, struct worker *w)
{
  const h3d_convert *c = w->c;
  int channels = c->survey->about[0].channels, standardize;
  size_t mine = (size_t)((w->end - w->first) * channels) * sizeof *w->sum;
  h3d_channel_stats *stats = h3d_new((size_t)channels, sizeof *stats);
  h3d_scale_sum *all;
  size_t bytes;
  h3d_recipe recipe;
  h3d_status st;

  h3d_gather_all(comm, w->sum, mine, (void **)&all, &bytes);
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

h3d_status
h3d_convert_run(MPI_Comm comm, const h3d_convert *c)
{
  char *channel[H3D_SOURCE_CHANNELS];
  const h3d_dataset_info plan = plan_of(c, channel);
  int64_t r = h3d_comm_rank(comm), p = h3d_comm_size(comm);
  struct worker w = { .c = c,
                      .first = r * plan.samples / p,
                      .end = (r + 1) * plan.samples / p,
                      .file = -1 };
  h3d_status st = h3d_dataset_create(comm, c->out, &plan, w.end - w.first,
                                     &c->options, &w.writer);

  if (st != H3D_OK) {
    return st;
  }
  w.sum = h3d_new((size_t)((w.end - w.first) * plan.channels), sizeof *w.sum);
  st = h3d_agree(comm, convert_mine(&w));
  if (st == H3D_OK) {
    st = finish(comm, &w);
  } else {
    h3d_dataset_abandon(&w.writer);
  }
  h3d_free(w.sum);
  return st;
}
