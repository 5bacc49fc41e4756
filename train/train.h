/* train.h: h3d-train, file by file. */
#ifndef H3D_TRAIN_TRAIN_H
#define H3D_TRAIN_TRAIN_H

#include "base/conf.h"
#include "ckpt/ckpt.h"
#include "data/loader.h"
#include "model/rate.h"

#include <stdio.h>

/* What the user wants.  Every key of a run is in conf; presets < the run's own
 * run.ini (on --resume) < --config < --set < options. */
typedef struct train_options {
  h3d_conf *conf;
  const char *run; /* the run's folder */
  int resume, force, dry_run;
  int64_t stop_after; /* epochs in this call; 0: to the end */
  int progress;       /* 1: each epoch shows its progress; 0: long ones */
} train_options;

/* A row of history.csv.  seconds is of the whole epoch; the rate counts
 * training samples and training time only. */
enum {
  ROW_EPOCH, /* epochs done, from 1 */
  ROW_STEP,
  ROW_LR, /* of the epoch's last step */
  ROW_TRAIN_LOSS,
  ROW_VAL_LOSS,
  ROW_TRAIN_METRIC,
  ROW_VAL_METRIC,
  ROW_SECONDS,
  ROW_SPEED,
  ROW_COLUMNS
};
typedef struct train_row {
  double v[ROW_COLUMNS];
} train_row;

/* What a rank's memory goes into. */
enum {
  TRAIN_PROGRAM, /* libraries, MPI, HDF5, the index, convolutions' code */
  TRAIN_WEIGHTS,
  TRAIN_GRADIENTS,
  TRAIN_OPTIMIZER,
  TRAIN_ACTIVATIONS,
  TRAIN_HALOS,
  TRAIN_SCRATCH,
  TRAIN_WORK,
  TRAIN_SUMS,
  TRAIN_BATCH,   /* being read, and what travels */
  TRAIN_SAMPLES, /* kept, at most */
  TRAIN_CHECKPOINT,
  TRAIN_PARTS
};
typedef struct train_memory {
  double part[TRAIN_PARTS]; /* bytes, of the rank that takes most */
  double most, total;       /* bytes of that rank; of this one */
  double node, limit;       /* bytes of this node's ranks; allowed */
  int ranks;                /* on this node */
  h3d_loader_need need;
  double keep_limit; /* bytes of samples that a rank may keep */
} train_memory;

typedef struct train {
  train_options o;
  train_memory memory;
  h3d_grid *grid;
  h3d_device dev;
  int threads;
  h3d_dataset *dataset;
  const h3d_dataset_info *info;
  int64_t *train, *val, *order; /* indices of samples; this epoch's order */
  int64_t n_train, n_val, batch;
  int64_t accumulate; /* batches in an update */
  int targets, *target;
  h3d_model *model;
  h3d_optim *optim;
  h3d_loader *loader;
  h3d_rate rate;
  h3d_ckpt *ckpt; /* where the run stands; its texts and data */

  int rows;
  train_row *row;
  FILE *steps;        /* steps.jsonl, rank 0 */
  double lr;          /* of the last step */
  double val_seconds; /* of the last validation */
  /* Of all training steps; of these, until their input was there. */
  double seconds, waited;
  int warned;  /* about the trivial predictor */
  char *began; /* what --init took; NULL: nothing */
} train;

/* options.c.  *done as h3d_opts_parse.  Collective over the world. */
h3d_status train_options_parse(int argc, char **argv, train_options *o,
                               int *done);
void train_options_free(train_options *o);
/* What done of train_options_parse asks for: help or version. */
void train_options_answer(int done);

/* setup.c: from options to a model ready for step 0 or for going on.  All
 * refusals are here.  Collective. */
h3d_status train_setup(train *t);
void train_release(train *t);

/* Model and optimizer on a dry device, in place of those that are there, and
 * memory.need.  Collective. */
h3d_status train_plan(train *t);

/* memory.c: plans, and refuses what the memory of a node (run.memory) does not
 * hold, naming a grid that would do.  Collective. */
h3d_status train_memory_plan(train *t);
/* A line per part, for plan.txt; free with h3d_free. */
char *train_memory_text(const train *t);
void train_memory_start(const train *t);
/* The peak beside the plan.  Collective. */
void train_memory_end(const train *t);

/* resume.c: the newest good checkpoint's words (before the model) and weights
 * (after it). */
h3d_status train_resume_read(train *t, char path[H3D_CKPT_PATH_MAX]);
h3d_status train_resume_load(train *t, const char *path);
/* First weights from the checkpoint that --init names, if it names one. */
h3d_status train_init(train *t);

/* run.c: the run's folder.  Rank 0 works, all ranks leave with one verdict.
 */
h3d_status train_run_open(train *t);
h3d_status train_run_epoch(train *t); /* history.csv and curves.png */
/* One line of steps.jsonl: the mean loss of so many samples. */
void train_run_step(train *t, double loss, int64_t samples, double norm);
void train_run_close(train *t);
/* Read history text back into rows. */
void train_run_rows(train *t, const char *text);
/* Into ckpt->history. */
void train_run_history(train *t);

/* loop.c: epochs of steps, validation, checkpoints.  A step is an update,
 * from --accumulate batches or what an epoch has left. */
int64_t train_steps(const train *t); /* in an epoch */
h3d_status train_loop(train *t);

/* report.c: what the user is told. */
void train_report_start(const train *t);
void train_report_time(const train *t, double step_seconds);
void train_report_epoch(train *t, const train_row *r, int best);
void train_report_end(const train *t); /* collective */
void train_warn_singletons(void);

#endif /* H3D_TRAIN_TRAIN_H */
