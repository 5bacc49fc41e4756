/* infer.h: h3d-infer, file by file. */
#ifndef H3D_INFER_INFER_H
#define H3D_INFER_INFER_H

#include "ckpt/ckpt.h"
#include "data/loader.h"
#include "score.h"

typedef struct infer_options {
  const char *run, *checkpoint, *data, *subset, *grid, *device, *precision,
    *progress, *out;
  int best, last, pictures, force, dry_run, quiet;
  int64_t batch;
} infer_options;

typedef struct infer {
  infer_options o;
  char path[H3D_CKPT_PATH_MAX]; /* of the checkpoint */
  h3d_ckpt *ckpt;
  h3d_grid *grid;
  h3d_device dev;
  h3d_dataset *dataset;
  const h3d_dataset_info *info;
  char *part;         /* where results are until all are whole; rank 0 */
  int64_t n, *sample; /* the subset: places in the dataset */
  h3d_model *model;
  h3d_loader *loader;

  int targets;       /* of the network */
  int has_truth;     /* the dataset knows all of them */
  int *place;        /* [targets], in the dataset */
  double *truth;     /* [targets][n], physical; rank 0 */
  double *predicted; /* [targets][n], physical; all ranks */
} infer;

/* setup.c: from options to a model with weights.  Collective. */
h3d_status infer_setup(infer *x);
void infer_release(infer *x);

/* predict.c: every sample of the subset once.  Collective. */
h3d_status infer_predict(infer *x);

/* results.c: predictions.csv, summary.json, pictures, and a table to stdout.
 * Rank 0 writes; collective.  Old results stay until all new ones are whole.
 * may_create: what infer_make_folder would refuse; without -o nothing is. */
h3d_status infer_may_create(const infer *x);
h3d_status infer_make_folder(infer *x);
h3d_status infer_write(infer *x);
/* Remove what infer_make_folder made and infer_write did not complete. */
void infer_drop_folder(infer *x);

/* All that is said of a parameter: by samples, and averaged over families. */
typedef struct infer_result {
  h3d_score sample, family;
} infer_result;

/* pictures.c: scatter.png with all parameters, scatter-NAME.png with one.
 * Rank 0. */
h3d_status infer_draw(const infer *x, const infer_result *r);

#endif /* H3D_INFER_INFER_H */
