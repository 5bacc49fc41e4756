/* list.c: what this build has, best first. */
#include "config.h"

#include "backend/backend.h"
#include "backend/ref.h"

const h3d_backend *const h3d_backends[] = {
  &h3d_backend_ref,
  NULL,
};
