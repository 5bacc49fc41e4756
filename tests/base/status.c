/* A failure carries a sentence. */
#include "config.h"

#include "base/status.h"

#include "tap.h"

#include <string.h>

TAP_RANKS("1")

void
tap_main(void)
{
  char longer[3 * H3D_WHY_MAX];
  size_t n;

  ok(strcmp(h3d_why(), "") == 0, "no sentence before the first failure");
  ok(h3d_fail(H3D_ERR_FILE, "%s: %d", "a.h5", 7) == H3D_ERR_FILE,
     "fail gives the status back");
  ok(strcmp(h3d_why(), "a.h5: 7") == 0, "the sentence is kept");
  h3d_fail(H3D_ERR_FILE, "outer: %s", h3d_why());
  ok(strcmp(h3d_why(), "outer: a.h5: 7") == 0, "a sentence may quote itself");

  memset(longer, 'x', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  h3d_fail(H3D_ERR_SHAPE, "%s", longer);
  n = strlen(h3d_why());
  ok(n == H3D_WHY_MAX - 1, "a long sentence is cut (%zu bytes)", n);
  ok(strcmp(h3d_why() + n - 4, "x...") == 0, "and shows it");

  ok(strcmp(h3d_status_name(H3D_OK), "ok") == 0, "ok has a name");
  ok(strcmp(h3d_status_name(H3D_ERR_MEMORY), "memory") == 0,
     "memory has a name");
  ok(strcmp(h3d_status_name((h3d_status)99), "unknown") == 0,
     "a foreign number is unknown");
}
