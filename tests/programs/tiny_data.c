/* tiny_data FOLDER [SAMPLES [SIZE]]: a dataset that a network learns in
 * seconds.
 *
 * Voxels are uniform counts, the width of whose law is the target: channel a
 * has 0 .. 4 (2 + target a), channel b likewise.  Two sub-volumes make a
 * family; of eight families six are for training, one for validation and one
 * for testing.
 */
#include "config.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/rng.h"
#include "io/dataset_write.h"

#include <stdio.h>

enum { CHANNELS = 2 };

static h3d_status
add_sample(h3d_dataset_writer *w, int64_t s, int64_t voxels, uint8_t *volume)
{
  /* Sub-volumes of a family share their parameters. */
  h3d_rng wish = h3d_rng_init(1, H3D_RNG_TEST, 0, 0);
  h3d_rng rng = h3d_rng_init(2, H3D_RNG_TEST, (uint64_t)s, 0);
  char id[32], source[] = "tiny_data";
  h3d_sample sample = { .id = id, .source = source, .family = s / 2 };
  float target[CHANNELS];

  snprintf(id, sizeof id, "tiny-%03d-%d", (int)(s / 2), (int)(s % 2));
  sample.subset = s / 2 % 8 == 6   ? H3D_SUBSET_VALIDATION
                  : s / 2 % 8 == 7 ? H3D_SUBSET_TEST
                                   : H3D_SUBSET_TRAIN;
  for (int c = 0; c < CHANNELS; c++) {
    uint64_t n = (uint64_t)(s / 2 * CHANNELS + c);

    target[c] = (float)(2 * h3d_rng_uniform(&wish, n) - 1);
    for (int64_t i = 0; i < voxels; i++) {
      double u = h3d_rng_uniform(&rng, (uint64_t)(c * voxels + i));

      volume[c * voxels + i] = (uint8_t)(u * 4 * (2 + (double)target[c]));
    }
  }
  return h3d_dataset_add(w, &sample, volume, target, NULL);
}

static h3d_status
make(const char *folder, int64_t samples, int64_t size)
{
  char *channel[] = { "a", "b" }, *name[] = { "width_a", "width_b" },
       *unit[] = { "", "counts" };
  char none[] = "", command[] = "tiny_data", version[] = PACKAGE_VERSION;
  double offset[] = { 10, 2 }, scale[] = { 5, 1 };
  h3d_channel_stats stats[CHANNELS]
    = { { 1.4, 0.6, 0, 2.6, 1, 0 }, { 1.4, 0.6, 0, 2.6, 1, 0 } };
  int64_t voxels = size * size * size;
  h3d_dataset_info plan = { .samples = samples,
                            .channels = CHANNELS,
                            .channel_name = channel,
                            .extent = { size, size, size },
                            .elem = H3D_ELEM_U8,
                            .spacing = { 1, 1, 1 },
                            .spacing_unit = none,
                            .targets = CHANNELS,
                            .target_name = name,
                            .target_unit = unit,
                            .target_offset = offset,
                            .target_scale = scale,
                            .recipe = H3D_RECIPE_LOG1P,
                            .standardize = 1,
                            .stats = stats,
                            .command = command,
                            .version = version };
  h3d_dataset_options options = { 0 };
  h3d_dataset_writer *w = NULL;
  uint8_t *volume = h3d_new((size_t)(CHANNELS * voxels), 1);
  h3d_status st;

  H3D_TRY(
    h3d_dataset_create(MPI_COMM_WORLD, folder, &plan, samples, &options, &w));
  for (int64_t s = 0; s < samples; s++) {
    H3D_TRY(add_sample(w, s, voxels, volume));
  }
  st = h3d_dataset_finish(&w, plan.recipe, plan.standardize, stats);
done:
  h3d_dataset_abandon(&w);
  h3d_free(volume);
  return st;
}

int
main(int argc, char **argv)
{
  int64_t samples = 48, size = 16;
  h3d_status st = H3D_OK;

  h3d_start(&argc, &argv);
  if (argc < 2) {
    st = h3d_fail(H3D_ERR_USAGE, "give a folder");
  }
  if (st == H3D_OK && argc > 2) {
    st = h3d_parse_int("samples", argv[2], &samples);
  }
  if (st == H3D_OK && argc > 3) {
    st = h3d_parse_int("size", argv[3], &size);
  }
  if (st == H3D_OK) {
    st = make(argv[1], samples, size);
  }
  return h3d_finish(h3d_exit_status("tiny_data", st));
}
