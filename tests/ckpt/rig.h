/* rig.h: a small network on any grid, for tests of checkpoints. */
#ifndef H3D_TESTS_CKPT_RIG_H
#define H3D_TESTS_CKPT_RIG_H

#include "ckpt/ckpt.h"

/* A model and its optimizer on a grid. */
typedef struct rig {
  h3d_grid *grid;
  h3d_device dev;
  h3d_model *model;
  h3d_optim *optim;
} rig;

/* On all ranks, parts d and h of D and H; 1 when all went well. */
int rig_init(rig *r, int d, int h, h3d_type type, uint64_t seed);
void rig_free(rig *r);
/* One step on numbers that depend on global places alone; its loss. */
double rig_step(rig *r);
/* Something in every member; free with h3d_ckpt_free. */
h3d_ckpt *rig_about(const rig *r);

/* A folder of this test's own, the same on all ranks; made and removed. */
void rig_folder(char out[64]);
void rig_remove(const char *folder);

#endif /* H3D_TESTS_CKPT_RIG_H */
