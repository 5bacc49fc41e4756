/* The index as a file, index.h5. */
#include "config.h"

#include "base/mem.h"
#include "io/dataset_impl.h"
#include "io/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const elem_words[] = { "int16", "uint8", "float32" };
static const char *const recipe_words[] = { "none", "log1p" };
static const char axes[] = "n c d h w";

static const h3d_column sample_columns[] = {
  H3D_COLUMN("/sample/shard", H3D_H5_I32, h3d_sample, shard),
  H3D_COLUMN("/sample/row", H3D_H5_I64, h3d_sample, row),
  H3D_COLUMN("/sample/family", H3D_H5_I64, h3d_sample, family),
  H3D_COLUMN("/sample/subset", H3D_H5_U32, h3d_sample, subset),
  H3D_COLUMN("/sample/content", H3D_H5_U64, h3d_sample, content),
};
static const h3d_column channel_columns[] = {
  H3D_COLUMN("/channel/mean", H3D_H5_F64, h3d_channel_stats, mean),
  H3D_COLUMN("/channel/deviation", H3D_H5_F64, h3d_channel_stats, dev),
  H3D_COLUMN("/channel/minimum", H3D_H5_F64, h3d_channel_stats, min),
  H3D_COLUMN("/channel/maximum", H3D_H5_F64, h3d_channel_stats, max),
  H3D_COLUMN("/channel/count", H3D_H5_I64, h3d_channel_stats, count),
  H3D_COLUMN("/channel/nans", H3D_H5_I64, h3d_channel_stats, nans),
};
static const h3d_column shard_columns[] = {
  H3D_COLUMN("/shard/rows", H3D_H5_I64, h3d_shard, rows),
  H3D_COLUMN("/shard/bytes", H3D_H5_I64, h3d_shard, bytes),
};

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static h3d_status
write_texts(h3d_h5 *f, const char *name, int64_t n, char *const *text)
{
  return h3d_table_write_text(f, name, 0, n, sizeof *text, text);
}

static h3d_status
write_tables(h3d_h5 *f, const h3d_index *x)
{
  const h3d_dataset_info *n = &x->info;
  const int64_t targets = n->targets;
  h3d_status st;

  H3D_TRY(h3d_table_write(f, sample_columns, COUNT(sample_columns), n->samples,
                          sizeof *n->sample, n->sample));
  H3D_TRY(h3d_table_write_text(f, "/sample/id", offsetof(h3d_sample, id),
                               n->samples, sizeof *n->sample, n->sample));
  H3D_TRY(h3d_table_write_text(f, "/sample/source",
                               offsetof(h3d_sample, source), n->samples,
                               sizeof *n->sample, n->sample));
  H3D_TRY(h3d_table_write(f, channel_columns, COUNT(channel_columns),
                          n->channels, sizeof *n->stats, n->stats));
  H3D_TRY(write_texts(f, "/channel/name", n->channels, n->channel_name));
  H3D_TRY(h3d_table_write(f, shard_columns, COUNT(shard_columns), x->shards,
                          sizeof *x->shard, x->shard));
  H3D_TRY(h3d_table_write_text(f, "/shard/name", offsetof(h3d_shard, name),
                               x->shards, sizeof *x->shard, x->shard));
  H3D_TRY(write_texts(f, "/target/name", targets, n->target_name));
  H3D_TRY(write_texts(f, "/target/unit", targets, n->target_unit));
  H3D_TRY(h3d_h5_write_all(f, "/target/offset", H3D_H5_F64, 1, &targets, NULL,
                           n->target_offset));
  H3D_TRY(h3d_h5_write_all(f, "/target/scale", H3D_H5_F64, 1, &targets, NULL,
                           n->target_scale));
done:
  return st;
}

static h3d_status
write_head(h3d_h5 *f, const h3d_index *x)
{
  const h3d_dataset_info *n = &x->info;
  const int64_t format = H3D_DATASET_FORMAT, standardize = n->standardize;
  char identity[17];
  h3d_status st;

  snprintf(identity, sizeof identity, "%016" PRIx64, n->identity);
  H3D_TRY(h3d_h5_write_ints(f, "/", "h3d_format", 1, &format));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "axes", axes));
  H3D_TRY(h3d_h5_write_ints(f, "/", "extent", 3, n->extent));
  H3D_TRY(h3d_h5_write_ints(f, "/", "chunk", 3, n->chunk));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "elem", elem_words[n->elem]));
  H3D_TRY(h3d_h5_write_reals(f, "/", "spacing", 3, n->spacing));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "spacing_unit", n->spacing_unit));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "recipe", recipe_words[n->recipe]));
  H3D_TRY(h3d_h5_write_ints(f, "/", "standardize", 1, &standardize));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "command", n->command));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "version", n->version));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "identity", identity));
done:
  return st;
}

h3d_status
h3d_index_write(const char *folder, h3d_index *x)
{
  char *path = h3d_sprintf("%s/index.h5", folder);
  h3d_h5 *f = NULL;
  h3d_status st;

  x->info.identity = h3d_index_identity(x);
  H3D_TRY(h3d_h5_create(path, &f));
  H3D_TRY(write_head(f, x));
  H3D_TRY(write_tables(f, x));
  st = h3d_h5_publish(&f);
done:
  h3d_h5_close(&f);
  h3d_free(path);
  return st;
}

static h3d_status
read_word(h3d_h5 *f, const char *name, const char *const *words, int n,
          int *out)
{
  char *text = NULL;
  h3d_status st = h3d_h5_read_attr_text(f, "/", name, &text);

  for (*out = 0; st == H3D_OK && *out < n; (*out)++) {
    if (strcmp(text, words[*out]) == 0) {
      break;
    }
  }
  if (st == H3D_OK && *out == n) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: %s is \"%s\", which this h3d does not "
                  "know; a newer one may",
                  h3d_h5_path(f), name, text);
  }
  h3d_free(text);
  return st;
}

static h3d_status
read_head(h3d_h5 *f, h3d_dataset_info *n)
{
  int64_t format, standardize;
  char *identity = NULL;
  int word;
  h3d_status st;

  H3D_TRY(h3d_h5_read_ints(f, "/", "h3d_format", 1, &format));
  if (format != H3D_DATASET_FORMAT) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: h3d_format is %" PRId64 ", this h3d reads %d; use the "
                  "h3d that wrote it, or preprocess again",
                  h3d_h5_path(f), format, (int)H3D_DATASET_FORMAT);
    goto done;
  }
  H3D_TRY(h3d_h5_read_ints(f, "/", "extent", 3, n->extent));
  H3D_TRY(h3d_h5_read_ints(f, "/", "chunk", 3, n->chunk));
  H3D_TRY(read_word(f, "elem", elem_words, COUNT(elem_words), &word));
  n->elem = (h3d_elem)word;
  H3D_TRY(read_word(f, "recipe", recipe_words, COUNT(recipe_words), &word));
  n->recipe = (h3d_recipe)word;
  H3D_TRY(h3d_h5_read_reals(f, "/", "spacing", 3, n->spacing));
  H3D_TRY(h3d_h5_read_attr_text(f, "/", "spacing_unit", &n->spacing_unit));
  H3D_TRY(h3d_h5_read_ints(f, "/", "standardize", 1, &standardize));
  n->standardize = standardize != 0;
  H3D_TRY(h3d_h5_read_attr_text(f, "/", "command", &n->command));
  H3D_TRY(h3d_h5_read_attr_text(f, "/", "version", &n->version));
  H3D_TRY(h3d_h5_read_attr_text(f, "/", "identity", &identity));
  n->identity = strtoull(identity, NULL, 16);
done:
  h3d_free(identity);
  return st;
}

static h3d_status
ask_length(h3d_h5 *f, const char *name, int64_t *n)
{
  h3d_h5_about a;
  h3d_status st = h3d_h5_ask(f, name, &a);

  *n = a.shape[0];
  if (st == H3D_OK && a.ndims != 1) {
    st = h3d_fail(H3D_ERR_FILE, "%s: %s has %d axes, wanted is one",
                  h3d_h5_path(f), name, a.ndims);
  }
  return st;
}

static h3d_status
read_tables(h3d_h5 *f, h3d_index *x)
{
  h3d_dataset_info *n = &x->info;
  int64_t channels, targets;
  h3d_status st;

  H3D_TRY(ask_length(f, "/sample/id", &n->samples));
  H3D_TRY(ask_length(f, "/channel/name", &channels));
  H3D_TRY(ask_length(f, "/target/name", &targets));
  H3D_TRY(ask_length(f, "/shard/name", &x->shards));
  n->channels = (int)channels;
  n->targets = (int)targets;
  n->sample = h3d_new((size_t)n->samples, sizeof *n->sample);
  n->stats = h3d_new((size_t)channels, sizeof *n->stats);
  n->channel_name = h3d_new((size_t)channels, sizeof *n->channel_name);
  n->target_name = h3d_new((size_t)targets, sizeof *n->target_name);
  n->target_unit = h3d_new((size_t)targets, sizeof *n->target_unit);
  n->target_offset = h3d_new((size_t)targets, sizeof *n->target_offset);
  n->target_scale = h3d_new((size_t)targets, sizeof *n->target_scale);
  x->shard = h3d_new((size_t)x->shards, sizeof *x->shard);
  H3D_TRY(h3d_table_read(f, sample_columns, COUNT(sample_columns), n->samples,
                         sizeof *n->sample, n->sample));
  H3D_TRY(h3d_table_read_text(f, "/sample/id", offsetof(h3d_sample, id),
                              n->samples, sizeof *n->sample, n->sample));
  H3D_TRY(h3d_table_read_text(f, "/sample/source",
                              offsetof(h3d_sample, source), n->samples,
                              sizeof *n->sample, n->sample));
  H3D_TRY(h3d_table_read(f, channel_columns, COUNT(channel_columns), channels,
                         sizeof *n->stats, n->stats));
  H3D_TRY(h3d_table_read_text(f, "/channel/name", 0, channels,
                              sizeof *n->channel_name, n->channel_name));
  H3D_TRY(h3d_table_read(f, shard_columns, COUNT(shard_columns), x->shards,
                         sizeof *x->shard, x->shard));
  H3D_TRY(h3d_table_read_text(f, "/shard/name", offsetof(h3d_shard, name),
                              x->shards, sizeof *x->shard, x->shard));
  H3D_TRY(h3d_table_read_text(f, "/target/name", 0, targets,
                              sizeof *n->target_name, n->target_name));
  H3D_TRY(h3d_table_read_text(f, "/target/unit", 0, targets,
                              sizeof *n->target_unit, n->target_unit));
  H3D_TRY(h3d_h5_read_all(f, "/target/offset", H3D_H5_F64, 1, &targets,
                          n->target_offset));
  H3D_TRY(h3d_h5_read_all(f, "/target/scale", H3D_H5_F64, 1, &targets,
                          n->target_scale));
done:
  return st;
}

/* What the rest of h3d takes for granted. */
static h3d_status
check(h3d_h5 *f, const h3d_index *x)
{
  const h3d_dataset_info *n = &x->info;
  int good = n->samples > 0 && n->channels > 0 && x->shards > 0;

  for (int a = 0; a < 3; a++) {
    good = good && n->extent[a] > 0 && n->chunk[a] > 0
           && n->chunk[a] <= n->extent[a];
  }
  for (int64_t i = 0; good && i < n->samples; i++) {
    const h3d_sample *s = &n->sample[i];

    good = s->shard >= 0 && s->shard < x->shards && s->row >= 0
           && s->row < x->shard[s->shard].rows && s->subset < H3D_SUBSETS;
  }
  if (!good || n->identity != h3d_index_identity(x)) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: the index is damaged (its contents do not fit "
                    "together or not its hash); preprocess again",
                    h3d_h5_path(f));
  }
  return H3D_OK;
}

static h3d_status
is_there(const char *folder, const char *path)
{
  if (access(path, F_OK) == 0) {
    return H3D_OK;
  }
  if (access(folder, F_OK) != 0) {
    return h3d_fail(H3D_ERR_FILE, "%s: there is no such dataset", folder);
  }
  return h3d_fail(
    H3D_ERR_FILE,
    "%s: no index.h5 in it: not an h3d dataset, or an unfinished "
    "one; run h3d-preprocess (--force replaces an unfinished one)",
    folder);
}

h3d_status
h3d_index_read(const char *folder, h3d_index *x)
{
  char *path = h3d_sprintf("%s/index.h5", folder);
  h3d_h5 *f = NULL;
  h3d_status st;

  memset(x, 0, sizeof *x);
  H3D_TRY(is_there(folder, path));
  H3D_TRY(h3d_h5_open(path, &f));
  H3D_TRY(read_head(f, &x->info));
  H3D_TRY(read_tables(f, x));
  st = check(f, x);
done:
  h3d_h5_close(&f);
  h3d_free(path);
  return st;
}
