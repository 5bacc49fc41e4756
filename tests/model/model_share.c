/* Weights between the ranks that share them and one file. */
#include "config.h"

#include "model/model.h"

#include "some_model.h"
#include "tap.h"

#include <math.h>
#include <string.h>

TAP_RANKS("1 2 3 4 8")

/* Initial values of a grid are those of one rank, bit by bit. */
static void
test_initial(run *many, run *one)
{
  const h3d_model_param *p, *q;
  int n = h3d_model_params(many->m, &p), k = h3d_model_params(one->m, &q);
  int bad = n != k;
  int64_t some = 0;

  for (int i = 0; i < n && !bad; i++) {
    size_t size = (size_t)h3d_shard_total(p[i].param);
    double *a = h3d_new(size, sizeof *a), *b = h3d_new(size, sizeof *b);

    bad += strcmp(p[i].layer, q[i].layer) != 0
           || strcmp(p[i].param->name, q[i].param->name) != 0;
    h3d_model_gather(many->m, i, h3d_model_base(many->m, i),
                     tap_rank == 0 ? a : NULL);
    h3d_model_gather(one->m, i, h3d_model_base(one->m, i), b);
    bad += tap_rank == 0 && memcmp(a, b, size * sizeof *a) != 0;
    for (size_t j = 0; j < size; j++) {
      some += b[j] != 0;
    }
    h3d_free(a);
    h3d_free(b);
  }
  ok(bad == 0 && some > 500, "%s: first weights are those of one rank",
     many->what);
}

/* Whole numbers go out to the shares and come back; norms count shards once
 * each and copies once. */
static void
test_round_trip(run *r)
{
  const h3d_model_param *p;
  int n = h3d_model_params(r->m, &p), bad = 0, norms = 0;
  double all = 0;

  for (int i = 0; i < n; i++) {
    size_t size = (size_t)h3d_shard_total(p[i].param);
    double *a = h3d_new(size, sizeof *a), *b = h3d_new(size, sizeof *b);
    int state = p[i].param->role == H3D_ROLE_STATE;
    void *base = state ? h3d_model_base(r->m, i) : h3d_model_gradients(r->m);
    double sum = 0;

    for (size_t j = 0; j < size; j++) {
      a[j] = (double)((j * 7 + (size_t)i) % 11) - 5;
      sum += a[j] * a[j];
    }
    h3d_model_scatter(r->m, i, tap_rank == 0 ? a : NULL, base);
    h3d_model_gather(r->m, i, base, tap_rank == 0 ? b : NULL);
    bad += tap_rank == 0 && memcmp(a, b, size * sizeof *a) != 0;
    if (!state) {
      norms
        += fabs(h3d_model_param_gradient_norm(r->m, i) - sqrt(sum)) > 1e-12;
      all += sum;
    }
    h3d_free(a);
    h3d_free(b);
  }
  ok(bad == 0, "%s: %d weights out and back", r->what, n);
  ok(norms == 0 && fabs(h3d_model_gradient_norm(r->m) - sqrt(all)) < 1e-10,
     "%s: norms of gradients", r->what);
  h3d_model_scale_gradients(r->m, 2);
  ok(fabs(h3d_model_gradient_norm(r->m) - 2 * sqrt(all)) < 1e-10,
     "%s: gradients scaled", r->what);
}

/* One bad number, wherever it lies, is everyone's. */
static void
test_finite(run *r)
{
  const h3d_model_param *p;
  int n = h3d_model_params(r->m, &p), last = 0, was;
  double *a, *b;
  size_t size;

  while (last + 1 < n && strcmp(p[last].layer, "f1") != 0) {
    last++;
  }
  size = (size_t)h3d_shard_total(p[last].param);
  a = h3d_new(size, sizeof *a);
  b = h3d_new(size, sizeof *b);
  was = h3d_model_gradients_are_finite(r->m);
  a[size - 1] = NAN;
  h3d_model_scatter(r->m, last, tap_rank == 0 ? a : NULL,
                    h3d_model_gradients(r->m));
  ok(was && !h3d_model_gradients_are_finite(r->m),
     "%s: one NaN among the shards of %s", r->what, p[last].layer);
  was = h3d_model_weights_are_finite(r->m);
  h3d_model_gather(r->m, last, h3d_model_weights(r->m),
                   tap_rank == 0 ? b : NULL);
  h3d_model_scatter(r->m, last, tap_rank == 0 ? a : NULL,
                    h3d_model_weights(r->m));
  ok(was && !h3d_model_weights_are_finite(r->m), "%s: one among its weights",
     r->what);
  h3d_model_scatter(r->m, last, tap_rank == 0 ? b : NULL,
                    h3d_model_weights(r->m));
  h3d_free(b);
  a[size - 1] = 0;
  h3d_model_scatter(r->m, last, tap_rank == 0 ? a : NULL,
                    h3d_model_gradients(r->m));
  h3d_free(a);
}

static void
exact(run *many, run *one, const int space[3])
{
  (void)space;
  test_initial(many, one);
  test_round_trip(many);
  test_finite(many);
}

static void
single(run *many, run *one, const int space[3])
{
  (void)space;
  test_initial(many, one);
}

void
tap_main(void)
{
  on_grids("ref", H3D_F64, exact);
  on_grids("ref", H3D_F32, single);
}
