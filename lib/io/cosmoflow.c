#include "config.h"

#include "io/cosmoflow.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CHANNELS_MOST = 16, SLAB = 16 << 20 };

int
h3d_channel_is_first(const int64_t shape[4])
{
  int64_t inner = shape[1] < shape[2] ? shape[1] : shape[2];
  int64_t first = shape[0], last = shape[3];

  if (last <= CHANNELS_MOST && last < first && last < inner) {
    return 0;
  }
  return first <= CHANNELS_MOST && first < last && first < inner ? 1 : -1;
}

static h3d_status
ask_axes(h3d_cosmoflow *f, const h3d_h5_about *a)
{
  char *axes = NULL;
  h3d_status st = H3D_OK;

  f->channel_first = h3d_channel_is_first(a->shape);
  if (h3d_h5_has_attr(f->file, "/full", "axes")) {
    st = h3d_h5_read_attr_text(f->file, "/full", "axes", &axes);
  } else if (h3d_h5_has_attr(f->file, "/", "axes")) {
    st = h3d_h5_read_attr_text(f->file, "/", "axes", &axes);
  }
  if (axes != NULL && strcmp(axes, "c d h w") == 0) {
    f->channel_first = 1;
  } else if (axes != NULL && strcmp(axes, "d h w c") == 0) {
    f->channel_first = 0;
  }
  h3d_free(axes);
  return st;
}

static h3d_status
ask_full(h3d_cosmoflow *f)
{
  const char *path = h3d_h5_path(f->file);
  h3d_h5_about a;
  h3d_status st = h3d_h5_ask(f->file, "/full", &a);

  if (st != H3D_OK) {
    return st;
  }
  if (a.ndims != 4 || h3d_h5_type_size(a.type) == 0) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: full is %s on %d axes, wanted are numbers on 4 axes "
                    "(d,h,w,c)",
                    path, h3d_h5_type_name(a.type), a.ndims);
  }
  st = ask_axes(f, &a);
  if (st == H3D_OK && f->channel_first < 0) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: full is %" PRId64 " x %" PRId64 " x %" PRId64
                  " x %" PRId64
                  ": no telling which axis holds channels; give it an "
                  "attribute axes, \"d h w c\" or \"c d h w\"",
                  path, a.shape[0], a.shape[1], a.shape[2], a.shape[3]);
  }
  f->type = a.type;
  f->channels = (int)a.shape[f->channel_first ? 0 : 3];
  memcpy(f->extent, a.shape + f->channel_first, sizeof f->extent);
  return st;
}

/* A vector of numbers as doubles, of length *n, or any if *n is 0. */
static h3d_status
read_vector(const h3d_cosmoflow *f, const char *name, int64_t *n, double **out)
{
  h3d_h5_about a;
  h3d_status st = h3d_h5_ask(f->file, name, &a);

  if (st != H3D_OK) {
    return st;
  }
  if (a.ndims != 1 || (*n > 0 && a.shape[0] != *n)) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: %s is no list of %" PRId64 " numbers (%d axes, "
                    "extent %" PRId64 ")",
                    h3d_h5_path(f->file), name, *n, a.ndims, a.shape[0]);
  }
  *n = a.shape[0];
  *out = h3d_new((size_t)*n, sizeof **out);
  return h3d_h5_read(f->file, name, H3D_H5_F64, 1, NULL, n, *out);
}

static h3d_status
read_params(h3d_cosmoflow *f)
{
  int64_t n = 0, names, channels = f->channels;
  h3d_status st = H3D_OK;

  if (h3d_h5_has(f->file, "/redshifts")) {
    H3D_TRY(read_vector(f, "/redshifts", &channels, &f->redshift));
  }
  if (!h3d_h5_has(f->file, "/unitPar")) {
    return H3D_OK;
  }
  H3D_TRY(read_vector(f, "/unitPar", &n, &f->unit));
  f->params = (int)n;
  if (h3d_h5_has(f->file, "/physPar")) {
    H3D_TRY(read_vector(f, "/physPar", &n, &f->phys));
  }
  if (h3d_h5_has(f->file, "/namePar")) {
    H3D_TRY(h3d_h5_read_texts(f->file, "/namePar", &names, &f->name));
    if (names != n) {
      st = h3d_fail(H3D_ERR_FILE,
                    "%s: %" PRId64 " names in namePar for %" PRId64
                    " numbers in unitPar",
                    h3d_h5_path(f->file), names, n);
    }
  }
done:
  return st;
}

/* Some writers store the box as an integer. */
static h3d_status
read_box(h3d_cosmoflow *f)
{
  int64_t whole;
  h3d_status st = H3D_OK;

  if (h3d_h5_has_attr(f->file, "/", "boxsize")
      && h3d_h5_read_reals(f->file, "/", "boxsize", 1, &f->box) != H3D_OK) {
    st = h3d_h5_read_ints(f->file, "/", "boxsize", 1, &whole);
    f->box = st == H3D_OK ? (double)whole : 0;
  }
  if (st == H3D_OK && h3d_h5_has_attr(f->file, "/", "boxsize_unit")) {
    st = h3d_h5_read_attr_text(f->file, "/", "boxsize_unit", &f->box_unit);
  }
  if (st == H3D_OK && f->box_unit == NULL) {
    f->box_unit = h3d_strdup("");
  }
  return st;
}

h3d_status
h3d_cosmoflow_open(const char *path, h3d_cosmoflow **out)
{
  h3d_cosmoflow *f = *out = h3d_new(1, sizeof *f);
  h3d_status st;

  H3D_TRY(h3d_h5_open(path, &f->file));
  if (!h3d_h5_has(f->file, "/full")) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: no dataset full in it: not a CosmoFlow file", path);
    goto done;
  }
  H3D_TRY(ask_full(f));
  H3D_TRY(read_params(f));
  st = read_box(f);
done:
  if (st != H3D_OK) {
    h3d_cosmoflow_close(out);
  }
  return st;
}

void
h3d_cosmoflow_close(h3d_cosmoflow **f)
{
  if (*f == NULL) {
    return;
  }
  h3d_h5_close(&(*f)->file);
  h3d_free((*f)->unit);
  h3d_free((*f)->phys);
  h3d_free((*f)->name);
  h3d_free((*f)->redshift);
  h3d_free((*f)->box_unit);
  h3d_free(*f);
  *f = NULL;
}

/* [voxel][channel] to [channel][voxel], the planes stride numbers apart. */
#define TURN(type)                                    \
  for (int64_t c = 0; c < channels; c++) {            \
    type *to = (type *)out + c * stride;              \
    for (int64_t i = 0; i < voxels; i++) {            \
      to[i] = ((const type *)slab)[i * channels + c]; \
    }                                                 \
  }

static void
turn(size_t size, int64_t channels, int64_t voxels, int64_t stride,
     const void *slab, void *out)
{
  switch (size) {
  case 1:
    TURN(uint8_t)
    break;
  case 2:
    TURN(uint16_t)
    break;
  case 4:
    TURN(uint32_t)
    break;
  default:
    TURN(uint64_t)
    break;
  }
}

/* Slab by slab along D, so that the turning needs little memory. */
static h3d_status
read_channel_last(const h3d_cosmoflow *f, const int64_t start[3],
                  const int64_t len[3], char *out)
{
  size_t size = h3d_h5_type_size(f->type);
  int64_t plane = len[1] * len[2], stride = len[0] * plane;
  int64_t bytes = plane * f->channels * (int64_t)size;
  int64_t step = bytes < SLAB ? SLAB / bytes : 1;
  void *slab = NULL;
  h3d_status st;

  step = step < len[0] ? step : len[0];
  H3D_TRY(h3d_alloc((size_t)step, (size_t)bytes, &slab));
  for (int64_t d = 0; d < len[0]; d += step) {
    int64_t n = d + step < len[0] ? step : len[0] - d;
    int64_t from[4] = { start[0] + d, start[1], start[2], 0 };
    int64_t count[4] = { n, len[1], len[2], f->channels };

    H3D_TRY(h3d_h5_read(f->file, "/full", f->type, 4, from, count, slab));
    turn(size, f->channels, n * plane, stride, slab,
         out + (size_t)(d * plane) * size);
  }
done:
  h3d_free(slab);
  return st;
}

h3d_status
h3d_cosmoflow_read(const h3d_cosmoflow *f, const int64_t start[3],
                   const int64_t len[3], void *out)
{
  if (len[0] == 0 || len[1] == 0 || len[2] == 0) {
    return H3D_OK;
  }
  if (f->channel_first) {
    int64_t from[4] = { 0, start[0], start[1], start[2] };
    int64_t count[4] = { f->channels, len[0], len[1], len[2] };

    return h3d_h5_read(f->file, "/full", f->type, 4, from, count, out);
  }
  return read_channel_last(f, start, len, out);
}

int
h3d_affine_fit(int64_t n, const double *unit, const double *phys,
               double *offset, double *scale, double *error)
{
  int64_t lo = 0, hi = 0;

  *offset = 0;
  *scale = 1;
  *error = 0;
  for (int64_t i = 0; i < n; i++) {
    lo = unit[i] < unit[lo] ? i : lo;
    hi = unit[i] > unit[hi] ? i : hi;
  }
  if (n == 0 || unit[lo] == unit[hi] || phys[lo] == phys[hi]) {
    return 0;
  }
  *scale = (phys[hi] - phys[lo]) / (unit[hi] - unit[lo]);
  *offset = phys[lo] - *scale * unit[lo];
  for (int64_t i = 0; i < n; i++) {
    double off = fabs(*offset + *scale * unit[i] - phys[i]) / fabs(*scale);

    *error = off > *error ? off : *error;
  }
  return 1;
}
