#include "config.h"

#include "convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

h3d_status
h3d_normalize_parse(const char *word, h3d_normalize *n)
{
  static const char *const words[] = { "auto", "none", "log1p", "zscore" };

  for (int i = 0; i < 4; i++) {
    if (strcmp(word, words[i]) == 0) {
      *n = (h3d_normalize)i;
      return H3D_OK;
    }
  }
  return h3d_fail(H3D_ERR_USAGE,
                  "--normalize %s is not known; it is one of auto, none, "
                  "log1p, zscore",
                  word);
}

void
h3d_convert_extent(const h3d_convert *c, int64_t extent[3])
{
  for (int a = 0; a < 3; a++) {
    extent[a] = c->cube > 0 ? c->cube : c->survey->about[0].extent[a];
  }
}

int64_t
h3d_convert_cubes(const h3d_convert *c)
{
  int64_t extent[3], cubes = 1;

  h3d_convert_extent(c, extent);
  for (int a = 0; a < 3; a++) {
    cubes *= c->survey->about[0].extent[a] / extent[a];
  }
  return cubes;
}

int64_t
h3d_convert_samples(const h3d_convert *c)
{
  return c->in->n * h3d_convert_cubes(c);
}

int64_t
h3d_convert_numbers(const h3d_convert *c)
{
  int64_t extent[3];

  h3d_convert_extent(c, extent);
  return extent[0] * extent[1] * extent[2] * c->survey->about[0].channels;
}

int64_t
h3d_convert_disk(const h3d_convert *c)
{
  return h3d_convert_samples(c) * h3d_convert_numbers(c)
         * (int64_t)h3d_elem_size(c->survey->elem);
}

int64_t
h3d_convert_raw_size(const h3d_convert *c)
{
  size_t most = 1;

  for (int64_t i = 0; i < c->in->n; i++) {
    size_t size = h3d_h5_type_size((h3d_h5_type)c->survey->about[i].type);

    most = size > most ? size : most;
  }
  return (int64_t)most;
}

int64_t
h3d_convert_memory(const h3d_convert *c)
{
  return h3d_convert_numbers(c)
         * (h3d_convert_raw_size(c) + (int64_t)h3d_elem_size(c->survey->elem));
}

/* Sides that fill a volume: the divisors of all its extents, from 8 on. */
static void
list_sides(const int64_t extent[3], char *text, size_t size)
{
  size_t n = 0;

  text[0] = '\0';
  for (int64_t s = 8; s <= extent[0] && n + 24 < size; s++) {
    if (extent[0] % s == 0 && extent[1] % s == 0 && extent[2] % s == 0) {
      n += (size_t)snprintf(text + n, size - n, "%s%" PRId64,
                            n > 0 ? ", " : "", s);
    }
  }
}

h3d_status
h3d_convert_check(const h3d_convert *c)
{
  const int64_t *whole = c->survey->about[0].extent;
  int64_t extent[3];
  char sides[256];

  h3d_convert_extent(c, extent);
  for (int a = 0; a < 3; a++) {
    if (extent[a] < 1 || whole[a] % extent[a] != 0) {
      list_sides(whole, sides, sizeof sides);
      return h3d_fail(H3D_ERR_SHAPE,
                      "--subvolume %" PRId64
                      ": cubes of it do not fill %" PRId64 "x%" PRId64
                      "x%" PRId64 " voxels; sides that do: "
                      "%s",
                      c->cube, whole[0], whole[1], whole[2],
                      sides[0] != '\0' ? sides : "none");
    }
    if (c->chunk[a] > extent[a]) {
      return h3d_fail(H3D_ERR_SHAPE,
                      "--chunk: %" PRId64 " voxels on axis %c are more than a "
                      "sample's %" PRId64,
                      c->chunk[a], "DHW"[a], extent[a]);
    }
  }
  return H3D_OK;
}
