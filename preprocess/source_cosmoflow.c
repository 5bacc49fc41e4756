/* cosmoflow: universes in the layout of the public CosmoFlow data. */
#include "config.h"

#include "source.h"

#include "io/cosmoflow.h"

#include <stdio.h>
#include <string.h>

static const char *const suffixes[] = { ".hdf5", ".h5", NULL };

static h3d_status
check_counts(const h3d_source *s, const h3d_cosmoflow *f)
{
  if (f->channels > H3D_SOURCE_CHANNELS || f->params > H3D_SOURCE_PARAMS) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: %d channels and %d parameters, at most %d and %d are "
                    "read",
                    s->path, f->channels, f->params, (int)H3D_SOURCE_CHANNELS,
                    (int)H3D_SOURCE_PARAMS);
  }
  return H3D_OK;
}

static void
copy_params(h3d_source_about *a, const h3d_cosmoflow *f)
{
  a->params = f->params;
  a->has_phys = f->phys != NULL;
  for (int k = 0; k < f->params; k++) {
    a->norm[k] = f->unit[k];
    a->phys[k] = f->phys != NULL ? f->phys[k] : f->unit[k];
    if (f->name != NULL) {
      snprintf(a->name[k], sizeof a->name[k], "%s", f->name[k]);
    } else {
      snprintf(a->name[k], sizeof a->name[k], "unitPar_%d", k);
    }
  }
}

static h3d_status
open_file(h3d_source *s)
{
  h3d_source_about *a = &s->about;
  h3d_cosmoflow *f;
  h3d_status st = h3d_cosmoflow_open(s->path, &f);

  if (st != H3D_OK) {
    return st;
  }
  st = check_counts(s, f);
  if (st != H3D_OK) {
    h3d_cosmoflow_close(&f);
    return st;
  }
  s->state = f;
  memcpy(a->extent, f->extent, sizeof a->extent);
  a->channels = f->channels;
  a->type = f->type;
  for (int c = 0; c < f->channels; c++) {
    if (f->redshift != NULL) {
      snprintf(a->channel[c], sizeof a->channel[c], "z=%g", f->redshift[c]);
    } else {
      snprintf(a->channel[c], sizeof a->channel[c], "channel %d", c);
    }
  }
  for (int d = 0; d < 3 && f->box > 0; d++) {
    a->spacing[d] = f->box / (double)f->extent[d];
  }
  snprintf(a->unit, sizeof a->unit, "%s", f->box > 0 ? f->box_unit : "");
  copy_params(a, f);
  return H3D_OK;
}

static void
close_file(h3d_source *s)
{
  h3d_cosmoflow *f = s->state;

  h3d_cosmoflow_close(&f);
}

static h3d_status
read_box(const h3d_source *s, const int64_t start[3], const int64_t len[3],
         void *out)
{
  return h3d_cosmoflow_read(s->state, start, len, out);
}

extern const h3d_source_kind h3d_source_cosmoflow;
const h3d_source_kind h3d_source_cosmoflow = {
  .name = "cosmoflow",
  .suffixes = suffixes,
  .open = open_file,
  .close = close_file,
  .read = read_box,
};
