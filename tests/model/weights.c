/* The networks of share/models have the papers' numbers of weights. */
#include "config.h"

#include "model/net.h"

#include "tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TAP_RANKS("1")

/* Oyama et al., arXiv 2007.12856, and the MLPerf HPC reference model. */
enum { PLAIN = 9437636, NORM = 9439652, MLPERF = 8907556 };

static void
count(const char *name, int64_t size, int64_t channels, int64_t targets,
      int64_t want)
{
  const char *top = getenv("top_srcdir");
  h3d_data_shape data = { channels, { size, size, size }, targets };
  h3d_net *net = NULL;
  char path[1024];
  h3d_status st;

  snprintf(path, sizeof path, "%s/share/models/%s", top ? top : ".", name);
  st = h3d_net_read(path, &data, &net);
  if (!ok(st == H3D_OK, "%s is read for %" PRId64 " voxels", name, size)) {
    printf("# %s\n", h3d_why());
    return;
  }
  ok(h3d_net_weights(net) == want,
     "%s at %" PRId64 ": %" PRId64 " weights, want %" PRId64, name, size,
     h3d_net_weights(net), want);
  /* What the dense layers read: every size ends at 2 x 2 x 2. */
  for (int i = 0; i < net->layers && !strstr(name, "mlperf"); i++) {
    const h3d_layer *l = &net->layer[i];

    if (l->kind->ends_space && l->x_shape[0].n[0] > 1) {
      ok(l->x_shape[0].c == 256 && l->x_shape[0].n[0] == 2
           && l->x_shape[0].n[1] == 2 && l->x_shape[0].n[2] == 2,
         "%s at %" PRId64 " ends at 2 x 2 x 2 x 256", name, size);
    }
  }
  h3d_net_free(&net);
}

void
tap_main(void)
{
  for (int64_t size = 32; size <= 512; size *= 2) {
    char name[64];

    snprintf(name, sizeof name, "cosmoflow-%" PRId64 ".net", size);
    count(name, size, 4, 4, PLAIN);
    snprintf(name, sizeof name, "cosmoflow-bn-%" PRId64 ".net", size);
    count(name, size, 4, 4, NORM);
  }
  /* One channel: 3 * 16 * 27 weights less; two targets: 2 * 257 less. */
  count("cosmoflow-64.net", 64, 1, 2, PLAIN - 3 * 16 * 27 - 2 * 257);
  count("cosmoflow-mlperf.net", 128, 4, 4, MLPERF);
  /* 2^3 instead of 4^3 voxels reach the first dense layer. */
  count("cosmoflow-mlperf.net", 64, 4, 4, MLPERF - 56 * 512 * 128);
}
