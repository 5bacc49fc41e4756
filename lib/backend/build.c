#include "config.h"

#include "backend/build.h"

#include "backend/backend.h"
#include "base/check.h"
#include "base/mem.h"
#include "io/h5.h"

void
h3d_build_answer(const h3d_opts *o, int done)
{
  char *text;

  if (done == 1) {
    h3d_opts_print_help(o);
    return;
  }
  text = h3d_sprintf("%s\n%s", h3d_mpi_library(), h3d_h5_library());
  for (const h3d_backend *const *b = h3d_backends; *b; b++) {
    char *more
      = h3d_sprintf("%s\ndevice %s: %s", text, (*b)->name, (*b)->about());

    h3d_free(text);
    text = more;
  }
  h3d_opts_print_version(o, text);
  h3d_free(text);
}
