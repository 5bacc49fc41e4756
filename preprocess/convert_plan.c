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

/* Of a box: what was read, the same turned to channels first, and converted.
 */
static double
box_memory(const h3d_convert *c, const int64_t box[3])
{
  return (double)box[0] * (double)box[1] * (double)box[2]
         * (double)c->survey->about[0].channels
         * (double)(2 * h3d_convert_raw_size(c)
                    + (int64_t)h3d_elem_size(c->survey->elem));
}

int64_t
h3d_convert_memory(const h3d_convert *c)
{
  int64_t extent[3];

  h3d_convert_extent(c, extent);
  return (int64_t)box_memory(c, c->pieces.n > 0 ? c->pieces.box : extent);
}

void
h3d_convert_choose_chunk(h3d_convert *c)
{
  int64_t extent[3];

  h3d_convert_extent(c, extent);
  if (c->chunk[0] == 0) {
    h3d_dataset_choose_chunk(extent, c->survey->about[0].channels,
                             c->survey->elem, c->chunk);
  }
}

static void
count_pieces(h3d_convert_pieces *p, const int64_t extent[3])
{
  p->n = 1;
  for (int a = 0; a < 3; a++) {
    p->counts[a] = (extent[a] + p->box[a] - 1) / p->box[a];
    p->n *= p->counts[a];
  }
}

/* One chunk more along axis a, if that keeps to the memory, to requests of the
 * file below 1 GiB, and a piece for each rank; 1 if so.
 */
static int
grow(const h3d_convert *c, h3d_convert_pieces *p, const int64_t extent[3],
     int a, int ranks, double memory)
{
  const double most = 1 << 30;
  h3d_convert_pieces more = *p;

  more.box[a] += c->chunk[a];
  more.box[a] = more.box[a] < extent[a] ? more.box[a] : extent[a];
  count_pieces(&more, extent);
  if (p->box[a] == extent[a] || box_memory(c, more.box) > memory
      || box_memory(c, more.box) > most || more.n < ranks) {
    return 0;
  }
  *p = more;
  return 1;
}

h3d_status
h3d_convert_choose_pieces(h3d_convert *c, int ranks, double memory, int always)
{
  const double mib = 1 << 20;
  h3d_convert_pieces *p = &c->pieces;
  int64_t extent[3];

  p->n = 0;
  h3d_convert_extent(c, extent);
  if (!always && box_memory(c, extent) <= memory) {
    return H3D_OK;
  }
  memcpy(p->box, c->chunk, sizeof p->box);
  if (box_memory(c, p->box) > memory) {
    return h3d_fail(H3D_ERR_MEMORY,
                    "--memory: a chunk of %" PRId64 "x%" PRId64 "x%" PRId64
                    " voxels takes %.1f MiB to convert, a rank may take %.1f; "
                    "allow more, or take smaller chunks (--chunk)",
                    c->chunk[0], c->chunk[1], c->chunk[2],
                    box_memory(c, p->box) / mib, memory / mib);
  }
  count_pieces(p, extent);
  for (int a = 2; a >= 0; a--) {
    while (grow(c, p, extent, a, ranks, memory)) {
    }
    if (p->box[a] < extent[a]) {
      break; /* a slab has all of the axes after its own */
    }
  }
  return H3D_OK;
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
