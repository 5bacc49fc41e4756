/* npy, npz, raw: one array per sample, (d,h,w), (d,h,w,c) or (c,d,h,w). */
#include "config.h"

#include "source.h"

#include "base/mem.h"
#include "io/cosmoflow.h"
#include "io/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const npy_suffixes[] = { ".npy", NULL };
static const char *const npz_suffixes[] = { ".npz", NULL };
static const char *const raw_suffixes[] = { ".raw", ".bin", NULL };

typedef struct array {
  h3d_npy *file;
  int axes, channel_first;
} array;

static h3d_status
ask_shape(h3d_source *s, array *f)
{
  h3d_source_about *a = &s->about;
  const int64_t *shape;

  f->axes = h3d_npy_shape(f->file, &shape);
  if (f->axes == 3) {
    a->channels = 1;
    memcpy(a->extent, shape, sizeof a->extent);
    return H3D_OK;
  }
  if (f->axes != 4) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: an array of %d axes, wanted is (d,h,w), (d,h,w,c) or "
                    "(c,d,h,w)",
                    s->path, f->axes);
  }
  f->channel_first = s->options->axes == H3D_SOURCE_AXES_AUTO
                       ? h3d_channel_is_first(shape)
                       : s->options->axes == H3D_SOURCE_AXES_FIRST;
  if (f->channel_first < 0) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: (%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                    "): no telling which axis holds channels, none has at "
                    "most %d entries and fewer than any other; say it by "
                    "--axes cdhw or dhwc",
                    s->path, shape[0], shape[1], shape[2], shape[3],
                    (int)H3D_SOURCE_CHANNELS);
  }
  if (shape[f->channel_first ? 0 : 3] > H3D_SOURCE_CHANNELS) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: %" PRId64 " channels, at most %d are read; --axes "
                    "says which axis holds them",
                    s->path, shape[f->channel_first ? 0 : 3],
                    (int)H3D_SOURCE_CHANNELS);
  }
  a->channels = (int32_t)shape[f->channel_first ? 0 : 3];
  memcpy(a->extent, shape + f->channel_first, sizeof a->extent);
  return H3D_OK;
}

/* From the opened file, or the failure to open it. */
static h3d_status
take(h3d_source *s, h3d_status st, h3d_npy *file)
{
  array *f = h3d_new(1, sizeof *f);

  f->file = file;
  if (st == H3D_OK) {
    st = ask_shape(s, f);
  }
  if (st == H3D_OK) {
    s->about.type = h3d_npy_type(f->file);
    for (int c = 0; c < s->about.channels; c++) {
      snprintf(s->about.channel[c], sizeof s->about.channel[c], "channel %d",
               c);
    }
    s->state = f;
    return H3D_OK;
  }
  h3d_npy_close(&f->file);
  h3d_free(f);
  return st;
}

static h3d_status
open_npy(h3d_source *s)
{
  h3d_npy *file;
  h3d_status st = h3d_npy_open(s->path, &file);

  return take(s, st, file);
}

static h3d_status
open_npz(h3d_source *s)
{
  h3d_npy *file;
  h3d_status st = h3d_npz_open(s->path, s->options->array, &file);

  return take(s, st, file);
}

static h3d_status
open_raw(h3d_source *s)
{
  h3d_npy *file;
  h3d_status st = s->options->raw.ndims > 0
                    ? h3d_npy_open_raw(s->path, &s->options->raw, &file)
                    : h3d_fail(H3D_ERR_USAGE,
                               "%s: a raw file, by its name; say --from raw, "
                               "--dtype and --shape",
                               s->path);

  return take(s, st, s->options->raw.ndims > 0 ? file : NULL);
}

static void
close_file(h3d_source *s)
{
  array *f = s->state;

  h3d_npy_close(&f->file);
  h3d_free(f);
}

/* [voxel][channel] to [channel][voxel]; from and to do not overlap. */
static void
turn(size_t size, int64_t channels, int64_t voxels, const char *from, char *to)
{
  for (int64_t c = 0; c < channels; c++) {
    for (int64_t i = 0; i < voxels; i++, to += size) {
      memcpy(to, from + (size_t)(i * channels + c) * size, size);
    }
  }
}

static h3d_status
read_box(const h3d_source *s, const int64_t start[3], const int64_t len[3],
         void *out)
{
  const array *f = s->state;
  const int64_t channels = s->about.channels;
  int64_t from[4] = { 0 }, count[4] = { 0 }, voxels = len[0] * len[1] * len[2];
  size_t size = h3d_h5_type_size((h3d_h5_type)s->about.type);
  void *turned = NULL;
  h3d_status st;

  memcpy(from + f->channel_first, start, 3 * sizeof *from);
  memcpy(count + f->channel_first, len, 3 * sizeof *count);
  if (f->axes == 3) {
    return h3d_npy_read(f->file, start, len, out);
  }
  count[f->channel_first ? 0 : 3] = channels;
  if (f->channel_first) {
    return h3d_npy_read(f->file, from, count, out);
  }
  H3D_TRY(h3d_alloc((size_t)(voxels * channels), size, &turned));
  H3D_TRY(h3d_npy_read(f->file, from, count, turned));
  turn(size, channels, voxels, turned, out);
done:
  h3d_free(turned);
  return st;
}

extern const h3d_source_kind h3d_source_npy, h3d_source_npz, h3d_source_raw;
const h3d_source_kind h3d_source_npy = {
  .name = "npy",
  .suffixes = npy_suffixes,
  .open = open_npy,
  .close = close_file,
  .read = read_box,
};
const h3d_source_kind h3d_source_npz = {
  .name = "npz",
  .suffixes = npz_suffixes,
  .open = open_npz,
  .close = close_file,
  .read = read_box,
};
const h3d_source_kind h3d_source_raw = {
  .name = "raw",
  .suffixes = raw_suffixes,
  .open = open_raw,
  .close = close_file,
  .read = read_box,
};
