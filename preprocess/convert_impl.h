/* convert_impl.h: what the two ways of converting share. */
#ifndef H3D_PREPROCESS_CONVERT_IMPL_H
#define H3D_PREPROCESS_CONVERT_IMPL_H

#include "convert.h"
#include "scale.h"

/* One rank at work. */
typedef struct h3d_convert_worker {
  const h3d_convert *c;
  h3d_dataset_writer *writer;
  int64_t first, end; /* samples; together: all of them */
  h3d_source source;  /* open while file >= 0 */
  int64_t file;
  void *raw, *voxels, *scratch; /* of a piece; the last of a chunk */
  h3d_scale_tally *tally;
  h3d_scale_sum *sum; /* [end - first][channels] */
} h3d_convert_worker;

/* Open the file, unless it is. */
h3d_status h3d_convert_go_to(h3d_convert_worker *w, int64_t file);
/* Where sample s begins in its volume. */
void h3d_convert_start(const h3d_convert *c, int64_t s, int64_t start[3]);
/* A box of sample s, read, converted to w->voxels and tallied. */
h3d_status h3d_convert_box(h3d_convert_worker *w, int64_t s,
                           const int64_t start[3], const int64_t len[3]);
/* The sample's sums, once all of it is tallied. */
h3d_status h3d_convert_sum(h3d_convert_worker *w, int64_t s);
/* Id, geometry and the like of sample s; h3d_free(out->id). */
void h3d_convert_about(const h3d_convert_worker *w, int64_t s, h3d_sample *out,
                       double geometry[16]);

/* Collective over comm: all samples, all ranks on each.  The status is the
 * same on all ranks.
 */
h3d_status h3d_convert_together(MPI_Comm comm, h3d_convert_worker *w);

#endif /* H3D_PREPROCESS_CONVERT_IMPL_H */
