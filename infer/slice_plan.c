#include "config.h"

#include "slice_plan.h"

#include "base/opt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static h3d_status
read_axis(const h3d_slice_options *o, h3d_slice *q)
{
  static const char letters[] = "dhw";
  const char *at = strchr(letters, o->axis[0]);

  if (!at || o->axis[0] == 0 || o->axis[1] != 0) {
    return h3d_fail(H3D_ERR_USAGE, "--axis %s: choose d, h or w", o->axis);
  }
  q->axis = (int)(at - letters);
  return H3D_OK;
}

static h3d_status
read_channel(const h3d_slice_options *o, const h3d_volume_facts *v,
             h3d_slice *q)
{
  int64_t number;

  q->channel = -1;
  if (strcmp(o->channel, "all") == 0) {
    return H3D_OK;
  }
  for (int c = 0; c < v->channels; c++) {
    if (strcmp(o->channel, v->channel[c]) == 0) {
      q->channel = c;
      return H3D_OK;
    }
  }
  if (h3d_parse_int("--channel", o->channel, &number) == H3D_OK && number >= 0
      && number < v->channels) {
    q->channel = (int)number;
    return H3D_OK;
  }
  return h3d_fail(H3D_ERR_USAGE,
                  "--channel %s: %s has %d channels, %s to %s: give a name, a "
                  "number from 0, or all",
                  o->channel, v->id, v->channels, v->channel[0],
                  v->channel[v->channels - 1]);
}

static h3d_status
read_montage(const h3d_slice_options *o, const h3d_volume_facts *v,
             h3d_slice *q)
{
  const int all = q->channel < 0 && v->channels > 1;
  const int channels = all ? v->channels : 1;
  char junk;

  q->rows = (channels + 3) / 4;
  q->columns = (channels + q->rows - 1) / q->rows;
  q->panels = channels;
  if (!o->montage) {
    return H3D_OK;
  }
  if (sscanf(o->montage, "%4dx%4d%c", &q->rows, &q->columns, &junk) != 2
      || q->rows < 1 || q->columns < 1 || q->rows * q->columns > 256) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--montage %s: write RxC, for instance 2x4, with at most "
                    "256 panels",
                    o->montage);
  }
  if (all && q->rows * q->columns < channels) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--montage %s: too few panels for %d channels: enlarge "
                    "it, or choose one with --channel",
                    o->montage, channels);
  }
  if (!all && q->rows * q->columns > v->extent[q->axis]) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--montage %s: more panels than the %lld voxels along %s",
                    o->montage, (long long)v->extent[q->axis], o->axis);
  }
  if (!all && strcmp(o->at, "mid") != 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--at %s with --montage %s of one channel: the montage "
                    "chooses the positions, leave out one of the two",
                    o->at, o->montage);
  }
  q->panels = all ? channels : q->rows * q->columns;
  return H3D_OK;
}

/* The slab, and where a single one begins: centred on --at, pushed inside. */
static h3d_status
read_slab(const h3d_slice_options *o, const h3d_volume_facts *v, h3d_slice *q)
{
  const int64_t n = v->extent[q->axis];
  const int whole = o->slab == 0 && strcmp(o->project, "none") != 0;
  int64_t at = n / 2;

  q->maximum = strcmp(o->project, "max") == 0;
  if (!q->maximum && strcmp(o->project, "mean") != 0
      && strcmp(o->project, "none") != 0) {
    return h3d_fail(H3D_ERR_USAGE, "--project %s: choose none, max or mean",
                    o->project);
  }
  if (strcmp(o->at, "mid") != 0) {
    const h3d_status st = h3d_parse_int("--at", o->at, &at);

    if (st != H3D_OK) {
      return st;
    }
  }
  if (at < 0 || at >= n || o->slab < 0 || o->slab > n) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--at %s --slab %lld: along %s there are voxels 0 to %lld",
                    o->at, (long long)o->slab, o->axis, (long long)n - 1);
  }
  q->thick = whole ? n : o->slab > 0 ? o->slab : 1;
  q->first = at - q->thick / 2;
  q->first = q->first < 0 ? 0 : q->first;
  q->first = q->first > n - q->thick ? n - q->thick : q->first;
  return H3D_OK;
}

static h3d_status
read_look(const h3d_slice_options *o, h3d_slice *q)
{
  char junk;

  if (o->limits
      && (sscanf(o->limits, "%lf,%lf%c", &q->low, &q->high, &junk) != 2
          || !isfinite(q->low) || !isfinite(q->high) || !(q->low < q->high))) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--limits %s: write LOW,HIGH, two numbers, the first the "
                    "lower",
                    o->limits);
  }
  if (o->limits && o->log && q->low <= -1) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--limits %s with --log: log(1 + value) begins above -1",
                    o->limits);
  }
  if (o->scale < 0 || o->scale > 64) {
    return h3d_fail(H3D_ERR_USAGE, "--scale %lld: choose 1 to 64, or 0",
                    (long long)o->scale);
  }
  return h3d_colormap_find(o->colormap, &q->colormap);
}

h3d_status
h3d_slice_plan(const h3d_slice_options *o, const h3d_volume_facts *v,
               h3d_slice *q)
{
  h3d_status st = H3D_OK;

  *q = (h3d_slice){ .low = 1, .high = 0 };
  H3D_TRY(read_axis(o, q));
  H3D_TRY(read_channel(o, v, q));
  H3D_TRY(read_montage(o, v, q));
  H3D_TRY(read_slab(o, v, q));
  st = read_look(o, q);
done:
  return st;
}
