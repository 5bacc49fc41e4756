/* All of a dataset, read by all ranks. */
#include "config.h"

#include "info.h"

#include "base/agree.h"
#include "base/clock.h"
#include "base/mem.h"
#include "io/dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A rank says this many faults and counts the rest. */
enum { SAID_MOST = 20 };

/* My faults, a line each. */
static uint64_t
check_samples(h3d_dataset *d, int64_t first, int64_t end, void *volume,
              char **said)
{
  uint64_t faults = 0;

  for (int64_t k = first; k < end; k++) {
    if (h3d_dataset_check(d, k, volume) == H3D_OK) {
      continue;
    }
    if (faults++ < SAID_MOST) {
      char *old = *said;

      *said = h3d_sprintf("%s%s\n", old, h3d_why());
      h3d_free(old);
    }
  }
  return faults;
}

static void
say(info_say *s, const h3d_dataset_info *n, double bytes, double seconds)
{
  char *text = h3d_sprintf(
    "all %" PRId64 " samples were read, all checksums are right, all numbers "
    "finite, the index agrees",
    n->samples);

  info_text(s, "check", text);
  info_real(s, "MB/s", seconds > 0 ? bytes / 1e6 / seconds : 0);
  h3d_free(text);
}

h3d_status
info_check(info_say *s, const char *path)
{
  const int rank = h3d_comm_rank(MPI_COMM_WORLD),
            ranks = h3d_comm_size(MPI_COMM_WORLD);
  const h3d_dataset_info *n;
  char *said = h3d_strdup("");
  void *volume = NULL, *gathered = NULL;
  h3d_dataset *d = NULL;
  size_t bytes, total;
  uint64_t faults;
  double start;
  h3d_status st;

  H3D_TRY(h3d_dataset_open(MPI_COMM_WORLD, path, &d));
  n = h3d_dataset_about(d);
  bytes = (size_t)(n->channels * n->extent[0] * n->extent[1] * n->extent[2])
          * h3d_elem_size(n->elem);
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, h3d_alloc(bytes, 1, &volume)));
  start = h3d_clock();
  faults = check_samples(d, n->samples * rank / ranks,
                         n->samples * (rank + 1) / ranks, volume, &said);
  h3d_gather_all(MPI_COMM_WORLD, said, strlen(said), &gathered, &total);
  h3d_sum_all(MPI_COMM_WORLD, &faults, 1);
  if (faults == 0) {
    if (rank == 0) {
      say(s, n, (double)bytes * (double)n->samples, h3d_clock() - start);
    }
    goto done;
  }
  if (rank == 0) {
    fprintf(stderr, "%.*s", (int)total, (const char *)gathered);
  }
  st = h3d_fail(H3D_ERR_FILE,
                "%s: %" PRIu64 " of %" PRId64 " samples are not as they "
                "should be; at most %d a rank are named above",
                path, faults, n->samples, SAID_MOST);
done:
  h3d_free(gathered);
  h3d_free(volume);
  h3d_free(said);
  h3d_dataset_close(&d);
  return st;
}
