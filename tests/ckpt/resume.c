/* A run saved on 4 ranks goes on on 1, 2, 3 and 8 with the losses of the run
 * that was never stopped: fp64 on ref, batch norm, dropout, SGD and Adam.
 */
#include "config.h"

#include "model/run_net.h"
#include "tap.h"

#include "base/mem.h"
#include "ckpt/ckpt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TAP_RANKS("8")

enum { SAVED = 2, EPOCHS = 3 };

static run_spec
the_run(const char *optimizer)
{
  return (run_spec){ .shape = { 16, 8, 1, 0.2, "fn=leaky" },
                     .space = { 1, 1, 1 },
                     .device = "ref",
                     .type = H3D_F64,
                     .optimizer = optimizer,
                     .lr = 0.002,
                     .samples = 7,
                     .batch = 3,
                     .epochs = EPOCHS };
}

/* The first ranks of the world; MPI_COMM_NULL for the others. */
static MPI_Comm
first_ranks(int n)
{
  MPI_Comm comm;

  MPI_Comm_split(MPI_COMM_WORLD, tap_rank < n ? 0 : MPI_UNDEFINED, tap_rank,
                 &comm);
  return comm;
}

static h3d_status
save(const char *path, const char *optimizer)
{
  MPI_Comm comm = first_ranks(4);
  run_spec spec = the_run(optimizer);
  run_result r = { 0 };
  h3d_ckpt *c = h3d_ckpt_new(4, 2);
  run_state s;
  h3d_status st = H3D_OK;

  h3d_ckpt_set_text(&c->optimizer, optimizer);
  spec.space[0] = spec.space[1] = 2;
  if (comm != MPI_COMM_NULL) {
    st = run_open(comm, &spec, &s);
    if (st == H3D_OK) {
      run_epochs(&s, 0, SAVED, &r);
      st = h3d_ckpt_write(path, c, s.model, s.optim);
    }
    run_close(&s);
    MPI_Comm_free(&comm);
  }
  h3d_free(r.gradient);
  h3d_ckpt_free(&c);
  MPI_Barrier(MPI_COMM_WORLD);
  return st;
}

static void
test_resume(const char *path, const run_result *straight, const char *name,
            int ranks, int d, int h, int w)
{
  MPI_Comm comm = first_ranks(ranks);
  run_spec spec = the_run(name);
  run_result r = { 0 };
  run_state s;
  h3d_status st = H3D_OK;
  double far = 0;

  spec.space[0] = d;
  spec.space[1] = h;
  spec.space[2] = w;
  if (comm != MPI_COMM_NULL) {
    st = run_open(comm, &spec, &s);
    if (st == H3D_OK) {
      st = h3d_ckpt_load(path, s.model, s.optim);
    }
    if (st == H3D_OK) {
      run_epochs(&s, SAVED, EPOCHS, &r);
      far = fmax(fabs(r.train[SAVED] / straight->train[SAVED] - 1),
                 fabs(r.eval / straight->eval - 1));
    }
    run_close(&s);
    MPI_Comm_free(&comm);
  }
  ok(st == H3D_OK && far < 1e-10,
     "%s, saved on 2x2x1, gone on on %d ranks, grid %dx%dx%d: within %.1e %s",
     name, ranks, d, h, w, far, st == H3D_OK ? "" : h3d_why());
}

void
tap_main(void)
{
  static const char *const optimizer[] = { "sgd", "adam" };
  char path[64];
  int me = (int)getpid();

  MPI_Bcast(&me, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(path, sizeof path, "resume-%d.h5", me);
  for (int i = 0; i < 2; i++) {
    run_spec spec = the_run(optimizer[i]);
    run_result straight;

    run_net_alone(&spec, &straight);
    ok(straight.train[2] < 0.9 * straight.train[0]
         && save(path, optimizer[i]) == H3D_OK,
       "%s: saved after %d epochs of %d", optimizer[i], SAVED, EPOCHS);
    test_resume(path, &straight, optimizer[i], 1, 1, 1, 1);
    test_resume(path, &straight, optimizer[i], 2, 1, 1, 2);
    test_resume(path, &straight, optimizer[i], 3, 3, 1, 1);
    test_resume(path, &straight, optimizer[i], 4, 2, 1, 1);
    test_resume(path, &straight, optimizer[i], 8, 2, 2, 2);
    h3d_free(straight.gradient);
    if (tap_rank == 0) {
      unlink(path);
    }
  }
}
