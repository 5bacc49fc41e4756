/* parts.h: the grid, the device and the model that a test works with. */
#ifndef TESTS_MODEL_PARTS_H
#define TESTS_MODEL_PARTS_H

#include "model/model.h"

typedef struct parts {
  h3d_grid **grid;
  h3d_device *dev;
  h3d_model **model;
} parts;

/* All three, of the network in text and of s, which lacks grid and device.
 * Collective over comm.  Call parts_close whatever came. */
static inline h3d_status
parts_open(const parts *p, MPI_Comm comm, const int space[3],
           const char *device, h3d_type type, const char *text,
           h3d_model_spec s)
{
  h3d_net *net = NULL;
  h3d_status st;

  s.transport = &h3d_transport_mpi;
  H3D_TRY(h3d_grid_new(comm, space, p->grid));
  H3D_TRY(h3d_grid_agree(*p->grid, h3d_device_open(device, type, p->dev)));
  s.grid = *p->grid;
  s.dev = p->dev;
  H3D_TRY(
    h3d_grid_agree(*p->grid, h3d_net_parse("text", text, &s.data, &net)));
  H3D_TRY(h3d_model_new(&s, &net, p->model));
done:
  return st;
}

static inline void
parts_close(const parts *p)
{
  h3d_model_free(p->model);
  h3d_device_close(p->dev);
  h3d_grid_free(p->grid);
}

#endif /* TESTS_MODEL_PARTS_H */
