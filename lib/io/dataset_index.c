#include "config.h"

#include "base/mem.h"
#include "io/dataset_impl.h"

#include <string.h>
#include <xxhash.h>

/* One walk over an index serves packing, unpacking and hashing, so that the
 * three cannot disagree.
 */
enum mode { PACK, UNPACK, HASH };

struct stream {
  enum mode mode;
  char *bytes;
  size_t at, room;
};

static void
pass(struct stream *s, void *value, size_t n)
{
  if (n == 0) {
    return;
  }
  if (s->mode == UNPACK) {
    memcpy(value, s->bytes + s->at, n);
  } else {
    if (s->at + n > s->room) {
      s->room = 2 * (s->at + n);
      s->bytes = h3d_grow(s->bytes, s->room, 1);
    }
    memcpy(s->bytes + s->at, value, n);
  }
  s->at += n;
}

static void
pass_text(struct stream *s, char **text)
{
  uint64_t n = s->mode == UNPACK || *text == NULL ? 0 : strlen(*text);

  pass(s, &n, sizeof n);
  if (s->mode == UNPACK) {
    *text = h3d_new(n + 1, 1);
  }
  pass(s, *text, n);
}

/* n items of size bytes; made when unpacking. */
static void
pass_array(struct stream *s, void *array, int64_t n, size_t size)
{
  void *at;

  if (s->mode == UNPACK) {
    at = h3d_new((size_t)n, size);
    memcpy(array, &at, sizeof at);
  }
  memcpy(&at, array, sizeof at);
  pass(s, at, (size_t)n * size);
}

static void
pass_texts(struct stream *s, char ***text, int64_t n)
{
  if (s->mode == UNPACK) {
    *text = h3d_new((size_t)n, sizeof **text);
  }
  for (int64_t i = 0; i < n; i++) {
    pass_text(s, &(*text)[i]);
  }
}

static void
pass_sample(struct stream *s, h3d_sample *p)
{
  pass_text(s, &p->id);
  pass(s, &p->family, sizeof p->family);
  pass(s, &p->subset, sizeof p->subset);
  pass(s, &p->content, sizeof p->content);
  if (s->mode != HASH) {
    pass_text(s, &p->source);
    pass(s, &p->shard, sizeof p->shard);
    pass(s, &p->row, sizeof p->row);
  }
}

static void
pass_rest(struct stream *s, h3d_index *x)
{
  h3d_dataset_info *n = &x->info;

  pass_text(s, &n->command);
  pass_text(s, &n->version);
  pass(s, &n->identity, sizeof n->identity);
  pass(s, &x->shards, sizeof x->shards);
  if (s->mode == UNPACK) {
    x->shard = h3d_new((size_t)x->shards, sizeof *x->shard);
  }
  for (int64_t i = 0; i < x->shards; i++) {
    pass_text(s, &x->shard[i].name);
    pass(s, &x->shard[i].rows, sizeof x->shard[i].rows);
    pass(s, &x->shard[i].bytes, sizeof x->shard[i].bytes);
  }
}

static void
walk(struct stream *s, h3d_index *x)
{
  h3d_dataset_info *n = &x->info;

  pass(s, &n->samples, sizeof n->samples);
  pass(s, &n->channels, sizeof n->channels);
  pass(s, &n->targets, sizeof n->targets);
  pass(s, n->extent, sizeof n->extent);
  pass(s, n->chunk, sizeof n->chunk);
  pass(s, &n->elem, sizeof n->elem);
  pass(s, n->spacing, sizeof n->spacing);
  pass_text(s, &n->spacing_unit);
  pass(s, &n->recipe, sizeof n->recipe);
  pass(s, &n->standardize, sizeof n->standardize);
  if (s->mode == UNPACK) {
    n->sample = h3d_new((size_t)n->samples, sizeof *n->sample);
  }
  for (int64_t i = 0; i < n->samples; i++) {
    pass_sample(s, &n->sample[i]);
  }
  pass_texts(s, &n->channel_name, n->channels);
  pass_array(s, &n->stats, n->channels, sizeof *n->stats);
  pass_texts(s, &n->target_name, n->targets);
  pass_texts(s, &n->target_unit, n->targets);
  pass_array(s, &n->target_offset, n->targets, sizeof *n->target_offset);
  pass_array(s, &n->target_scale, n->targets, sizeof *n->target_scale);
  if (s->mode != HASH) {
    pass_rest(s, x);
  }
}

void
h3d_index_pack(const h3d_index *x, void **bytes, size_t *n)
{
  struct stream s = { .mode = PACK };
  h3d_index borrowed = *x;

  walk(&s, &borrowed);
  *bytes = s.bytes;
  *n = s.at;
}

void
h3d_index_unpack(h3d_index *x, const void *bytes, size_t n)
{
  struct stream s = { .mode = UNPACK, .room = n };

  s.bytes = h3d_new(n, 1);
  memcpy(s.bytes, bytes, n);
  memset(x, 0, sizeof *x);
  walk(&s, x);
  h3d_free(s.bytes);
}

uint64_t
h3d_index_identity(const h3d_index *x)
{
  struct stream s = { .mode = HASH };
  h3d_index borrowed = *x;
  uint64_t hash;

  walk(&s, &borrowed);
  hash = XXH64(s.bytes, s.at, 0);
  h3d_free(s.bytes);
  return hash;
}

static void
free_texts(char **text, int64_t n)
{
  for (int64_t i = 0; text != NULL && i < n; i++) {
    h3d_free(text[i]);
  }
  h3d_free(text);
}

void
h3d_index_release(h3d_index *x)
{
  h3d_dataset_info *n = &x->info;

  for (int64_t i = 0; n->sample != NULL && i < n->samples; i++) {
    h3d_free(n->sample[i].id);
    h3d_free(n->sample[i].source);
  }
  h3d_free(n->sample);
  free_texts(n->channel_name, n->channels);
  free_texts(n->target_name, n->targets);
  free_texts(n->target_unit, n->targets);
  h3d_free(n->target_offset);
  h3d_free(n->target_scale);
  h3d_free(n->stats);
  h3d_free(n->spacing_unit);
  h3d_free(n->command);
  h3d_free(n->version);
  for (int64_t i = 0; x->shard != NULL && i < x->shards; i++) {
    h3d_free(x->shard[i].name);
  }
  h3d_free(x->shard);
  memset(x, 0, sizeof *x);
}
