/* options.h: the command line of h3d-preprocess; texts are borrowed. */
#ifndef H3D_PREPROCESS_OPTIONS_H
#define H3D_PREPROCESS_OPTIONS_H

#include <stdint.h>

typedef struct options {
  const char *from, *targets, *chunk, *normalize, *subsets, *compress;
  const char *progress, *out;
  const char *array, *axes, *dtype, *shape, *byte_order;
  int64_t subvolume, seed, offset;
  const char *memory;
  int force, dry_run, together, resume;
} options;

#endif /* H3D_PREPROCESS_OPTIONS_H */
