/* h3d-infer: what a trained network says about samples, and how right it is.
 */
#include "config.h"

#include "infer.h"

#include "backend/build.h"
#include "base/check.h"
#include "base/log.h"
#include "base/progress.h"

#include <stddef.h>

#define AT(member) offsetof(infer_options, member)
static const h3d_opt table[] = {
  { "Network", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "run", 'r', H3D_OPT_TEXT, AT(run), NULL, "RUN",
    "folder that h3d-train made; its best.h5 is used" },
  { "best", 0, H3D_OPT_FLAG, AT(best), NULL, NULL,
    "lowest validation loss; the preset" },
  { "last", 0, H3D_OPT_FLAG, AT(last), NULL, NULL,
    "the newest whole checkpoint" },
  { "checkpoint", 0, H3D_OPT_TEXT, AT(checkpoint), NULL, "FILE",
    "this file instead of a run" },
  { "Data", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "data", 'd', H3D_OPT_TEXT, AT(data), NULL, "DATASET",
    "folder that h3d-preprocess made [the one trained on]" },
  { "subset", 0, H3D_OPT_TEXT, AT(subset), "test", "test|train|validation|all",
    "which of its samples" },
  { "batch", 'b', H3D_OPT_INT, AT(batch), "8", "N",
    "samples at a time, over all groups" },
  { "Machine", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "grid", 'g', H3D_OPT_TEXT, AT(grid), "auto", "DxHxW|auto",
    "ranks that share a sample; any grid, whatever the training had" },
  { "device", 0, H3D_OPT_TEXT, AT(device), "auto", "auto|ref|cpu",
    "where the network is computed" },
  { "precision", 0, H3D_OPT_TEXT, AT(precision), "checkpoint",
    "fp32|fp64|checkpoint", "type of all reals" },
  { "Output", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "output", 'o', H3D_OPT_TEXT, AT(out), NULL, "OUT",
    "folder for predictions.csv and summary.json" },
  { "pictures", 0, H3D_OPT_FLAG, AT(pictures), NULL, NULL,
    "predictions against truth, scatter.png and scatter-NAME.png" },
  { "force", 'f', H3D_OPT_FLAG, AT(force), NULL, NULL, "replace an old OUT" },
  { "dry-run", 'n', H3D_OPT_FLAG, AT(dry_run), NULL, NULL,
    "say what would be done, and its memory" },
  { "progress", 0, H3D_OPT_TEXT, AT(progress), "auto", "auto|bar|lines|none",
    "how progress shows" },
  { "quiet", 'q', H3D_OPT_FLAG, AT(quiet), NULL, NULL, "warnings only" },
  { NULL, 0, H3D_OPT_FLAG, 0, NULL, NULL, NULL },
};
#undef AT

static const h3d_opts program
  = { "h3d-infer", "[OPTION]... --run=RUN -o OUT",
      "Predict the targets of samples with a trained network, in physical "
      "units, and score the predictions where the truth is known.",
      table };

static h3d_status
check(const infer_options *o)
{
  h3d_progress_style style;
  h3d_status st = H3D_OK;

  if (!o->run == !o->checkpoint) {
    return h3d_fail(H3D_ERR_USAGE, "%s: give --run=RUN or --checkpoint=FILE",
                    o->run ? "a run and a checkpoint" : "no network");
  }
  if (o->best && o->last) {
    return h3d_fail(H3D_ERR_USAGE, "--best or --last, not both");
  }
  if (!o->dry_run && (!o->out || !*o->out)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "no folder for the results: name one with -o OUT");
  }
  if (o->batch < 1) {
    return h3d_fail(H3D_ERR_USAGE, "--batch=%lld must be at least 1",
                    (long long)o->batch);
  }
  H3D_TRY(h3d_progress_parse(o->progress, &style));
  h3d_progress_set_style(style);
  h3d_log_set_level(o->quiet ? H3D_LOG_QUIET : H3D_LOG_NORMAL);
done:
  return st;
}

int
main(int argc, char **argv)
{
  const char *operand[1];
  infer x = { 0 };
  int n = 0, done = 0, status;
  h3d_status st;

  h3d_start(&argc, &argv);
  H3D_TRY(
    h3d_opts_parse(&program, argc, argv, &x.o, NULL, operand, 1, &n, &done));
  if (done) {
    h3d_build_answer(&program, done);
    goto done;
  }
  if (n > 0) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "\"%s\": h3d-infer reads datasets; make one of raw files "
                  "with h3d-preprocess and name it with --data",
                  operand[0]);
    goto done;
  }
  H3D_TRY(check(&x.o));
  H3D_TRY(infer_setup(&x));
  if (!x.o.dry_run) {
    H3D_TRY(infer_make_folder(&x));
    H3D_TRY(infer_predict(&x));
    H3D_TRY(infer_write(&x));
  }
done:
  infer_drop_folder(&x);
  status = h3d_exit_status("h3d-infer", st);
  infer_release(&x);
  return h3d_finish(status);
}
