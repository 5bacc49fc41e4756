/* transport.h: how ranks exchange and sum.
 *
 * A transport is one constant table.  "mpi" serves host memory.
 */
#ifndef H3D_BACKEND_TRANSPORT_H
#define H3D_BACKEND_TRANSPORT_H

#include "backend/backend.h"

#include <mpi.h>

/* One message to or from a rank of the communicator given with it. */
typedef struct h3d_message {
  int peer;
  void *mem;
  int64_t bytes; /* at run time; 0: not sent, not received */
} h3d_message;

typedef struct h3d_exchange h3d_exchange; /* messages in flight */

typedef struct h3d_transport {
  const char *name;

  /* Room for up to messages in flight at once, made while planning. */
  h3d_exchange *(*exchange_new)(MPI_Comm comm, int messages);
  void (*exchange_free)(h3d_exchange **e);
  /* Collective over the peers.  Between begin and end the memory is the
   * transport's.  Messages between two ranks match in order.  Every begin has
   * its end before the next begin of the same object.  Messages above 1 GiB
   * are split. */
  void (*exchange_begin)(h3d_exchange *e, int tag, int sends,
                         const h3d_message *send, int recvs,
                         const h3d_message *recv);
  void (*exchange_end)(h3d_exchange *e);

  /* Collective over comm.  x[size] becomes the sum over ranks: the owner of a
   * slice adds the shares in rank order in double, rounds once and sends the
   * same bits to all.  work: sum_work bytes from the device's memory or
   * the host's, borrowed. */
  void (*sum)(MPI_Comm comm, h3d_type type, int64_t size, void *x, void *work);
  size_t (*sum_work)(MPI_Comm comm, h3d_type type, int64_t size);
} h3d_transport;

extern const h3d_transport h3d_transport_mpi;

#endif /* H3D_BACKEND_TRANSPORT_H */
