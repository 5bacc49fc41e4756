/* inputs.h: the files that the user's operands mean. */
#ifndef H3D_PREPROCESS_INPUTS_H
#define H3D_PREPROCESS_INPUTS_H

#include "source.h"

#include <mpi.h>

typedef struct h3d_inputs {
  const h3d_source_kind *kind;
  const h3d_source_options *options; /* borrowed; the caller's to set */
  int64_t n;
  char **path; /* [n] */
  char **id;   /* [n], the file's name without folder and ending */
} h3d_inputs;

/* Collective over comm: rank 0 looks, all get the same list, sorted by id.
 * An operand is a file or a folder, searched through all its sub-folders for
 * files of the kind (NULL: any known kind, all of one).  Refuses by name what
 * is missing, a folder without such files, files of two kinds, a file of no
 * known kind, two files with one id.  Release it also after a failure.
 */
h3d_status h3d_inputs_find(MPI_Comm comm, const h3d_source_kind *kind,
                           const char *const *operand, int operands,
                           h3d_inputs *in);
void h3d_inputs_release(h3d_inputs *in);

#endif /* H3D_PREPROCESS_INPUTS_H */
