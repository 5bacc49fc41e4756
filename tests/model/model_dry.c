/* A model on a dry device says the memory of a real one and takes none. */
#include "config.h"

#include "model/optim.h"

#include "some_model.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1 2 3 4 8")

/* The network and its optimizer on r's grid, on a device of its own. */
static h3d_status
make(const run *r, int inference, h3d_device *dev, h3d_model **m,
     h3d_optim **o)
{
  h3d_model_spec s = { .grid = r->grid,
                       .dev = dev,
                       .transport = &h3d_transport_mpi,
                       .data = { C, { D, H, W }, TARGETS },
                       .batch = BATCH,
                       .seed = 7,
                       .inference = inference };
  h3d_optim_spec adam = h3d_optim_spec_init();
  h3d_net *net = NULL;
  h3d_status st;

  H3D_TRY(h3d_grid_agree(r->grid, h3d_net_parse("text", text, &s.data, &net)));
  H3D_TRY(h3d_model_new(&s, &net, m));
  H3D_TRY(h3d_optim_new(&adam, *m, o));
done:
  return st;
}

static void
test_sizes(const run *r, int inference)
{
  h3d_device dev[2] = { 0 };
  h3d_model *m[2] = { NULL, NULL };
  h3d_optim *o[2] = { NULL, NULL };
  h3d_model_memory a, b;
  size_t took[2];
  char *plan[2];

  for (int dry = 0; dry < 2; dry++) {
    h3d_device_open(r->dev.be->name, r->dev.type, &dev[dry]);
    dev[dry].dry = dry;
    took[dry] = h3d_mem_now();
    ok(make(r, inference, &dev[dry], &m[dry], &o[dry]) == H3D_OK, "%s: %s %s",
       r->what, dry ? "dry" : "real", h3d_why());
    took[dry] = h3d_mem_now() - took[dry];
    plan[dry] = h3d_model_plan_text(m[dry]);
  }
  h3d_model_memory_about(m[0], &a);
  h3d_model_memory_about(m[1], &b);
  ok(memcmp(&a, &b, sizeof a) == 0 && a.total > 0,
     "%s: both plans have the same %zu bytes", r->what, b.total);
  ok(dev[0].bytes == dev[1].bytes
       && dev[1].bytes == b.total + h3d_optim_memory(o[1]),
     "%s: which are all that the device gave, %zu", r->what, dev[0].bytes);
  ok(took[0] - took[1] >= dev[0].bytes * 9 / 10,
     "%s: the dry one takes %zu bytes, the other %zu", r->what, took[1],
     took[0]);
  ok(strcmp(plan[0], plan[1]) == 0, "%s: one plan", r->what);
  for (int dry = 0; dry < 2; dry++) {
    h3d_free(plan[dry]);
    h3d_optim_free(&o[dry]);
    h3d_model_free(&m[dry]);
    h3d_device_close(&dev[dry]);
    ok(dev[dry].bytes == 0, "%s: nothing is left", r->what);
  }
}

static void
sizes(run *many, run *one, const int space[3])
{
  (void)one;
  (void)space;
  test_sizes(many, 0);
  test_sizes(many, 1);
}

void
tap_main(void)
{
  on_grids("ref", H3D_F64, sizes);
  if (has_device("cpu")) {
    on_grids("cpu", H3D_F32, sizes);
  }
}
