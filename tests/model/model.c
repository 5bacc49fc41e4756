/* A model as a whole: inference, texts, memory, refusals. */
#include "config.h"

#include "model/model.h"

#include "some_model.h"
#include "tap.h"

#include <string.h>

TAP_RANKS("1 2 3 4 8")

/* Gradients are not kept, the evaluation is the same. */
static void
test_inference(run *r, const int space[3])
{
  run lean = { 0 };
  double *x = new_batch(), a, b;
  h3d_model_memory big, small;
  h3d_status st = start(&lean, MPI_COMM_WORLD, space, "ref", H3D_F64, 1);
  const h3d_model_param *p;
  int n = h3d_model_params(r->m, &p);

  ok(st == H3D_OK && h3d_model_gradients(lean.m) == NULL,
     "%s: inference keeps no gradients", r->what);
  for (int i = 0; i < n; i++) { /* weights and running statistics */
    double *w = h3d_new((size_t)h3d_shard_total(p[i].param), sizeof *w);

    h3d_model_gather(r->m, i, h3d_model_base(r->m, i), tap_rank ? NULL : w);
    h3d_model_scatter(lean.m, i, tap_rank ? NULL : w,
                      h3d_model_base(lean.m, i));
    h3d_free(w);
  }
  fill(r, BATCH, x);
  fill(&lean, BATCH, x);
  a = h3d_model_forward(r->m, 0, 0);
  b = h3d_model_forward(lean.m, 0, 0);
  ok(a == b, "%s: and evaluates the same, %g", r->what, b);
  h3d_model_memory_about(r->m, &big);
  h3d_model_memory_about(lean.m, &small);
  ok(small.total < big.total && small.gradients == 0
       && small.weights == big.weights
       && big.total
            == big.weights + big.gradients + big.activations + big.halos
                 + big.scratch + big.work + big.sums,
     "%s: in %zu of %zu bytes", r->what, small.total, big.total);
  stop(&lean);
  h3d_free(x);
}

static void
test_texts(run *r)
{
  static const char *const names[]
    = { "c1", "n1", "p1", "c2", "p2", "f1", "y", "loss" };
  char *plan = h3d_model_plan_text(r->m);
  int all = 1;

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char line[16];

    snprintf(line, sizeof line, "\n%s ", names[i]);
    all = all && strstr(plan, line);
  }
  ok(all, "%s: the plan has a line a layer", r->what);
  ok(strcmp(h3d_model_text(r->m), text) == 0, "%s: the text is kept", r->what);
  h3d_free(plan);
}

/* A network for so many targets on data. */
static void
refuse(const char *net_text, int64_t targets, const h3d_data_shape *data,
       const int space[3], const char *says)
{
  h3d_data_shape known = *data;
  h3d_model_spec s = {
    .transport = &h3d_transport_mpi, .data = *data, .batch = 2, .seed = 1
  };
  h3d_grid *g = NULL;
  h3d_device dev;
  h3d_net *net = NULL;
  h3d_model *m = NULL;
  h3d_status st;

  h3d_grid_new(MPI_COMM_WORLD, space, &g);
  h3d_device_open("ref", H3D_F32, &dev);
  s.grid = g;
  s.dev = &dev;
  known.targets = targets;
  st = h3d_net_parse("text", net_text, &known, &net);
  ok(st == H3D_OK, "the network itself is fine");
  st = h3d_model_new(&s, &net, &m);
  ok(st == H3D_ERR_SHAPE && !m && !net && strstr(h3d_why(), says),
     "refused: %s", h3d_why());
  h3d_model_free(&m);
  h3d_device_close(&dev);
  h3d_grid_free(&g);
}

static void
test_refusals(void)
{
  h3d_data_shape thin = { 1, { 1, 4, 4 }, 1 }, odd = { 1, { 8, 8, 8 }, 2 };
  int space[3] = { tap_size, 1, 1 };

  refuse("input x - channels=data\nconv a x out=1\ndense y a out=3\n"
         "mse loss y\n",
         3, &odd, space, "out=targets");
  if (tap_size > 1) {
    refuse("input x - channels=data\ndense y x out=targets\nmse loss y\n", 1,
           &thin, space, "at most 1 parts");
  }
}

static void
whole(run *many, run *one, const int space[3])
{
  (void)one;
  test_inference(many, space);
  test_texts(many);
}

void
tap_main(void)
{
  on_grids("ref", H3D_F64, whole);
  test_refusals();
}
