/* list.c: what this build has, best first. */
#include "config.h"

#include "backend/backend.h"
#include "backend/ref.h"
#if H3D_HAVE_CPU
#include "backend/cpu.h"
#endif

const h3d_backend *const h3d_backends[] = {
#if H3D_HAVE_CPU
  &h3d_backend_cpu,
#endif
  &h3d_backend_ref,
  NULL,
};
