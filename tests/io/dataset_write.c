/* Nothing is replaced unasked; what is not finished leaves nothing. */
#include "config.h"

#include "base/agree.h"
#include "base/mem.h"
#include "io/dataset_write.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TAP_RANKS("1 2 3 4")

static const char path[] = "test-io-dataset-write";
static const char foreign[] = "test-io-dataset-write/mine.txt";
static char *channel[1] = { (char *)"mass" };
static const h3d_channel_stats stats[1] = { { 0, 1, 0, 1, 64, 0 } };

/* One sample per rank, a cube of 4 voxels. */
static h3d_status
begin(const char *folder, int force, h3d_dataset_writer **w)
{
  static h3d_dataset_info plan;
  const h3d_dataset_options options = { .force = force };

  plan = (h3d_dataset_info){ .samples = tap_size,
                             .channels = 1,
                             .channel_name = channel,
                             .extent = { 4, 4, 4 },
                             .elem = H3D_ELEM_U8,
                             .spacing = { 1, 1, 1 },
                             .spacing_unit = (char *)"",
                             .command = (char *)"a test" };
  return h3d_dataset_create(MPI_COMM_WORLD, folder, &plan, 1, &options, w);
}

static h3d_status
add(h3d_dataset_writer *w, int number)
{
  uint8_t voxels[64] = { 0 };
  char id[16];
  const h3d_sample s = { .id = id, .source = (char *)"memory" };

  snprintf(id, sizeof id, "s%d", number);
  voxels[7] = (uint8_t)number;
  return h3d_dataset_add(w, &s, voxels, NULL, NULL);
}

static h3d_status
write_one(int force)
{
  h3d_dataset_writer *w;
  h3d_status st = begin(path, force, &w);

  if (st == H3D_OK) {
    st = h3d_agree(MPI_COMM_WORLD, add(w, tap_rank));
    return st == H3D_OK ? h3d_dataset_finish(&w, H3D_RECIPE_NONE, 1, stats)
                        : st;
  }
  return st;
}

static int
is_there(const char *name)
{
  struct stat info;

  MPI_Barrier(MPI_COMM_WORLD);
  const int there = stat(name, &info) == 0;
  MPI_Barrier(MPI_COMM_WORLD);
  return there;
}

static void
test_replacing(void)
{
  h3d_dataset_writer *w;

  ok(write_one(0) == H3D_OK, "into nothing");
  ok(write_one(0) == H3D_ERR_FILE && strstr(h3d_why(), "--force") != NULL,
     "%s", h3d_why());
  ok(write_one(1) == H3D_OK, "with force");
  if (tap_rank == 0) {
    fclose(fopen(foreign, "w"));
  }
  ok(write_one(1) == H3D_ERR_FILE && strstr(h3d_why(), "mine.txt") != NULL
       && is_there("test-io-dataset-write/index.h5"),
     "%s", h3d_why());
  if (tap_rank == 0) {
    unlink(foreign);
  }
  ok(begin("test-io-none/x", 1, &w) == H3D_ERR_FILE && w == NULL, "%s",
     h3d_why());
}

/* A finished dataset. */
static void
remove_it(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = -1; tap_rank == 0 && i < tap_size; i++) {
    char *name = i < 0 ? h3d_sprintf("%s/index.h5", path)
                       : h3d_sprintf("%s/shard-%05d.h5", path, i);

    unlink(name);
    h3d_free(name);
  }
  if (tap_rank == 0) {
    rmdir(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void
test_twins(void)
{
  h3d_dataset_writer *w;

  begin(path, 1, &w);
  add(w, 3); /* by every rank */
  if (tap_size == 1) {
    h3d_dataset_abandon(&w);
    ok(w == NULL, "one rank has no twin");
    return;
  }
  ok(h3d_dataset_finish(&w, H3D_RECIPE_NONE, 1, stats) == H3D_ERR_USAGE
       && w == NULL && strstr(h3d_why(), "s3") != NULL && !is_there(path),
     "%s", h3d_why());
}

static void
test_abandon(void)
{
  h3d_dataset_writer *w;

  begin(path, 1, &w);
  if (tap_rank == 0) {
    add(w, 0);
  }
  ok(!is_there("test-io-dataset-write/index.h5"), "the index comes last");
  h3d_dataset_abandon(&w);
  ok(w == NULL && !is_there(path), "what is abandoned is removed");
  write_one(0);
  begin(path, 1, &w);
  h3d_dataset_abandon(&w);
  ok(is_there("test-io-dataset-write/index.h5")
       && is_there("test-io-dataset-write/shard-00000.h5")
       && !is_there("test-io-dataset-write/.part"),
     "and the old dataset stays");
  remove_it();
}

void
tap_main(void)
{
  const size_t blocks = h3d_mem_count();

  test_replacing();
  remove_it();
  test_twins();
  test_abandon();
  ok(h3d_mem_count() == blocks, "no memory is left");
}
