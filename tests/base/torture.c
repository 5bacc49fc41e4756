/* A point refuses once, in its turn, on the ranks that are asked. */
#include "config.h"

#include "base/torture.h"

#include "base/agree.h"
#include "base/mem.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

TAP_RANKS("1 3")

/* Calls of h3d_point until one refuses; 0: none of the next ten. */
static int
refused_at(void)
{
  for (int i = 1; i <= 10; i++) {
    if (h3d_point(H3D_ERR_FILE, "some.h5") != H3D_OK) {
      return i;
    }
  }
  return 0;
}

static void
begin(const char *at, const char *who)
{
  if (at) {
    setenv("H3D_FAIL_AT", at, 1);
  } else {
    unsetenv("H3D_FAIL_AT");
  }
  if (who) {
    setenv("H3D_FAIL_RANK", who, 1);
  } else {
    unsetenv("H3D_FAIL_RANK");
  }
  h3d_torture_begin(tap_rank);
}

void
tap_main(void)
{
  const char *last = tap_size == 1 ? "0" : "2";
  long long before;
  void *mem;
  int at;

  begin(NULL, NULL);
  ok(!h3d_torture_on && refused_at() == 0, "no point refuses by itself");
  ok(h3d_torture_points() == 0, "and none counts");
  begin("0", NULL);
  ok(refused_at() == 0 && h3d_torture_counts(), "0 counts only");
  ok(h3d_torture_points() == 10, "all that were passed");
  begin("14", NULL);
  at = refused_at();
  ok(at == 4, "the fourteenth refuses");
  ok(strstr(h3d_why(), "some.h5: ") && strstr(h3d_why(), "H3D_FAIL_AT"),
     "with a sentence");
  ok(refused_at() == 0, "and no other");
  begin("25", last);
  at = refused_at();
  ok((tap_rank == tap_size - 1) == (at > 0), "on one rank alone");
  ok(h3d_agree(MPI_COMM_WORLD, at ? H3D_ERR_FILE : H3D_OK) == H3D_ERR_FILE,
     "and all hear of it");
  begin("0", NULL);
  before = h3d_torture_points();
  h3d_free(h3d_new(1, 1));
  ok(h3d_torture_points() == before, "small things are no points");
  h3d_free(h3d_alloc(1, 1, &mem) == H3D_OK ? mem : NULL);
  ok(h3d_torture_points() == before + 1, "memory that may be refused is one");
  h3d_agree(MPI_COMM_WORLD, H3D_OK);
  ok(h3d_torture_points() == before + 2, "an agreement is one");
  begin(NULL, NULL);
}
