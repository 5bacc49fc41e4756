/* Datasets: written by any ranks, read by box, damage seen. */
#include "config.h"

#include "base/agree.h"
#include "base/mem.h"
#include "io/dataset.h"
#include "io/dataset_write.h"
#include "io/h5.h"
#include "tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TAP_RANKS("1 2 3 4")

enum { SAMPLES = 7, C = 2, D = 9, H = 8, W = 11, VOXELS = D * H * W };
static const char path[] = "test-io-dataset", alone[] = "test-io-dataset-1";

static char *names[C] = { (char *)"z=0", (char *)"z=3" };
static char *targets[2] = { (char *)"Omega_m", (char *)"sigma_8" };
static char *units[2] = { (char *)"", (char *)"" };
static double offset[2] = { 0.3, 0.8 }, scale[2] = { 0.2, 0.25 };

static h3d_dataset_info
plan_of(h3d_elem elem)
{
  h3d_dataset_info n = {
    .samples = SAMPLES,
    .channels = C,
    .channel_name = names,
    .extent = { D, H, W },
    .chunk = { 4, 4, 5 },
    .elem = elem,
    .spacing = { 1, 2, 4 },
    .spacing_unit = (char *)"Mpc/h",
    .targets = 2,
    .target_name = targets,
    .target_unit = units,
    .target_offset = offset,
    .target_scale = scale,
    .command = (char *)"a test",
  };

  return n;
}

/* Of sample s, channel c, voxel i. */
static int
value(int64_t s, int64_t c, int64_t i)
{
  return (int)((s * 31 + c * 17 + i) % 251);
}

static void
put(h3d_elem e, void *at, int64_t i, int v)
{
  if (e == H3D_ELEM_I16) {
    ((int16_t *)at)[i] = (int16_t)v;
  } else if (e == H3D_ELEM_U8) {
    ((uint8_t *)at)[i] = (uint8_t)v;
  } else {
    ((float *)at)[i] = (float)v;
  }
}

static int
get(h3d_elem e, const void *at, int64_t i)
{
  return e == H3D_ELEM_I16  ? ((const int16_t *)at)[i]
         : e == H3D_ELEM_U8 ? ((const uint8_t *)at)[i]
                            : (int)((const float *)at)[i];
}

static h3d_status
add_one(h3d_dataset_writer *w, h3d_elem elem, int64_t s)
{
  float volume[C * VOXELS], target[2] = { (float)s, -0.5F };
  char id[32], source[32];
  h3d_sample sample = { .id = id, .source = source, .family = s / 2 };

  snprintf(id, sizeof id, "sample-%d", (int)s);
  snprintf(source, sizeof source, "file-%d", (int)s / 2);
  sample.subset = s < 4 ? H3D_SUBSET_TRAIN : H3D_SUBSET_TEST;
  for (int64_t i = 0; i < C * VOXELS; i++) {
    put(elem, volume, i, value(s, i / VOXELS, i % VOXELS));
  }
  return h3d_dataset_add(w, &sample, volume, target, NULL);
}

/* Rank r of p adds samples r*7/p to (r+1)*7/p. */
static h3d_status
write_one(MPI_Comm comm, const char *to, h3d_elem elem, int deflate, int force)
{
  const h3d_channel_stats stats[C]
    = { { 1.5, 2, 0, 9, 100, 0 }, { -1, 0.1, -2, 3, 100, 0 } };
  const h3d_dataset_options options = { .force = force, .deflate = deflate };
  const h3d_dataset_info plan = plan_of(elem);
  int r = h3d_comm_rank(comm), p = h3d_comm_size(comm);
  int64_t first = r * SAMPLES / p, end = (r + 1) * SAMPLES / p;
  h3d_dataset_writer *w;
  h3d_status st
    = h3d_dataset_create(comm, to, &plan, end - first, &options, &w);

  if (st != H3D_OK) {
    return st;
  }
  for (int64_t s = first; s < end && st == H3D_OK; s++) {
    st = add_one(w, elem, s);
  }
  st = h3d_agree(comm, st);
  if (st != H3D_OK) {
    h3d_dataset_abandon(&w);
    return st;
  }
  return h3d_dataset_finish(&w, H3D_RECIPE_LOG1P, 1, stats);
}

static int
box_is_right(h3d_dataset *d, int64_t s, const int64_t start[3],
             const int64_t len[3])
{
  h3d_elem e = h3d_dataset_about(d)->elem;
  float out[C * VOXELS];
  int right = h3d_dataset_read(d, s, start, len, out) == H3D_OK;
  int64_t at = 0;

  for (int64_t c = 0; c < C; c++) {
    for (int64_t z = start[0]; z < start[0] + len[0]; z++) {
      for (int64_t y = start[1]; y < start[1] + len[1]; y++) {
        for (int64_t x = start[2]; x < start[2] + len[2]; x++, at++) {
          right = right && get(e, out, at) == value(s, c, (z * H + y) * W + x);
        }
      }
    }
  }
  return right;
}

static int
about_is_right(const h3d_dataset_info *n, h3d_elem elem)
{
  const h3d_dataset_info want = plan_of(elem);
  int right = n->samples == SAMPLES && n->channels == C && n->elem == elem
              && memcmp(n->extent, want.extent, sizeof want.extent) == 0
              && memcmp(n->chunk, want.chunk, sizeof want.chunk) == 0
              && memcmp(n->spacing, want.spacing, sizeof want.spacing) == 0
              && strcmp(n->spacing_unit, "Mpc/h") == 0 && n->targets == 2
              && strcmp(n->channel_name[1], "z=3") == 0
              && strcmp(n->target_name[1], "sigma_8") == 0
              && n->target_offset[0] == 0.3 && n->target_scale[1] == 0.25
              && n->recipe == H3D_RECIPE_LOG1P && n->standardize == 1
              && n->stats[1].dev == 0.1 && n->stats[0].count == 100
              && strcmp(n->command, "a test") == 0;

  for (int s = 0; right && s < SAMPLES; s++) {
    char id[32];

    snprintf(id, sizeof id, "sample-%d", s);
    right
      = strcmp(n->sample[s].id, id) == 0 && n->sample[s].family == s / 2
        && n->sample[s].subset == (s < 4 ? H3D_SUBSET_TRAIN : H3D_SUBSET_TEST);
  }
  return right;
}

static void
test_round_trip(h3d_elem elem, int deflate)
{
  static const int64_t boxes[][6] = {
    { 0, 0, 0, D, H, W }, { 3, 2, 1, 5, 4, 9 }, { 8, 7, 10, 1, 1, 1 },
    { 4, 0, 0, 4, 8, 5 }, { 2, 2, 2, 0, 3, 3 },
  };
  int64_t asked, touched;
  float target[2];
  int right = 1;
  h3d_dataset *d;

  ok(write_one(MPI_COMM_WORLD, path, elem, deflate, 1) == H3D_OK,
     "%s, deflate %d: written: %s", h3d_elem_name(elem), deflate, "");
  ok(h3d_dataset_open(MPI_COMM_WORLD, path, &d) == H3D_OK, "opened");
  ok(about_is_right(h3d_dataset_about(d), elem), "all ranks have the index");
  for (int64_t s = 0; s < SAMPLES; s++) {
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++) {
      right = right && box_is_right(d, s, boxes[b], boxes[b] + 3);
    }
    right = right && h3d_dataset_read_target(d, s, target) == H3D_OK
            && target[0] == (float)s && target[1] == -0.5F;
  }
  ok(right, "all boxes and targets of all samples are right");
  h3d_dataset_traffic(d, &asked, &touched);
  /* By hand: the second box touches 9x8x10, the third 1x4x1, the last but
   * one just itself. */
  ok(asked
         == SAMPLES * C * (int64_t)h3d_elem_size(elem)
              * (VOXELS + 5 * 4 * 9 + 1 + 4 * 8 * 5)
       && touched
            == SAMPLES * C * (int64_t)h3d_elem_size(elem)
                 * (VOXELS + 8 * 8 * 10 + 1 * 4 * 1 + 4 * 8 * 5),
     "bytes asked for and touched are counted");
  h3d_dataset_close(&d);
}

static uint64_t
identity_of(const char *folder)
{
  uint64_t identity = 0;
  h3d_dataset *d;

  if (h3d_dataset_open(MPI_COMM_SELF, folder, &d) == H3D_OK) {
    identity = h3d_dataset_about(d)->identity;
    h3d_dataset_close(&d);
  }
  return identity;
}

static void
test_identity(void)
{
  h3d_status st = H3D_OK;

  write_one(MPI_COMM_WORLD, path, H3D_ELEM_I16, 0, 1);
  if (tap_rank == 0) {
    st = write_one(MPI_COMM_SELF, alone, H3D_ELEM_I16, 0, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  ok(st == H3D_OK && identity_of(path) == identity_of(alone)
       && identity_of(path) != 0,
     "the identity is that of one rank's dataset");
}

/* Change or cut a file, try, put it back.  Rank 0 alone. */
static void
flip(const char *file, long at)
{
  int fd = open(file, O_RDWR);
  unsigned char byte = 0;

  (void)!pread(fd, &byte, 1, at);
  byte ^= 64;
  (void)!pwrite(fd, &byte, 1, at);
  close(fd);
}

static int
sample_can_be_read(void)
{
  static const int64_t start[3] = { 0, 0, 0 }, len[3] = { D, H, W };
  int16_t out[C * VOXELS];
  h3d_dataset *d;
  int can = h3d_dataset_open(MPI_COMM_SELF, path, &d) == H3D_OK;

  if (can) {
    can = h3d_dataset_read(d, 0, start, len, out) == H3D_OK;
    h3d_dataset_close(&d);
  }
  return can;
}

static void
test_damaged_shard(void)
{
  const char *const shard = "test-io-dataset/shard-00000.h5";
  struct stat info;
  int seen = 0, first = tap_rank == 0;

  if (first) {
    stat(shard, &info);
    for (long at = 0; at < (long)info.st_size && !seen; at += 501) {
      flip(shard, at);
      seen = !sample_can_be_read() && strstr(h3d_why(), "checksum") != NULL
             && strstr(h3d_why(), "chunk") != NULL
             && strstr(h3d_why(), shard) != NULL;
      flip(shard, at);
    }
  }
  ok(!first || seen, "a flipped byte: %s", h3d_why());
  ok(!first || sample_can_be_read(), "flipped back, all is well");
  ok(!first
       || (truncate(shard, info.st_size - 1) == 0 && !sample_can_be_read()
           && strstr(h3d_why(), "truncated") != NULL),
     "%s", h3d_why());
  ok(!first || (unlink(shard) == 0 && !sample_can_be_read()), "%s", h3d_why());
}

static void
test_damaged_index(void)
{
  const char *const index = "test-io-dataset-1/index.h5";
  const uint64_t identity = identity_of(alone);
  struct stat info;
  int sound = 1, refused = 0;

  MPI_Barrier(MPI_COMM_WORLD);
  if (tap_rank == 0) {
    stat(index, &info);
    for (long at = 0; at < (long)info.st_size; at += 97) {
      uint64_t got;

      flip(index, at);
      got = identity_of(alone);
      flip(index, at);
      sound = sound && (got == 0 || got == identity);
      refused += got == 0;
    }
  }
  ok(sound && (tap_rank > 0 || refused > 0),
     "no flipped byte of the index changes what is seen (%d refused)",
     refused);
}

static void
test_foreign_index(void)
{
  const int64_t format = 99;
  h3d_dataset *d;
  h3d_h5 *f;

  if (tap_rank == 0) {
    h3d_h5_create("test-io-dataset-1/index.h5", &f);
    h3d_h5_write_ints(f, "/", "h3d_format", 1, &format);
    h3d_h5_publish(&f);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  ok(h3d_dataset_open(MPI_COMM_WORLD, alone, &d) == H3D_ERR_FILE && d == NULL
       && strstr(h3d_why(), "99") != NULL,
     "%s", h3d_why());
  MPI_Barrier(MPI_COMM_WORLD);
  if (tap_rank == 0) {
    unlink("test-io-dataset-1/index.h5");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  ok(h3d_dataset_open(MPI_COMM_WORLD, alone, &d) == H3D_ERR_FILE
       && strstr(h3d_why(), "unfinished") != NULL,
     "%s", h3d_why());
  ok(h3d_dataset_open(MPI_COMM_WORLD, "test-io-none", &d) == H3D_ERR_FILE,
     "%s", h3d_why());
}

static void
test_boxes_outside(void)
{
  const int64_t start[3] = { 5, 0, 0 }, len[3] = { 5, 1, 1 };
  int16_t out[C * 5];
  h3d_dataset *d;

  h3d_dataset_open(MPI_COMM_WORLD, path, &d);
  ok(h3d_dataset_read(d, 0, start, len, out) == H3D_ERR_SHAPE, "%s",
     h3d_why());
  h3d_dataset_close(&d);
}

/* The datasets of this test, what is left of them. */
static void
clean_up(void)
{
  static const char *const folders[2] = { path, alone };

  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; tap_rank == 0 && i < 2; i++) {
    char file[64];

    for (int k = 0; k < 4; k++) {
      snprintf(file, sizeof file, "%s/shard-0000%d.h5", folders[i], k);
      unlink(file);
    }
    snprintf(file, sizeof file, "%s/index.h5", folders[i]);
    unlink(file);
    rmdir(folders[i]);
  }
}

void
tap_main(void)
{
  const size_t blocks = h3d_mem_count();

  test_round_trip(H3D_ELEM_I16, 0);
  test_round_trip(H3D_ELEM_U8, 3);
  test_round_trip(H3D_ELEM_F32, 0);
  test_identity();
  test_boxes_outside();
  test_damaged_shard();
  test_damaged_index();
  test_foreign_index();
  clean_up();
  ok(h3d_mem_count() == blocks, "no memory is left");
}
