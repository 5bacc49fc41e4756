#include "config.h"

#include "io/dataset_shard.h"

#include "base/mem.h"
#include "io/dataset_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

struct h3d_shard_writer {
  const h3d_dataset_info *info;
  h3d_h5 *file;
  int64_t rows, row, chunks;
  char **id, **source; /* written at the end, all at once */
  uint64_t *sums;      /* [chunks] of the row at hand */
  void *scratch;
};

static h3d_status
write_head(h3d_h5 *f, const h3d_dataset_info *n)
{
  const int64_t format = H3D_DATASET_FORMAT;
  h3d_status st;

  H3D_TRY(h3d_h5_write_ints(f, "/", "h3d_format", 1, &format));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "axes", "n c d h w"));
  H3D_TRY(h3d_h5_write_reals(f, "/", "spacing", 3, n->spacing));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "spacing_unit", n->spacing_unit));
  H3D_TRY(h3d_h5_write_attr_texts(f, "/", "channels", n->channels,
                                  (const char *const *)n->channel_name));
done:
  return st;
}

static h3d_status
make_target(h3d_h5 *f, const h3d_dataset_info *n, int64_t rows)
{
  const char *const t = "/target";
  const int64_t p = n->targets, shape[2] = { rows, p };
  h3d_status st = H3D_OK;

  if (p == 0) {
    return st;
  }
  H3D_TRY(h3d_h5_new_data(f, t, H3D_H5_F32, 2, shape, NULL));
  H3D_TRY(h3d_h5_write_attr_texts(f, t, "names", p,
                                  (const char *const *)n->target_name));
  H3D_TRY(h3d_h5_write_attr_texts(f, t, "units", p,
                                  (const char *const *)n->target_unit));
  H3D_TRY(h3d_h5_write_reals(f, t, "offset", p, n->target_offset));
  H3D_TRY(h3d_h5_write_reals(f, t, "scale", p, n->target_scale));
done:
  return st;
}

h3d_status
h3d_shard_make_volume(h3d_h5 *f, const h3d_dataset_info *n, int64_t rows,
                      int deflate)
{
  const int64_t shape[5]
    = { rows, n->channels, n->extent[0], n->extent[1], n->extent[2] };
  const int64_t chunk[5]
    = { 1, n->channels, n->chunk[0], n->chunk[1], n->chunk[2] };
  const h3d_h5_layout layout = { .chunk = chunk, .deflate = deflate };

  return h3d_h5_new_data(f, "/volume", h3d_elem_h5(n->elem), 5, shape,
                         &layout);
}

static h3d_status
make_rest(h3d_h5 *f, const h3d_dataset_info *n, int64_t rows, int64_t chunks)
{
  const int64_t sums[2] = { rows, chunks }, geometry[3] = { rows, 4, 4 };
  h3d_status st;

  H3D_TRY(h3d_h5_new_data(f, "/checksum", H3D_H5_U64, 2, sums, NULL));
  H3D_TRY(h3d_h5_new_data(f, "/geometry", H3D_H5_F64, 3, geometry, NULL));
  H3D_TRY(make_target(f, n, rows));
done:
  return st;
}

static h3d_shard_writer *
new_writer(const h3d_dataset_info *info, int64_t rows)
{
  h3d_shard_writer *w = h3d_new(1, sizeof *w);
  int64_t counts[3];

  w->info = info;
  w->rows = rows;
  w->chunks = h3d_chunk_counts(info, counts);
  w->id = h3d_new((size_t)rows, sizeof *w->id);
  w->source = h3d_new((size_t)rows, sizeof *w->source);
  w->sums = h3d_new((size_t)w->chunks, sizeof *w->sums);
  w->scratch = h3d_new(1, h3d_chunk_bytes(info));
  return w;
}

h3d_status
h3d_shard_create(const char *path, const h3d_dataset_info *info, int64_t rows,
                 int deflate, h3d_shard_writer **out)
{
  h3d_shard_writer *w = *out = new_writer(info, rows);
  h3d_status st;

  H3D_TRY(h3d_h5_create(path, &w->file));
  H3D_TRY(write_head(w->file, info));
  H3D_TRY(h3d_shard_make_volume(w->file, info, rows, deflate));
  H3D_TRY(make_rest(w->file, info, rows, w->chunks));
done:
  if (st != H3D_OK) {
    h3d_shard_abandon(out);
  }
  return st;
}

h3d_status
h3d_shard_continue(const char *path, const h3d_dataset_info *info,
                   int64_t rows, h3d_shard_writer **out)
{
  h3d_shard_writer *w = *out = new_writer(info, rows);
  h3d_status st;

  H3D_TRY(h3d_h5_continue(path, &w->file));
  H3D_TRY(write_head(w->file, info));
  H3D_TRY(make_rest(w->file, info, rows, w->chunks));
done:
  if (st != H3D_OK) {
    h3d_shard_abandon(out);
  }
  return st;
}

static uint64_t
hash_content(h3d_shard_writer *w, const void *volume, const float *target)
{
  static const int64_t zero[3] = { 0, 0, 0 };
  const h3d_dataset_info *n = w->info;

  for (int64_t i = 0; i < w->chunks; i++) {
    w->sums[i] = h3d_chunk_hash(n, i, zero, n->extent, volume, w->scratch);
  }
  return XXH64(target, (size_t)n->targets * sizeof *target,
               XXH64(w->sums, (size_t)w->chunks * sizeof *w->sums, 0));
}

h3d_status
h3d_shard_add_row(h3d_shard_writer *w, const char *id, const char *source,
                  const uint64_t *sums, const float *target,
                  const double *geometry)
{
  const h3d_dataset_info *n = w->info;
  const double *s = n->spacing;
  const double plain[16]
    = { s[0], 0, 0, 0, 0, s[1], 0, 0, 0, 0, s[2], 0, 0, 0, 0, 1 };
  const int64_t from[3] = { w->row }, count[2] = { 1, w->chunks },
                four[3] = { 1, 4, 4 }, targets[2] = { 1, n->targets };
  h3d_status st;

  H3D_TRY(
    h3d_h5_write(w->file, "/checksum", H3D_H5_U64, 2, from, count, sums));
  H3D_TRY(h3d_h5_write(w->file, "/geometry", H3D_H5_F64, 3, from, four,
                       geometry != NULL ? geometry : plain));
  if (n->targets > 0) {
    H3D_TRY(
      h3d_h5_write(w->file, "/target", H3D_H5_F32, 2, from, targets, target));
  }
  w->id[w->row] = h3d_strdup(id);
  w->source[w->row] = h3d_strdup(source);
  w->row++;
done:
  return st;
}

h3d_status
h3d_shard_add(h3d_shard_writer *w, const char *id, const char *source,
              const void *volume, const float *target, const double *geometry,
              uint64_t *content)
{
  const h3d_dataset_info *n = w->info;
  const int64_t from[5] = { w->row };
  const int64_t whole[5]
    = { 1, n->channels, n->extent[0], n->extent[1], n->extent[2] };
  h3d_status st;

  *content = hash_content(w, volume, target);
  H3D_TRY(h3d_h5_write(w->file, "/volume", h3d_elem_h5(n->elem), 5, from,
                       whole, volume));
  st = h3d_shard_add_row(w, id, source, w->sums, target, geometry);
done:
  return st;
}

h3d_status
h3d_shard_finish(h3d_shard_writer **w, int64_t *bytes)
{
  char *path = h3d_strdup(h3d_h5_path((*w)->file));
  struct stat info;
  h3d_status st;

  H3D_TRY(h3d_h5_write_texts((*w)->file, "/id", (*w)->rows,
                             (const char *const *)(*w)->id));
  H3D_TRY(h3d_h5_write_texts((*w)->file, "/source", (*w)->rows,
                             (const char *const *)(*w)->source));
  H3D_TRY(h3d_h5_publish(&(*w)->file));
  if (stat(path, &info) != 0) {
    st = h3d_fail(H3D_ERR_FILE, "%s: gone (%s)", path, strerror(errno));
    goto done;
  }
  *bytes = (int64_t)info.st_size;
done:
  h3d_shard_abandon(w);
  h3d_free(path);
  return st;
}

void
h3d_shard_abandon(h3d_shard_writer **w)
{
  if (*w == NULL) {
    return;
  }
  h3d_h5_close(&(*w)->file);
  for (int64_t i = 0; i < (*w)->row; i++) {
    h3d_free((*w)->id[i]);
    h3d_free((*w)->source[i]);
  }
  h3d_free((*w)->id);
  h3d_free((*w)->source);
  h3d_free((*w)->sums);
  h3d_free((*w)->scratch);
  h3d_free(*w);
  *w = NULL;
}
