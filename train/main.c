/* h3d-train: from a dataset to a trained network. */
#include "config.h"

#include "train.h"

#include "base/check.h"
#include "base/log.h"

int
main(int argc, char **argv)
{
  train t = { 0 };
  h3d_status st;
  int done = 0, status;

  h3d_start(&argc, &argv);
  st = train_options_parse(argc, argv, &t.o, &done);
  if (st == H3D_OK && done) {
    train_options_answer(done);
  } else if (st == H3D_OK) {
    train_warn_singletons();
    H3D_TRY(train_setup(&t)); /* dataset, grid, network, optimizer, loader */
    if (!t.o.dry_run) {
      H3D_TRY(train_run_open(&t));
    }
    train_report_start(&t);
    if (!t.o.dry_run) {
      H3D_TRY(train_loop(&t));
      train_report_end(&t);
    }
  }
done:
  status = h3d_exit_status("h3d-train", st);
  if (st != H3D_OK && t.steps) {
    h3d_verbose("h3d-train: %s", h3d_why());
  }
  train_release(&t);
  train_options_free(&t.o);
  return h3d_finish(status);
}
