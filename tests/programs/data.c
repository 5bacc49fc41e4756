/* For shell tests: make arrays, and say what is in a dataset.
 *
 *     data npy FILE TYPE CxDxHxW|DxHxW WHAT SEED
 *     data npz FILE ARRAY.npy...
 *     data look DATASET
 *
 * TYPE is u1, i2, i4 or f4.  WHAT: counts (0 to 6), wide (up to 70000), odd
 * (2^24 + 1 among them), nan, below (-1.5 among them), same (all 3), place (of
 * a volume of 8x8x8, the number of a voxel's cube of 4x4x4).
 */
#include "config.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"
#include "io/dataset.h"
#include "io/npy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static double
number(const char *what, const h3d_rng *rng, int64_t i)
{
  double u = h3d_rng_uniform(rng, (uint64_t)i);

  if (strcmp(what, "wide") == 0) {
    return floor(70000 * u);
  }
  if (i == 5 && strcmp(what, "odd") == 0) {
    return (1 << 24) + 1;
  }
  if (i == 5 && strcmp(what, "nan") == 0) {
    return (double)NAN;
  }
  if (i == 5 && strcmp(what, "below") == 0) {
    return -1.5;
  }
  if (strcmp(what, "place") == 0) {
    return (double)((i / 256 * 2 + i / 32 % 2) * 2 + i / 4 % 2);
  }
  return strcmp(what, "same") == 0 ? 3 : floor(7 * u);
}

static void
put(FILE *f, uint64_t n, int bytes)
{
  for (int b = 0; b < bytes; b++) {
    putc((int)(b < 8 ? n >> 8 * b & 255 : 0), f);
  }
}

/* What both heads of a stored member have; n bytes. */
static void
put_head(FILE *f, const char *name, uLong crc, uint64_t n)
{
  put(f, 20, 2);
  put(f, 0, 8);
  put(f, crc, 4);
  put(f, n, 4);
  put(f, n, 4);
  put(f, strlen(name), 2);
  put(f, 0, 2);
}

/* An archive of at most 8 files, stored as numpy.savez does. */
static void
pack(char **word)
{
  FILE *f = fopen(word[0], "wb");
  uint64_t at[8], size[8], from;
  uLong crc[8];
  int n = 0;

  for (char **file = word + 1; *file != NULL && n < 8; file++, n++) {
    FILE *g = fopen(*file, "rb");
    unsigned char *bytes;

    fseek(g, 0, SEEK_END);
    size[n] = (uint64_t)ftell(g);
    bytes = h3d_new(size[n], 1);
    rewind(g);
    if (fread(bytes, 1, size[n], g) == size[n]) {
      crc[n] = crc32(0, bytes, (uInt)size[n]);
    }
    fclose(g);
    at[n] = (uint64_t)ftell(f);
    put(f, 0x04034b50, 4);
    put_head(f, *file, crc[n], size[n]);
    fprintf(f, "%s", *file);
    fwrite(bytes, 1, size[n], f);
    h3d_free(bytes);
  }
  from = (uint64_t)ftell(f);
  for (int i = 0; i < n; i++) {
    put(f, 0x02014b50, 4);
    put(f, 20, 2);
    put_head(f, word[i + 1], crc[i], size[i]);
    put(f, 0, 10);
    put(f, at[i], 4);
    fprintf(f, "%s", word[i + 1]);
  }
  size[0] = (uint64_t)ftell(f) - from;
  put(f, 0x06054b50, 4);
  put(f, 0, 4);
  put(f, (uint64_t)n, 2);
  put(f, (uint64_t)n, 2);
  put(f, size[0], 4);
  put(f, from, 4);
  put(f, 0, 2);
  fclose(f);
}

static h3d_status
make(char **word)
{
  const h3d_rng rng
    = h3d_rng_init((uint64_t)strtoll(word[4], NULL, 10), H3D_RNG_TEST, 0, 0);
  h3d_h5_type type = strcmp(word[1], "u1") == 0   ? H3D_H5_U8
                     : strcmp(word[1], "i2") == 0 ? H3D_H5_I16
                     : strcmp(word[1], "i4") == 0 ? H3D_H5_I32
                                                  : H3D_H5_F32;
  int64_t shape[4], n = 1;
  int axes = 0;
  void *data;
  h3d_status st;

  for (char *at = word[2]; axes < 4 && *at != '\0'; at += *at == 'x') {
    shape[axes] = strtoll(at, &at, 10);
    n *= shape[axes++];
  }
  data = h3d_new((size_t)n, h3d_h5_type_size(type));
  for (int64_t i = 0; i < n; i++) {
    double v = number(word[3], &rng, i);

    if (type == H3D_H5_U8) {
      ((uint8_t *)data)[i] = (uint8_t)v;
    } else if (type == H3D_H5_I16) {
      ((int16_t *)data)[i] = (int16_t)v;
    } else if (type == H3D_H5_I32) {
      ((int32_t *)data)[i] = (int32_t)v;
    } else {
      ((float *)data)[i] = (float)v;
    }
  }
  st = h3d_npy_write(word[0], type, axes, shape, data);
  h3d_free(data);
  return st;
}

static int
number_at(h3d_elem e, const void *box, size_t i)
{
  return e == H3D_ELEM_I16  ? ((const int16_t *)box)[i]
         : e == H3D_ELEM_U8 ? ((const uint8_t *)box)[i]
                            : (int)((const float *)box)[i];
}

static void
look_at_head(const h3d_dataset_info *n)
{
  printf("identity %016" PRIx64 "\nsamples %" PRId64 "\nelem %s\n",
         n->identity, n->samples, h3d_elem_name(n->elem));
  printf("extent %" PRId64 "x%" PRId64 "x%" PRId64 " channels %d\n",
         n->extent[0], n->extent[1], n->extent[2], n->channels);
  printf("chunk %" PRId64 "x%" PRId64 "x%" PRId64 "\n", n->chunk[0],
         n->chunk[1], n->chunk[2]);
  printf("recipe %s standardize %d\n", h3d_recipe_name(n->recipe),
         n->standardize);
  for (int c = 0; c < n->channels; c++) {
    printf("channel %s mean %.17g dev %.17g min %g max %g\n",
           n->channel_name[c], n->stats[c].mean, n->stats[c].dev,
           n->stats[c].min, n->stats[c].max);
  }
  for (int k = 0; k < n->targets; k++) {
    printf("target %s [%s] offset %.9g scale %.9g\n", n->target_name[k],
           n->target_unit[k], n->target_offset[k], n->target_scale[k]);
  }
}

static h3d_status
look_at_sample(h3d_dataset *d, int64_t s)
{
  static const int64_t zero[3] = { 0, 0, 0 };
  const h3d_dataset_info *n = h3d_dataset_about(d);
  const h3d_sample *p = &n->sample[s];
  size_t bytes
    = (size_t)(n->extent[0] * n->extent[1] * n->extent[2] * n->channels)
      * h3d_elem_size(n->elem);
  unsigned char *box = h3d_new(bytes, 1);
  float *target = h3d_new((size_t)n->targets, sizeof *target);
  uint64_t sum = 0;
  h3d_status st = h3d_dataset_read(d, s, zero, n->extent, box);

  if (st == H3D_OK) {
    st = h3d_dataset_read_target(d, s, target);
  }
  for (size_t i = 0; i < bytes; i++) {
    sum = sum * 31 + box[i];
  }
  printf("sample %s family %" PRId64 " %s voxels %016" PRIx64
         " from %d to %d:",
         p->id, p->family, h3d_subset_name(p->subset), sum,
         number_at(n->elem, box, 0),
         number_at(n->elem, box, bytes / h3d_elem_size(n->elem) - 1));
  for (int k = 0; k < n->targets; k++) {
    printf(" %.6g",
           n->target_offset[k] + n->target_scale[k] * (double)target[k]);
  }
  printf("\n");
  h3d_free(target);
  h3d_free(box);
  return st;
}

static h3d_status
look(const char *path)
{
  h3d_dataset *d;
  h3d_status st = h3d_dataset_open(MPI_COMM_WORLD, path, &d);

  if (st != H3D_OK) {
    return st;
  }
  look_at_head(h3d_dataset_about(d));
  for (int64_t s = 0; s < h3d_dataset_about(d)->samples && st == H3D_OK; s++) {
    st = look_at_sample(d, s);
  }
  h3d_dataset_close(&d);
  return st;
}

int
main(int argc, char **argv)
{
  h3d_status st;

  h3d_start(&argc, &argv);
  if (argc == 7 && strcmp(argv[1], "npy") == 0) {
    st = make(argv + 2);
  } else if (argc > 3 && strcmp(argv[1], "npz") == 0) {
    pack(argv + 2);
    st = H3D_OK;
  } else if (argc == 3 && strcmp(argv[1], "look") == 0) {
    st = look(argv[2]);
  } else {
    st = h3d_fail(H3D_ERR_USAGE, "data npy ... or data look DATASET");
  }
  return h3d_finish(h3d_exit_status("data", st));
}
