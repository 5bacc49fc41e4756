/* targets.h: the numbers to learn, normalised, with the way back. */
#ifndef H3D_PREPROCESS_TARGETS_H
#define H3D_PREPROCESS_TARGETS_H

#include "survey.h"

typedef struct h3d_targets {
  int n;                  /* 0: none */
  char **name;            /* [n] */
  char **unit;            /* [n], "" when it has none */
  double *offset, *scale; /* [n]: physical = offset + scale * target */
  float *value;           /* [families][n], normalised */
} h3d_targets;

/* From the files themselves: their normalised numbers, and the affine map to
 * the physical ones, derived over all files (no map: offset 0, scale 1, with a
 * warning).  H3D_ERR_FILE: a file that does not fit the map; not finite.
 */
h3d_status h3d_targets_from_files(const h3d_inputs *in, const h3d_survey *s,
                                  h3d_targets *t);

/* From a CSV with columns id and one per target, in physical units, scaled so
 * that the training families lie between -1 and 1.  "NAME [UNIT]" as a column
 * name gives a unit.  H3D_ERR_FILE: no column id, no line for an input, two
 * lines for one, not a number.  The caller's rank reads the file.
 */
h3d_status h3d_targets_from_csv(const char *path, const h3d_inputs *in,
                                const h3d_subset *subset, h3d_targets *t);

void h3d_targets_release(h3d_targets *t);

#endif /* H3D_PREPROCESS_TARGETS_H */
