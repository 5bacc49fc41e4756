/* Targets by name, and the trivial predictor by hand. */
#include "config.h"

#include "data/target.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1")

static char a[] = "Omega_m", b[] = "sigma_8", c[] = "h";
static char *names[] = { a, b, c };
static const h3d_dataset_info info = { .targets = 3, .target_name = names };

static void
test_parse(void)
{
  int place[3] = { -1, -1, -1 }, n = 0;

  ok(h3d_target_parse(&info, "all", &n, place) == H3D_OK && n == 3
       && place[0] == 0 && place[2] == 2,
     "all");
  ok(h3d_target_parse(&info, "h,Omega_m", &n, place) == H3D_OK && n == 2
       && place[0] == 2 && place[1] == 0,
     "two, in the order named");
  ok(h3d_target_parse(&info, "sigma8", &n, place) == H3D_ERR_USAGE
       && strstr(h3d_why(), "perhaps sigma_8"),
     "%s", h3d_why());
  ok(h3d_target_parse(&info, "h,h", &n, place) == H3D_ERR_USAGE, "%s",
     h3d_why());
  ok(h3d_target_parse(&info, "h,h,h,h", &n, place) == H3D_ERR_USAGE, "%s",
     h3d_why());
  ok(h3d_target_parse(&info, "", &n, place) == H3D_ERR_USAGE, "%s", h3d_why());
}

void
tap_main(void)
{
  test_parse();
}
