/* plan.h: which axis stays cut where.
 *
 * From a network, a grid and a batch follow the dist of every tensor and the
 * places where a cut ends.  Pure: the same on every rank, no communication.
 *
 * An axis cut into parts stays cut, going down from the input, at a level of
 * cumulative stride s while floor(n/s) >= parts, every halo fits the smallest
 * block, and the largest block is at most 1.15 n/parts; the last such s is the
 * axis's grain.  Before the next layer with a stride a redist, inserted here,
 * ends the cut: from there on every rank along the axis computes the same.
 */
#ifndef H3D_MODEL_PLAN_H
#define H3D_MODEL_PLAN_H

#include "dist/grid.h"
#include "model/net.h"

typedef struct h3d_plan {
  int64_t grain[3]; /* D H W, in input voxels */
  int layers;
  h3d_layer *layer; /* the network's and the redists; dists are set */
  int output, loss; /* positions */
} h3d_plan;

/* Takes the net's layers (their options move into the plan).  H3D_ERR_SHAPE:
 * an axis with fewer voxels than parts. */
h3d_status h3d_plan_new(h3d_net *net, const h3d_grid *grid, int64_t batch,
                        h3d_plan *plan);
/* Frees options and states; the layers' own memory must be released. */
void h3d_plan_free(h3d_plan *plan);

/* The grain that the rule above gives an axis; for tests too. */
int64_t h3d_plan_grain(const h3d_net *net, int axis, int parts);

#endif /* H3D_MODEL_PLAN_H */
