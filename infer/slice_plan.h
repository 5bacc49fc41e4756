/* slice_plan.h: what to draw, from options and the volume at hand. */
#ifndef H3D_INFER_SLICE_PLAN_H
#define H3D_INFER_SLICE_PLAN_H

#include "base/status.h"
#include "io/colormap.h"
#include "slice_volume.h"

#include <stdint.h>

/* As the user gave them; texts are borrowed. */
typedef struct h3d_slice_options {
  const char *sample, *axis, *at, *channel, *colormap, *montage, *project;
  const char *limits, *label, *title, *out;
  int64_t slab, scale;
  int log, force, dry_run;
} h3d_slice_options;

/* What the options mean for one volume. */
typedef struct h3d_slice {
  int axis, maximum, channel; /* channel -1: all */
  int rows, columns, panels;
  int64_t first, thick; /* of the slab at a single position */
  double low, high;
  const h3d_colormap *colormap;
} h3d_slice;

/* Everything that can be refused about the picture is refused here
 * (H3D_ERR_USAGE), by option, value and what the volume has.
 */
h3d_status h3d_slice_plan(const h3d_slice_options *o,
                          const h3d_volume_facts *v, h3d_slice *q);

#endif /* H3D_INFER_SLICE_PLAN_H */
