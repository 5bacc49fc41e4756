#include "config.h"

#include "io/dataset_write.h"

#include "base/agree.h"
#include "base/check.h"
#include "base/mem.h"
#include "io/dataset_impl.h"
#include "io/dataset_shard.h"
#include "io/dataset_write_impl.h"
#include "io/folder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A shard is moved, copied and checked as a whole: neither tiny nor huge. */
static const int64_t shard_bytes = INT64_C(1) << 30;

static const char *const files[]
  = { "index.h5", "shard-#.h5", H3D_DATASET_RECORD, NULL };
static const h3d_folder_kind folder
  = { "a dataset", files, "go on with an unfinished one by --resume, " };

static int64_t
sample_bytes(const h3d_dataset_info *n)
{
  return n->extent[0] * n->extent[1] * n->extent[2] * n->channels
         * (int64_t)h3d_elem_size(n->elem);
}

static int64_t
shards_for(const h3d_dataset_writer *w, int64_t samples)
{
  return (samples + w->rows - 1) / w->rows;
}

/* Shards are numbered through all ranks. */
static void
number_shards(h3d_dataset_writer *w)
{
  int64_t shards = shards_for(w, w->mine), *all;
  size_t n;

  h3d_gather_all(w->comm, &shards, sizeof shards, (void **)&all, &n);
  for (int r = 0; r < h3d_comm_rank(w->comm); r++) {
    w->first += all[r];
  }
  h3d_free(all);
}

h3d_status
h3d_dataset_may_create(const char *path, int force)
{
  return h3d_folder_may_create(&folder, path, force);
}

h3d_status
h3d_dataset_create(MPI_Comm comm, const char *path,
                   const h3d_dataset_info *plan, int64_t mine,
                   const h3d_dataset_options *options,
                   h3d_dataset_writer **out)
{
  h3d_status st = H3D_OK;
  h3d_dataset_writer *w;
  int64_t per_sample = sample_bytes(plan);

  *out = NULL;
  if (h3d_comm_rank(comm) == 0) {
    st = options->resume ? H3D_OK
                         : h3d_folder_begin(&folder, path, options->force);
    if (st == H3D_OK && !options->resume && options->record != NULL) {
      st = h3d_record_write(path, options->record);
    }
  }
  st = h3d_agree(comm, st);
  if (st != H3D_OK) {
    return st;
  }
  *out = w = h3d_new(1, sizeof *w);
  w->comm = comm;
  w->path = h3d_strdup(path);
  w->part = h3d_sprintf("%s/" H3D_FOLDER_PART, path);
  w->plan = *plan;
  w->deflate = options->deflate;
  w->mine = mine;
  if (plan->chunk[0] == 0) {
    h3d_dataset_choose_chunk(plan->extent, plan->channels, plan->elem,
                             w->plan.chunk);
  }
  w->rows = per_sample < shard_bytes ? shard_bytes / per_sample : 1;
  w->together = options->together;
  w->resume = options->resume;
  if (!w->together) {
    number_shards(w);
  }
  w->index.info.sample = h3d_new((size_t)mine, sizeof(h3d_sample));
  w->index.shard = h3d_new((size_t)shards_for(w, mine), sizeof(h3d_shard));
  return H3D_OK;
}

const int64_t *
h3d_dataset_writer_chunk(const h3d_dataset_writer *w)
{
  return w->plan.chunk;
}

/* Its name and rows; the path to write it to is the caller's to free. */
char *
h3d_dataset_next_shard(h3d_dataset_writer *w)
{
  int64_t left = w->mine - w->added, number = w->first + w->index.shards;
  h3d_shard *s = &w->index.shard[w->index.shards];

  h3d_free(s->name);
  s->name = h3d_sprintf("shard-%05" PRId64 ".h5", number);
  s->rows = left < w->rows ? left : w->rows;
  return h3d_sprintf("%s/%s", w->part, s->name);
}

static h3d_status
begin_shard(h3d_dataset_writer *w)
{
  char *path = h3d_dataset_next_shard(w);
  int64_t rows = w->index.shard[w->index.shards].rows;
  h3d_status st;

  st = w->together
         ? h3d_shard_together_create(w->comm, path, &w->plan, rows, w->deflate,
                                     &w->shared)
         : h3d_shard_create(path, &w->plan, rows, w->deflate, &w->open);
  h3d_free(path);
  return st;
}

/* The sample is written: into the index, and the shard, if full, to its name.
 */
h3d_status
h3d_dataset_note(h3d_dataset_writer *w, const h3d_sample *s, uint64_t content)
{
  h3d_sample *kept = &w->index.info.sample[w->added];
  h3d_shard *shard = &w->index.shard[w->index.shards];
  h3d_status st = H3D_OK;

  kept->content = content;
  kept->id = h3d_strdup(s->id);
  kept->source = h3d_strdup(s->source);
  kept->family = s->family;
  kept->subset = s->subset;
  kept->shard = (int32_t)(w->first + w->index.shards);
  kept->row = w->added % w->rows;
  w->index.info.samples = ++w->added;
  if (kept->row + 1 == shard->rows) {
    st = w->kept != NULL ? h3d_dataset_end_kept(w, &shard->bytes)
         : w->together   ? h3d_shard_together_finish(&w->shared, &shard->bytes)
                         : h3d_shard_finish(&w->open, &shard->bytes);
    w->index.shards += st == H3D_OK;
  }
  return st;
}

h3d_status
h3d_dataset_add(h3d_dataset_writer *w, const h3d_sample *s, const void *volume,
                const float *target, const double *geometry)
{
  uint64_t content;
  h3d_status st = H3D_OK;

  H3D_ASSERT(w->added < w->mine && !w->together);
  if (w->open == NULL) {
    H3D_TRY(begin_shard(w));
  }
  H3D_TRY(h3d_shard_add(w->open, s->id, s->source, volume, target, geometry,
                        &content));
  st = h3d_dataset_note(w, s, content);
done:
  return st;
}

h3d_status
h3d_dataset_put(h3d_dataset_writer *w, const int64_t start[3],
                const int64_t len[3], const void *box)
{
  h3d_status st = H3D_OK;

  H3D_ASSERT(w->added < w->mine && w->together);
  if (w->shared == NULL) {
    H3D_TRY(begin_shard(w));
  }
  st = h3d_shard_together_put(w->shared, start, len, box);
done:
  return st;
}

h3d_status
h3d_dataset_end_sample(h3d_dataset_writer *w, const h3d_sample *s,
                       const float *target, const double *geometry)
{
  uint64_t content;

  H3D_ASSERT(w->shared != NULL);
  h3d_shard_together_end_row(w->shared, s->id, s->source, target, geometry,
                             &content);
  return h3d_dataset_note(w, s, content);
}

static int
by_id(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static h3d_status
check_ids(const h3d_dataset_info *n, const char *path)
{
  char **ids = h3d_new((size_t)n->samples, sizeof *ids);
  h3d_status st = H3D_OK;

  for (int64_t i = 0; i < n->samples; i++) {
    ids[i] = n->sample[i].id;
  }
  qsort(ids, (size_t)n->samples, sizeof *ids, by_id);
  for (int64_t i = 1; i < n->samples && st == H3D_OK; i++) {
    if (strcmp(ids[i - 1], ids[i]) == 0) {
      st = h3d_fail(H3D_ERR_USAGE, "%s: two samples have the id %s", path,
                    ids[i]);
    }
  }
  h3d_free(ids);
  return st;
}

/* Everyone's samples and shards, in rank order, into one index.  The pieces
 * keep nothing.
 */
static void
join(h3d_index *all, const char *bytes, size_t total)
{
  for (size_t at = 0; at < total;) {
    h3d_dataset_info *n = &all->info;
    uint64_t size;
    h3d_index part;

    memcpy(&size, bytes + at, sizeof size);
    h3d_index_unpack(&part, bytes + at + sizeof size, size);
    at += sizeof size + size;
    n->sample = h3d_grow(n->sample, (size_t)(n->samples + part.info.samples),
                         sizeof *n->sample);
    all->shard = h3d_grow(all->shard, (size_t)(all->shards + part.shards),
                          sizeof *all->shard);
    memcpy(n->sample + n->samples, part.info.sample,
           (size_t)part.info.samples * sizeof *n->sample);
    memcpy(all->shard + all->shards, part.shard,
           (size_t)part.shards * sizeof *all->shard);
    n->samples += part.info.samples;
    all->shards += part.shards;
    /* The strings have moved: the shell of the piece goes alone. */
    part.info.samples = part.shards = 0;
    h3d_index_release(&part);
  }
}

/* The plan's words and numbers, without owning them. */
static void
borrow_plan(h3d_index *x, const h3d_dataset_info *plan)
{
  h3d_sample *sample = x->info.sample;
  int64_t samples = x->info.samples;

  x->info = *plan;
  x->info.sample = sample;
  x->info.samples = samples;
  x->info.version = (char *)"h3d " PACKAGE_VERSION;
}

static void
release_borrower(h3d_index *x)
{
  h3d_index own = { .shards = x->shards, .shard = x->shard };

  own.info.samples = x->info.samples;
  own.info.sample = x->info.sample;
  h3d_index_release(&own);
  memset(x, 0, sizeof *x);
}

static void
gather(h3d_dataset_writer *w, h3d_index *all)
{
  const int is_mine = !w->together || h3d_comm_rank(w->comm) == 0;
  void *mine, *framed, *everything;
  size_t n, total;
  uint64_t size;

  h3d_index_pack(&w->index, &mine, &n);
  size = n;
  framed = h3d_new(1, sizeof size + n);
  memcpy(framed, &size, sizeof size);
  memcpy((char *)framed + sizeof size, mine, n);
  h3d_gather_all(w->comm, framed, is_mine ? sizeof size + n : 0, &everything,
                 &total);
  join(all, everything, total);
  h3d_free(everything);
  h3d_free(framed);
  h3d_free(mine);
}

static void
drop(h3d_dataset_writer **w)
{
  h3d_shard_abandon(&(*w)->open);
  h3d_shard_together_abandon(&(*w)->shared);
  h3d_h5_close(&(*w)->kept);
  if ((*w)->index.shard != NULL) {
    h3d_free((*w)->index.shards < shards_for(*w, (*w)->mine)
               ? (*w)->index.shard[(*w)->index.shards].name
               : NULL);
  }
  h3d_index_release(&(*w)->index);
  h3d_free((*w)->part);
  h3d_free((*w)->path);
  h3d_free(*w);
  *w = NULL;
}

h3d_status
h3d_dataset_finish(h3d_dataset_writer **w, h3d_recipe recipe, int standardize,
                   const h3d_channel_stats *stats)
{
  h3d_index all = { 0 };
  h3d_status st = H3D_OK;

  H3D_ASSERT((*w)->added == (*w)->mine && (*w)->open == NULL);
  H3D_ASSERT((*w)->shared == NULL);
  gather(*w, &all);
  borrow_plan(&all, &(*w)->plan);
  all.info.recipe = recipe;
  all.info.standardize = standardize;
  if (h3d_comm_rank((*w)->comm) == 0) {
    all.info.stats = h3d_new((size_t)all.info.channels, sizeof *stats);
    memcpy(all.info.stats, stats, (size_t)all.info.channels * sizeof *stats);
    st = check_ids(&all.info, (*w)->path);
    if (st == H3D_OK) {
      st = h3d_index_write((*w)->part, &all);
    }
    (*w)->whole = st == H3D_OK;
    if (st == H3D_OK) {
      h3d_record_remove((*w)->path);
    }
    if (st == H3D_OK) {
      st = h3d_folder_commit(&folder, (*w)->path);
    }
    h3d_free(all.info.stats);
  }
  release_borrower(&all);
  st = h3d_agree((*w)->comm, st);
  if (st != H3D_OK) {
    h3d_dataset_abandon(w);
    return st;
  }
  drop(w);
  return H3D_OK;
}

void
h3d_dataset_abandon(h3d_dataset_writer **w)
{
  if (*w == NULL) {
    return;
  }
  h3d_shard_abandon(&(*w)->open);
  h3d_shard_together_abandon(&(*w)->shared);
  /* No rank writes any more. */
  (void)h3d_agree((*w)->comm, H3D_OK);
  if (h3d_comm_rank((*w)->comm) == 0 && !(*w)->whole && !(*w)->resume) {
    h3d_folder_abandon((*w)->path);
  }
  drop(w);
}
