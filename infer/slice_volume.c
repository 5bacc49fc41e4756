#include "config.h"

#include "slice_volume.h"

#include "base/mem.h"
#include "base/opt.h"
#include "io/cosmoflow.h"
#include "io/dataset.h"
#include "io/npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct h3d_volume {
  h3d_volume_facts facts;
  h3d_h5_type type;     /* of the voxels as they are read */
  h3d_dataset *dataset; /* one of these three */
  h3d_cosmoflow *cosmoflow;
  h3d_npy *npy;
  int64_t sample;
  int npy_first; /* the channel axis of a .npy: first, last, or none (-1) */
};

/* "0", "1", ... or what the format string makes of a redshift. */
static void
name_channels(h3d_volume *v, const double *redshift, char *const *name)
{
  v->facts.channel
    = h3d_new((size_t)v->facts.channels, sizeof *v->facts.channel);
  for (int c = 0; c < v->facts.channels; c++) {
    v->facts.channel[c] = name       ? h3d_strdup(name[c])
                          : redshift ? h3d_sprintf("z=%g", redshift[c])
                                     : h3d_sprintf("%d", c);
  }
}

/* The number of the sample with this id, or with this number. */
static h3d_status
find_sample(const char *path, const h3d_dataset_info *info, const char *id,
            int64_t *sample)
{
  const char **known;
  int64_t number;

  *sample = 0;
  if (!id) {
    return H3D_OK;
  }
  for (int64_t s = 0; s < info->samples; s++) {
    if (strcmp(info->sample[s].id, id) == 0) {
      *sample = s;
      return H3D_OK;
    }
  }
  if (h3d_parse_int("--sample", id, &number) == H3D_OK && number >= 0
      && number < info->samples) {
    *sample = number;
    return H3D_OK;
  }
  known = h3d_new((size_t)info->samples + 1, sizeof *known);
  for (int64_t s = 0; s < info->samples; s++) {
    known[s] = info->sample[s].id;
  }
  const char *near = h3d_nearest(id, known);
  const h3d_status st = h3d_fail(
    H3D_ERR_USAGE,
    "%s: it has no sample \"%s\"%s%s: give one of its %lld ids, or a number "
    "from 0",
    path, id, near ? ", did you mean " : "", near ? near : "",
    (long long)info->samples);
  h3d_free(known);
  return st;
}

static h3d_status
open_dataset(const char *path, const char *sample, h3d_volume *v)
{
  static const h3d_h5_type type[] = { [H3D_ELEM_I16] = H3D_H5_I16,
                                      [H3D_ELEM_U8] = H3D_H5_U8,
                                      [H3D_ELEM_F32] = H3D_H5_F32 };
  h3d_status st = h3d_dataset_open(MPI_COMM_SELF, path, &v->dataset);

  if (st != H3D_OK) {
    return st;
  }
  const h3d_dataset_info *info = h3d_dataset_about(v->dataset);
  if (info->samples == 0) {
    return h3d_fail(H3D_ERR_FILE, "%s: a dataset without samples", path);
  }
  st = find_sample(path, info, sample, &v->sample);
  if (st != H3D_OK) {
    return st;
  }
  v->type = type[info->elem];
  v->facts.id = info->sample[v->sample].id;
  v->facts.channels = info->channels;
  for (int a = 0; a < 3; a++) {
    v->facts.extent[a] = info->extent[a];
    v->facts.spacing[a] = info->spacing[a] > 0 ? info->spacing[a] : 1;
  }
  v->facts.unit = info->spacing_unit;
  name_channels(v, NULL, info->channel_name);
  return H3D_OK;
}

static h3d_status
open_cosmoflow(const char *path, h3d_volume *v)
{
  const h3d_status st = h3d_cosmoflow_open(path, &v->cosmoflow);

  if (st != H3D_OK) {
    return st;
  }
  const h3d_cosmoflow *f = v->cosmoflow;
  v->type = f->type;
  v->facts.channels = f->channels;
  for (int a = 0; a < 3; a++) {
    v->facts.extent[a] = f->extent[a];
    v->facts.spacing[a] = f->box > 0 ? f->box / (double)f->extent[a] : 1;
  }
  v->facts.unit = f->box > 0 ? f->box_unit : "";
  v->facts.value = "particles per voxel";
  name_channels(v, f->redshift, NULL);
  return H3D_OK;
}

static h3d_status
open_npy(const char *path, h3d_volume *v)
{
  const int64_t *shape;
  const h3d_status st = h3d_npy_open(path, &v->npy);

  if (st != H3D_OK) {
    return st;
  }
  const int axes = h3d_npy_shape(v->npy, &shape);
  v->npy_first = -1;
  if (axes == 4) {
    v->npy_first = h3d_channel_is_first(shape);
  }
  if (axes != 3 && v->npy_first < 0) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "%s: an array of %d axes, of which none is clearly the "
                    "channels': h3d-slice draws [d][h][w], [c][d][h][w] and "
                    "[d][h][w][c]",
                    path, axes);
  }
  v->type = h3d_npy_type(v->npy);
  v->facts.channels = v->npy_first < 0 ? 1 : (int)shape[v->npy_first ? 0 : 3];
  for (int a = 0; a < 3; a++) {
    v->facts.extent[a] = shape[a + (v->npy_first == 1)];
    v->facts.spacing[a] = 1;
  }
  name_channels(v, NULL, NULL);
  return H3D_OK;
}

static int
is_npy(const char *path)
{
  char magic[6] = "";
  FILE *f = fopen(path, "rb");
  const size_t n = f ? fread(magic, 1, sizeof magic, f) : 0;

  if (f) {
    fclose(f);
  }
  return n == sizeof magic && memcmp(magic, "\223NUMPY", 6) == 0;
}

static h3d_status
check_extents(const char *path, const h3d_volume *v)
{
  for (int a = 0; a < 3; a++) {
    if (v->facts.extent[a] < 1) {
      return h3d_fail(H3D_ERR_SHAPE, "%s: it has no voxels to draw", path);
    }
  }
  return H3D_OK;
}

h3d_status
h3d_volume_open(const char *path, const char *sample, h3d_volume **out)
{
  h3d_volume *v = h3d_new(1, sizeof *v);
  const char *slash = strrchr(path, '/');
  struct stat about;
  h3d_status st;

  *out = NULL;
  v->facts.id = slash && slash[1] ? slash + 1 : path;
  v->facts.value = "voxel value";
  v->facts.unit = "";
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
    st = open_dataset(path, sample, v);
  } else if (sample) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "--sample %s: %s is no dataset folder and holds one sample",
                  sample, path);
  } else {
    st = is_npy(path) ? open_npy(path, v) : open_cosmoflow(path, v);
  }
  if (st == H3D_OK) {
    st = check_extents(path, v);
  }
  if (st != H3D_OK) {
    h3d_volume_close(&v);
    return st;
  }
  *out = v;
  return H3D_OK;
}

void
h3d_volume_close(h3d_volume **v)
{
  if (*v) {
    for (int c = 0; (*v)->facts.channel && c < (*v)->facts.channels; c++) {
      h3d_free((*v)->facts.channel[c]);
    }
    h3d_free((*v)->facts.channel);
    h3d_dataset_close(&(*v)->dataset);
    h3d_cosmoflow_close(&(*v)->cosmoflow);
    h3d_npy_close(&(*v)->npy);
    h3d_free(*v);
    *v = NULL;
  }
}

const h3d_volume_facts *
h3d_volume_about(const h3d_volume *v)
{
  return &v->facts;
}

static double
number(h3d_h5_type type, const void *data, int64_t i)
{
  switch (type) {
  case H3D_H5_I8:
    return ((const int8_t *)data)[i];
  case H3D_H5_U8:
    return ((const uint8_t *)data)[i];
  case H3D_H5_I16:
    return ((const int16_t *)data)[i];
  case H3D_H5_U16:
    return ((const uint16_t *)data)[i];
  case H3D_H5_I32:
    return ((const int32_t *)data)[i];
  case H3D_H5_U32:
    return ((const uint32_t *)data)[i];
  case H3D_H5_I64:
    return (double)((const int64_t *)data)[i];
  case H3D_H5_U64:
    return (double)((const uint64_t *)data)[i];
  case H3D_H5_F32:
    return (double)((const float *)data)[i];
  default:
    return ((const double *)data)[i];
  }
}

/* A box of all channels: [c][d][h][w], or [d][h][w][c] (*last is 1). */
static h3d_status
read_box(h3d_volume *v, const int64_t start[3], const int64_t len[3],
         void *out, int *last)
{
  *last = 0;
  if (v->dataset) {
    return h3d_dataset_read(v->dataset, v->sample, start, len, out);
  }
  if (v->cosmoflow) {
    return h3d_cosmoflow_read(v->cosmoflow, start, len, out);
  }
  const int first = v->npy_first == 1;
  int64_t from[4] = { 0 }, count[4];
  count[first ? 0 : 3] = v->facts.channels;
  for (int a = 0; a < 3; a++) {
    from[a + first] = start[a];
    count[a + first] = len[a];
  }
  *last = v->npy_first == 0;
  return h3d_npy_read(v->npy, from, count, out);
}

/* Add a box, len[axis] thin, to the plane. */
static void
gather(const h3d_volume *v, const void *box, int last, const int64_t len[3],
       int axis, int maximum, float *plane)
{
  const int channels = v->facts.channels;
  const int64_t voxels = len[0] * len[1] * len[2];
  const int64_t columns = axis == 2 ? len[1] : len[2];
  const int64_t pixels = voxels / len[axis];

  for (int64_t i = 0; i < voxels; i++) {
    const int64_t at[3]
      = { i / (len[1] * len[2]), i / len[2] % len[1], i % len[2] };
    const int64_t row = at[axis == 0 ? 1 : 0];
    const int64_t column = at[axis == 2 ? 1 : 2];

    for (int c = 0; c < channels; c++) {
      const int64_t from = last ? i * channels + c : c * voxels + i;
      const float x = (float)number(v->type, box, from);
      float *to = &plane[c * pixels + row * columns + column];

      *to = maximum ? (x > *to || isnan(x) ? x : *to) : *to + x;
    }
  }
}

h3d_status
h3d_volume_plane(h3d_volume *v, int axis, int64_t start, int64_t len,
                 int maximum, float *plane)
{
  enum { AT_ONCE = 16 }; /* positions: a chunk's worth, not a volume's */
  const int64_t *n = v->facts.extent;
  const int64_t pixels = n[0] * n[1] * n[2] / n[axis] * v->facts.channels;
  const int64_t thick = len < AT_ONCE ? len : AT_ONCE;
  void *box;
  h3d_status st
    = h3d_alloc((size_t)(pixels * thick), h3d_h5_type_size(v->type), &box);

  for (int64_t i = 0; i < pixels; i++) {
    plane[i] = maximum ? -INFINITY : 0;
  }
  for (int64_t at = 0; at < len && st == H3D_OK; at += thick) {
    int64_t from[3] = { 0, 0, 0 }, count[3] = { n[0], n[1], n[2] };
    int last;

    from[axis] = start + at;
    count[axis] = len - at < thick ? len - at : thick;
    st = read_box(v, from, count, box, &last);
    if (st == H3D_OK) {
      gather(v, box, last, count, axis, maximum, plane);
    }
  }
  for (int64_t i = 0; i < pixels && !maximum; i++) {
    plane[i] /= (float)len;
  }
  h3d_free(box);
  return st;
}
