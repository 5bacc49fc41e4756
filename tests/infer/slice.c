/* Planes against loops over the array, a picture pixel by pixel. */
#include "config.h"

#include "base/mem.h"
#include "infer/render.h"
#include "infer/slice_volume.h"
#include "io/dataset_write.h"
#include "io/npy.h"
#include "io/png.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TAP_RANKS("1")

enum { D = 20, H = 5, W = 7, C = 2, VOXELS = D * H * W };

static const int64_t extent[3] = { D, H, W };
static const char npy[] = "test-infer-slice.npy";
static const char png[] = "test-infer-slice.png";

static int16_t
value(const int64_t at[3], int c)
{
  return (int16_t)((at[0] * 100 + at[1] * 10 + at[2]) * (c ? -1 : 1));
}

/* first 1: [c][d][h][w], 0: [d][h][w][c] */
static void
write_array(int first)
{
  const int64_t shape[4]
    = { first ? C : D, first ? D : H, first ? H : W, first ? W : C };
  int16_t *data = h3d_new(VOXELS * C, sizeof *data);

  for (int64_t i = 0; i < VOXELS; i++) {
    const int64_t at[3] = { i / (H * W), i / W % H, i % W };

    for (int c = 0; c < C; c++) {
      data[first ? c * VOXELS + i : i * C + c] = value(at, c);
    }
  }
  ok(h3d_npy_write(npy, H3D_H5_I16, 4, shape, data) == H3D_OK,
     "an array, channels %s", first ? "first" : "last");
  h3d_free(data);
}

static void
test_plane(h3d_volume *v, int axis, int64_t start, int64_t len, int maximum)
{
  const int up = axis == 0 ? 1 : 0, across = axis == 2 ? 1 : 2;
  float plane[C * VOXELS];
  int wrong = 0;

  ok(h3d_volume_plane(v, axis, start, len, maximum, plane) == H3D_OK,
     "%s over axis %d from %d, %d long", maximum ? "maximum" : "mean", axis,
     (int)start, (int)len);
  for (int64_t i = 0; i < C * extent[up] * extent[across]; i++) {
    int64_t at[3];
    double sum = 0, most = -1e9;

    at[across] = i % extent[across];
    at[up] = i / extent[across] % extent[up];
    for (at[axis] = start; at[axis] < start + len; at[axis]++) {
      const double x = value(at, (int)(i / extent[across] / extent[up]));

      sum += x;
      most = fmax(most, x);
    }
    wrong
      += fabs((double)plane[i] - (maximum ? most : sum / (double)len)) > 1e-3;
  }
  ok(wrong == 0, "every pixel is that of a loop");
}

static void
test_volume(int first)
{
  h3d_volume *v = NULL;

  write_array(first);
  ok(h3d_volume_open(npy, NULL, &v) == H3D_OK, "opens");
  const h3d_volume_facts *f = h3d_volume_about(v);
  ok(f->channels == C && memcmp(f->extent, extent, sizeof extent) == 0,
     "%d channels of %d x %d x %d", f->channels, (int)f->extent[0],
     (int)f->extent[1], (int)f->extent[2]);
  for (int axis = 0; axis < 3; axis++) {
    test_plane(v, axis, 2, 1, 0);
    test_plane(v, axis, 1, 3, 0);
    /* The whole of the first axis takes more than one read. */
    test_plane(v, axis, 0, extent[axis], 1);
  }
  h3d_volume_close(&v);
  remove(npy);
}

static const char folder[] = "test-infer-slice.data";

/* A dataset of two samples, the second one number higher everywhere. */
static void
write_dataset(void)
{
  static char *channel[C] = { "z=0", "z=1" };
  int16_t *data = h3d_new(VOXELS * C, sizeof *data);
  const h3d_channel_stats stats[C] = { { .dev = 1 }, { .dev = 1 } };
  const h3d_dataset_options options = { .force = 1 };
  h3d_dataset_writer *w = NULL;
  h3d_dataset_info plan = { .samples = 2,
                            .channels = C,
                            .channel_name = channel,
                            .extent = { D, H, W },
                            .elem = H3D_ELEM_I16,
                            .spacing = { 4, 4, 4 },
                            .spacing_unit = "Mpc/h",
                            .command = "test",
                            .version = "0" };

  ok(h3d_dataset_create(MPI_COMM_WORLD, folder, &plan, 2, &options, &w)
       == H3D_OK,
     "a dataset");
  for (int s = 0; s < 2; s++) {
    static char *const id[2] = { "first", "second" };
    const h3d_sample about = { .id = id[s], .source = "none", .family = s };

    for (int64_t i = 0; i < VOXELS * C; i++) {
      const int64_t v = i % VOXELS;
      const int64_t at[3] = { v / (H * W), v / W % H, v % W };

      data[i] = (int16_t)(value(at, (int)(i / VOXELS)) + s);
    }
    ok(h3d_dataset_add(w, &about, data, NULL, NULL) == H3D_OK, "sample %d", s);
  }
  ok(h3d_dataset_finish(&w, H3D_RECIPE_NONE, 0, stats) == H3D_OK, "is whole");
  h3d_free(data);
}

static void
test_dataset(void)
{
  static const char *const name[3] = { NULL, "second", "1" };
  float plane[C * H * W];
  h3d_volume *v = NULL;

  write_dataset();
  for (int i = 0; i < 3; i++) {
    ok(h3d_volume_open(folder, name[i], &v) == H3D_OK, "sample %s opens",
       name[i] ? name[i] : "unnamed");
    const h3d_volume_facts *f = h3d_volume_about(v);
    ok(strcmp(f->id, i ? "second" : "first") == 0 && f->channels == C
         && strcmp(f->channel[1], "z=1") == 0 && f->spacing[2] == 4
         && strcmp(f->unit, "Mpc/h") == 0,
       "and is %s", f->id);
    ok(h3d_volume_plane(v, 0, 3, 1, 0, plane) == H3D_OK
         && plane[0] == 300 + (i > 0) && plane[2 * W + 5] == 325 + (i > 0)
         && plane[H * W] == -300 + (i > 0),
       "with its voxels");
    h3d_volume_close(&v);
  }
  ok(h3d_volume_open(folder, "secnd", &v) == H3D_ERR_USAGE && v == NULL
       && strstr(h3d_why(), "did you mean second"),
     "a misspelt sample is refused");
  ok(remove("test-infer-slice.data/index.h5") == 0
       && remove("test-infer-slice.data/shard-00000.h5") == 0
       && remove(folder) == 0,
     "nothing else was written");
}

/* The frame of the first panel begins at pixel (78, 96). */
static void
test_picture(void)
{
  enum { SCALE = 10, LEFT = 78, TOP = 96 };
  static char left[] = "left", right[] = "right";
  static char *const title[2] = { left, right };
  float v[2][2][3];
  uint8_t *rgb;
  int w, h, c, wrong = 0;
  h3d_picture p = { .title = "t",
                    .subtitle = "s",
                    .rows = 1,
                    .columns = 2,
                    .panels = 2,
                    .panel_title = title,
                    .height = 2,
                    .width = 3,
                    .value = &v[0][0][0],
                    .axis = { "h", "w" },
                    .spacing = { 1, 1 },
                    .unit = "",
                    .low = 0,
                    .high = 11,
                    .value_label = "v",
                    .scale = SCALE };

  for (int i = 0; i < 12; i++) {
    (&v[0][0][0])[i] = (float)i;
  }
  h3d_colormap_find("gray", &p.colormap);
  ok(h3d_render(&p, png) == H3D_OK
       && h3d_png_read(png, &w, &h, &c, &rgb) == H3D_OK && c == 3,
     "a picture of two panels");
  for (int i = 0; i < 12; i++) {
    const int panel = i / 6, row = i / 3 % 2, column = i % 3;
    /* The first row of values lies lowest. */
    const int y = TOP + SCALE * (1 - row) + SCALE / 2;
    const int x = LEFT + panel * (3 * SCALE + 22) + SCALE * column + SCALE / 2;

    wrong += rgb[3 * (y * w + x)] != lround(255. * i / 11);
  }
  ok(wrong == 0, "every voxel has its colour in its place");
  h3d_free(rgb);
  v[0][0][0] = (float)NAN;
  p.log = 1;
  p.low = p.high = 0;
  ok(h3d_render(&p, png) == H3D_OK
       && h3d_png_read(png, &w, &h, &c, &rgb) == H3D_OK,
     "a NaN under log");
  const uint8_t *corner = rgb + 3 * ((TOP + SCALE + 5) * w + LEFT + 5);
  ok(corner[0] == 255 && corner[1] == 0 && corner[2] == 255,
     "stands out in magenta");
  h3d_free(rgb);
  p.scale = 64;
  p.columns = 1000;
  ok(h3d_render(&p, png) == H3D_ERR_SHAPE, "too wide a picture is refused");
  remove(png);
}

void
tap_main(void)
{
  test_volume(1);
  test_volume(0);
  test_dataset();
  test_picture();
}
