/* survey.h: what all input files are, and that they belong together. */
#ifndef H3D_PREPROCESS_SURVEY_H
#define H3D_PREPROCESS_SURVEY_H

#include "inputs.h"
#include "io/dataset.h"

typedef struct h3d_survey {
  int64_t files;
  h3d_source_about *about; /* [files] */
  h3d_elem elem;           /* that holds all voxels of all files */
  double spacing[3];       /* 1 where files differ */
  const char *unit;        /* of the spacing; "" where unknown or differing */
} h3d_survey;

/* Collective over comm.  Each rank opens its share of the files, and reads
 * those whose type has to be narrowed.  Refuses by name: another extent, other
 * channels or parameters than the first file's; numbers that no dataset type
 * holds (scale.h).  Warns of float64 that loses digits, and of differing
 * spacings.  Release it also after a failure.
 */
h3d_status h3d_survey_make(MPI_Comm comm, const h3d_inputs *in, h3d_survey *s);
void h3d_survey_release(h3d_survey *s);

#endif /* H3D_PREPROCESS_SURVEY_H */
