#include "config.h"

#include "infer.h"

#include "base/mem.h"
#include "base/progress.h"
#include "data/order.h"

#include <math.h>

/* True targets of all samples, on rank 0. */
static h3d_status
read_truth(infer *x)
{
  float *wish = h3d_new((size_t)x->info->targets, sizeof *wish);
  h3d_status st = H3D_OK;

  x->truth = h3d_new((size_t)(x->targets * x->n), sizeof *x->truth);
  for (int64_t i = 0; i < x->targets * x->n; i++) {
    x->truth[i] = NAN;
  }
  for (int64_t s = 0; x->has_truth && s < x->n && st == H3D_OK; s++) {
    st = h3d_dataset_read_target(x->dataset, x->sample[s], wish);
    for (int t = 0; st == H3D_OK && t < x->targets; t++) {
      int p = x->place[t];

      /* Each dataset has its own map to physical units. */
      x->truth[t * x->n + s] = x->info->target_offset[p]
                               + x->info->target_scale[p] * (double)wish[p];
    }
  }
  h3d_free(wish);
  return st;
}

/* A batch's outputs in physical units; all ranks have the same. */
static h3d_status
take(infer *x, int64_t first, int64_t count, const double *out)
{
  const h3d_ckpt_data *d = &x->ckpt->data;

  for (int64_t s = 0; s < count; s++) {
    for (int t = 0; t < x->targets; t++) {
      double y
        = d->target_offset[t] + d->target_scale[t] * out[s * x->targets + t];

      if (!isfinite(y)) {
        return h3d_fail(H3D_ERR_BACKEND,
                        "%s predicts %g for %s of sample %s: its training "
                        "broke, or this sample is far from all it saw; take "
                        "another checkpoint",
                        x->path, y, d->target_name[t],
                        x->info->sample[x->sample[first + s]].id);
      }
      x->predicted[t * x->n + first + s] = y;
    }
  }
  return H3D_OK;
}

h3d_status
infer_predict(infer *x)
{
  const int64_t batches = h3d_order_batches(x->n, x->o.batch);
  const int64_t most = x->n < x->o.batch ? x->n : x->o.batch;
  double *out = h3d_new((size_t)(most * x->targets), sizeof *out);
  int64_t first, count;
  h3d_progress p;
  h3d_status st = H3D_OK;

  x->predicted = h3d_new((size_t)(x->targets * x->n), sizeof *x->predicted);
  if (x->grid->rank == 0) {
    st = read_truth(x);
  }
  H3D_TRY(h3d_grid_agree(x->grid, st));
  h3d_progress_begin(&p, "infer", "samples", x->n);
  for (int64_t b = 0; b < batches; b++) {
    h3d_order_batch(x->n, x->o.batch, b, &first, &count);
    h3d_model_begin(x->model, count);
    H3D_TRY(h3d_loader_read(x->loader, count, x->sample + first, -1));
    h3d_model_put_input(x->model, h3d_loader_input(x->loader));
    h3d_model_forward(x->model, 0, 0);
    h3d_model_predictions(x->model, out);
    H3D_TRY(take(x, first, count, out));
    h3d_progress_set(&p, first + count);
  }
  h3d_progress_end(&p);
done:
  h3d_free(out);
  return st;
}
