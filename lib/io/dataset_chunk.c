#include "config.h"

#include "dist/dist.h"
#include "io/dataset_impl.h"
#include "io/dataset_write.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { LEAST = 16 << 10, MOST = 2 << 20 };

static int64_t
axis_chunk(int64_t n)
{
  int64_t eighth = (n + 7) / 8;

  for (int64_t parts = 8; parts > 1; parts /= 2) {
    if (n % parts == 0 && n / parts >= 8) {
      return n / parts;
    }
  }
  return n < 16 ? n : eighth > 8 ? eighth : 8;
}

static int64_t
bytes_of(const int64_t chunk[3], int channels, h3d_elem elem)
{
  return chunk[0] * chunk[1] * chunk[2] * channels
         * (int64_t)h3d_elem_size(elem);
}

/* Double axis a where the volume has room; 1 if it was done. */
static int
double_axis(const int64_t extent[3], int64_t chunk[3], int a)
{
  int fits = 2 * chunk[a] <= extent[a];

  chunk[a] *= fits ? 2 : 1;
  return fits;
}

void
h3d_dataset_choose_chunk(const int64_t extent[3], int channels, h3d_elem elem,
                         int64_t chunk[3])
{
  int changed = 1;

  for (int a = 0; a < 3; a++) {
    chunk[a] = axis_chunk(extent[a]);
  }
  /* Cuts along D are the planner's first choice: D stays fine the longest. */
  while (changed) {
    changed = 0;
    for (int a = 2; a >= 0; a--) {
      if (bytes_of(chunk, channels, elem) < LEAST) {
        changed |= double_axis(extent, chunk, a);
      }
    }
  }
  for (int a = 0; bytes_of(chunk, channels, elem) > MOST; a = (a + 1) % 3) {
    if (chunk[0] * chunk[1] * chunk[2] == 1) {
      break; /* very many channels */
    }
    chunk[a] = (chunk[a] + 1) / 2;
  }
}

double
h3d_dataset_amplification(int64_t n, int64_t chunk, int parts)
{
  const h3d_cut cut = h3d_cut_init(n, parts, 1);
  int64_t touched = 0;

  for (int r = 0; r < parts; r++) {
    int64_t start = h3d_cut_start(&cut, r), end = h3d_cut_start(&cut, r + 1);
    int64_t last = (end + chunk - 1) / chunk * chunk;

    if (end > start) {
      touched += (last < n ? last : n) - start / chunk * chunk;
    }
  }
  return (double)touched / (double)n;
}

void
h3d_dataset_amplification_text(int64_t n, int64_t chunk,
                               char text[H3D_AMPLIFICATION_TEXT])
{
  int at = 0;

  for (int parts = 2; parts <= 8; parts++) {
    at += snprintf(text + at, (size_t)(H3D_AMPLIFICATION_TEXT - at), "%s%.2f",
                   at > 0 ? " " : "",
                   h3d_dataset_amplification(n, chunk, parts));
  }
}

int64_t
h3d_chunk_counts(const h3d_dataset_info *info, int64_t counts[3])
{
  for (int a = 0; a < 3; a++) {
    counts[a] = (info->extent[a] + info->chunk[a] - 1) / info->chunk[a];
  }
  return counts[0] * counts[1] * counts[2];
}

void
h3d_chunk_box(const h3d_dataset_info *info, int64_t i, int64_t start[3],
              int64_t len[3])
{
  int64_t counts[3], at[3];

  h3d_chunk_counts(info, counts);
  at[2] = i % counts[2];
  at[1] = i / counts[2] % counts[1];
  at[0] = i / counts[2] / counts[1];
  for (int a = 0; a < 3; a++) {
    int64_t left = info->extent[a] - at[a] * info->chunk[a];

    start[a] = at[a] * info->chunk[a];
    len[a] = left < info->chunk[a] ? left : info->chunk[a];
  }
}

size_t
h3d_chunk_bytes(const h3d_dataset_info *info)
{
  return (size_t)bytes_of(info->chunk, info->channels, info->elem);
}

uint64_t
h3d_chunk_hash(const h3d_dataset_info *info, int64_t i, const int64_t start[3],
               const int64_t len[3], const void *box, void *scratch)
{
  size_t size = h3d_elem_size(info->elem), row;
  int64_t at[3], n[3];
  char *to = scratch;

  h3d_chunk_box(info, i, at, n);
  row = (size_t)n[2] * size;
  for (int64_t c = 0; c < info->channels; c++) {
    for (int64_t d = at[0] - start[0]; d < at[0] - start[0] + n[0]; d++) {
      for (int64_t h = at[1] - start[1]; h < at[1] - start[1] + n[1]; h++) {
        int64_t from
          = ((c * len[0] + d) * len[1] + h) * len[2] + (at[2] - start[2]);

        memcpy(to, (const char *)box + (size_t)from * size, row);
        to += row;
      }
    }
  }
  return XXH64(scratch, (size_t)(to - (char *)scratch), 0);
}
