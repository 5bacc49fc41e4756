#include "config.h"

#include "infer.h"

#include "base/mem.h"
#include "io/plot.h"

#include <string.h>

h3d_status
infer_draw(const infer *x, const infer_result *r)
{
  const h3d_ckpt_data *d = &x->ckpt->data;
  h3d_scatter *panel = h3d_new((size_t)x->targets, sizeof *panel);
  const char **note = h3d_new((size_t)x->targets * 4, sizeof *note);
  char **text = h3d_new((size_t)x->targets * 4, sizeof *text);
  char *path = h3d_sprintf("%s/scatter.png", x->part);
  char *title = h3d_sprintf("%s: %lld samples (%s)", x->path, (long long)x->n,
                            x->o.subset);
  h3d_status st = H3D_OK;

  for (int t = 0; t < x->targets; t++) {
    const h3d_score *s = &r[t].sample;

    text[4 * t] = h3d_sprintf("R2 = %.4f", s->r2);
    text[4 * t + 1]
      = h3d_sprintf("RMSE = %.3g (trivial %.3g)", s->rmse, s->trivial_rmse);
    text[4 * t + 2]
      = h3d_sprintf("relative error = %.2f %%", 100 * s->relative);
    text[4 * t + 3] = h3d_sprintf("bias = %.2g", s->bias);
    for (int i = 0; i < 4; i++) {
      note[4 * t + i] = text[4 * t + i];
    }
    panel[t] = (h3d_scatter){ .name = d->target_name[t],
                              .unit = d->target_unit[t],
                              .n = x->n,
                              .truth = x->truth + t * x->n,
                              .predicted = x->predicted + t * x->n,
                              .notes = 4,
                              .note = note + 4 * t };
  }
  /* Many panels side by side are read by nobody. */
  if (x->targets <= 16) {
    st = h3d_plot_scatter(path, title, x->targets, panel);
  }
  for (int t = 0; t < x->targets && st == H3D_OK; t++) {
    char *one = h3d_sprintf("%s/scatter-%s.png", x->part, d->target_name[t]);

    /* A name may have a character that no file name has. */
    for (char *c = one + strlen(x->part) + 1; *c; c++) {
      *c = *c == '/' ? '_' : *c;
    }
    st = h3d_plot_scatter(one, title, 1, &panel[t]);
    h3d_free(one);
  }
  for (int i = 0; i < 4 * x->targets; i++) {
    h3d_free(text[i]);
  }
  h3d_free(title);
  h3d_free(path);
  h3d_free(text);
  h3d_free(note);
  h3d_free(panel);
  return st;
}
