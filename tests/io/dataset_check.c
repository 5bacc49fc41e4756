/* What is wrong with a dataset is said by file, sample and place. */
#include "config.h"

#include "base/mem.h"
#include "io/dataset_write.h"

#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TAP_RANKS("1 2")

enum { N = 4, VOXELS = N * N * N, SAMPLES = 3 };
static char folder[2][64]; /* of this rank */

/* Sample 1 may lack a voxel, sample 2 a target. */
static void
add_samples(h3d_dataset_writer *w, int broken, float shift)
{
  float volume[VOXELS], target;
  char id[16], source[] = "made.npy";

  for (int s = 0; s < SAMPLES; s++) {
    h3d_sample sample = { .id = id, .source = source, .family = s };

    snprintf(id, sizeof id, "s%d", s);
    for (int i = 0; i < VOXELS; i++) {
      volume[i] = (float)(s * VOXELS + i);
    }
    if (broken && s == 1) {
      volume[N * N + 2 * N + 3] = NAN;
    }
    target = broken && s == 2 ? NAN : (float)s + shift;
    ok(h3d_dataset_add(w, &sample, volume, &target, NULL) == H3D_OK, "%s", id);
  }
}

static void
make(const char *path, int broken, float shift)
{
  char *names[] = { "a" }, *units[] = { "" }, none[] = "";
  double zero[] = { 0 }, one[] = { 1 };
  h3d_channel_stats stats[1] = { { .mean = 3, .dev = 2 } };
  h3d_sample sample[SAMPLES] = { { 0 } };
  h3d_dataset_info plan = { .samples = SAMPLES,
                            .sample = sample,
                            .channels = 1,
                            .channel_name = names,
                            .extent = { N, N, N },
                            .elem = H3D_ELEM_F32,
                            .spacing = { 1, 1, 1 },
                            .spacing_unit = none,
                            .targets = 1,
                            .target_name = names,
                            .target_unit = units,
                            .target_offset = zero,
                            .target_scale = one,
                            .stats = stats,
                            .command = none,
                            .version = none };
  h3d_dataset_options options = { 0 };
  h3d_dataset_writer *w = NULL;

  ok(h3d_dataset_create(MPI_COMM_SELF, path, &plan, SAMPLES, &options, &w)
       == H3D_OK,
     "%s", h3d_why());
  add_samples(w, broken, shift);
  ok(h3d_dataset_finish(&w, H3D_RECIPE_NONE, 0, stats) == H3D_OK, "%s",
     h3d_why());
}

/* What is said of a sample, "" if it is as it should be. */
static const char *
fault(h3d_dataset *d, int64_t sample)
{
  float volume[VOXELS];

  return h3d_dataset_check(d, sample, volume) == H3D_OK ? "" : h3d_why();
}

static int
has(const char *text, const char *a, const char *b)
{
  return strstr(text, a) != NULL && strstr(text, b) != NULL;
}

static void
discard(const char *path)
{
  char *index = h3d_sprintf("%s/index.h5", path);
  char *shard = h3d_sprintf("%s/shard-00000.h5", path);

  ok(unlink(index) == 0 && unlink(shard) == 0 && rmdir(path) == 0, "removed");
  h3d_free(index);
  h3d_free(shard);
}

void
tap_main(void)
{
  char *from, *to;
  h3d_dataset *d = NULL;

  for (int i = 0; i < 2; i++) {
    snprintf(folder[i], sizeof folder[i], "/tmp/h3d-check-%ld-%d-%d",
             (long)getpid(), tap_rank, i);
    make(folder[i], i == 0, (float)i);
  }
  ok(h3d_dataset_open(MPI_COMM_SELF, folder[0], &d) == H3D_OK, "opens");
  ok(!*fault(d, 0), "a good sample");
  ok(has(fault(d, 1), "sample s1 has nan", "voxel 1,2,3"), "%s", h3d_why());
  ok(has(fault(d, 2), "sample s2", "target a = nan"), "%s", h3d_why());
  h3d_dataset_close(&d);
  /* A shard of the same length from elsewhere. */
  from = h3d_sprintf("%s/shard-00000.h5", folder[0]);
  to = h3d_sprintf("%s/shard-00000.h5", folder[1]);
  ok(rename(from, to) == 0 && link(to, from) == 0, "another one's shard");
  ok(h3d_dataset_open(MPI_COMM_SELF, folder[1], &d) == H3D_OK, "opens");
  ok(has(fault(d, 0), to, "not those of the index"), "%s", h3d_why());
  h3d_dataset_close(&d);
  h3d_free(from);
  h3d_free(to);
  discard(folder[0]);
  discard(folder[1]);
}
