/* Datasets, runs and checkpoints: what h3d writes itself. */
#include "config.h"

#include "info.h"

#include "base/mem.h"
#include "ckpt/ckpt.h"
#include "io/csv.h"
#include "io/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void
say_channels(info_say *s, int n, char **name, const h3d_channel_stats *stats)
{
  info_open(s, "channels");
  for (int c = 0; c < n; c++) {
    char *text
      = h3d_sprintf("mean %.6g, deviation %.6g, %.6g to %.6g", stats[c].mean,
                    stats[c].dev, stats[c].min, stats[c].max);

    info_text(s, name[c], text);
    h3d_free(text);
  }
  info_close(s);
}

static void
say_targets(info_say *s, int n, char **name, char **unit, const double *offset,
            const double *scale)
{
  info_open(s, "targets");
  for (int t = 0; t < n; t++) {
    char *text;

    if (s->json) {
      info_open(s, name[t]);
      info_text(s, "unit", unit[t]);
      info_real(s, "offset", offset[t]);
      info_real(s, "scale", scale[t]);
      info_close(s);
      continue;
    }
    text = h3d_sprintf("%.6g + %.6g x%s%s", offset[t], scale[t],
                       *unit[t] ? ", in " : "", unit[t]);

    info_text(s, name[t], text);
    h3d_free(text);
  }
  info_close(s);
}

static void
say_recipe(info_say *s, h3d_recipe r, int standardize)
{
  char *text = h3d_sprintf("%s%s", h3d_recipe_name(r),
                           standardize ? ", then (x - mean) / deviation" : "");

  info_text(s, "recipe", text);
  h3d_free(text);
}

h3d_status
info_dataset(info_say *s, const char *path)
{
  int64_t count[H3D_SUBSETS] = { 0 };
  const h3d_dataset_info *i;
  h3d_dataset *d = NULL;
  char *identity;
  h3d_status st;

  H3D_TRY(h3d_dataset_open(MPI_COMM_SELF, path, &d));
  i = h3d_dataset_about(d);
  for (int64_t k = 0; k < i->samples; k++) {
    count[i->sample[k].subset]++;
  }
  identity = h3d_sprintf("%016" PRIx64, i->identity);
  info_text(s, "kind", "h3d dataset");
  info_text(s, "folder", path);
  info_text(s, "identity", identity);
  h3d_free(identity);
  info_int(s, "samples", i->samples);
  for (int k = 0; k < H3D_SUBSETS; k++) {
    info_int(s, h3d_subset_name((h3d_subset)k), count[k]);
  }
  info_extents(s, "voxels", 3, i->extent);
  info_extents(s, "chunk", 3, i->chunk);
  info_open(s, "read amplification in 2 to 8 parts");
  for (int a = 0; a < 3; a++) {
    const char axis[2] = { "DHW"[a], '\0' };
    char text[H3D_AMPLIFICATION_TEXT];

    h3d_dataset_amplification_text(i->extent[a], i->chunk[a], text);
    info_text(s, axis, text);
  }
  info_close(s);
  info_text(s, "type", h3d_elem_name(i->elem));
  say_recipe(s, i->recipe, i->standardize);
  say_channels(s, i->channels, i->channel_name, i->stats);
  say_targets(s, i->targets, i->target_name, i->target_unit, i->target_offset,
              i->target_scale);
  info_text(s, "command", i->command);
  info_text(s, "version", i->version);
done:
  h3d_dataset_close(&d);
  return st;
}

static void
say_checkpoint(info_say *s, const h3d_ckpt *c)
{
  const h3d_ckpt_order *o = &c->order;

  info_text(s, "version", c->version);
  info_text(s, "reals", h3d_type_name(c->type));
  info_text(s, "optimizer", c->optimizer);
  info_int(s, "epoch", o->epoch);
  info_int(s, "batches since", o->position);
  info_int(s, "step", o->step);
  info_int(s, "batch", o->batch);
  info_int(s, "seed", (int64_t)o->seed);
  if (!isnan(o->best_loss)) {
    info_real(s, "best loss", o->best_loss);
    info_int(s, "best epoch", o->best_epoch);
  }
  info_real(s, "trivial loss", c->data.trivial);
  info_text(s, "dataset", c->data.path);
  info_extents(s, "voxels", 3, c->data.extent);
  say_recipe(s, c->data.recipe, c->data.standardize);
  say_channels(s, c->data.channels, c->data.channel_name, c->data.stats);
  say_targets(s, c->data.targets, c->data.target_name, c->data.target_unit,
              c->data.target_offset, c->data.target_scale);
}

h3d_status
info_checkpoint(info_say *s, const char *path, int check)
{
  h3d_ckpt *c = NULL;
  h3d_status st;

  H3D_TRY(h3d_ckpt_read_alone(path, &c));
  info_text(s, "kind", "h3d checkpoint");
  info_text(s, "file", path);
  say_checkpoint(s, c);
  if (check) {
    H3D_TRY(h3d_ckpt_check(path));
    info_text(s, "check", "all arrays were read, all checksums are right");
  }
done:
  h3d_ckpt_free(&c);
  return st;
}

/* The last row of history.csv. */
static h3d_status
say_history(info_say *s, const char *path)
{
  char *name = h3d_sprintf("%s/history.csv", path);
  h3d_csv *t = NULL;
  h3d_status st = h3d_csv_read(name, &t);

  if (st == H3D_OK && h3d_csv_rows(t) > 0) {
    info_open(s, "last epoch");
    for (int c = 0; c < h3d_csv_columns(t); c++) {
      info_text(s, h3d_csv_name(t, c), h3d_csv_at(t, h3d_csv_rows(t) - 1, c));
    }
    info_close(s);
  }
  h3d_csv_free(&t);
  h3d_free(name);
  return st;
}

/* What plan.txt says of a rank's memory, and what log.txt says of its peak. */
static void
say_memory(info_say *s, const char *path)
{
  static const char *const file[] = { "plan.txt", "log.txt" };
  char line[512], part[64], peak[512] = "";
  double mib;

  for (int i = 0; i < 2; i++) {
    char *name = h3d_sprintf("%s/%s", path, file[i]);
    FILE *f = fopen(name, "r");
    int inside = 0;

    h3d_free(name);
    while (f && fgets(line, sizeof line, f)) {
      const char *found = strstr(line, "memory    peak");

      if (i == 1 && found) { /* the last one counts */
        snprintf(peak, sizeof peak, "%s", found + strlen("memory    "));
        peak[strcspn(peak, "\n")] = '\0';
      } else if (i == 0 && strncmp(line, "memory planned", 14) == 0) {
        info_open(s, "memory planned, MiB");
        inside = 1;
      } else if (inside && sscanf(line, "%63s %lf", part, &mib) == 2) {
        info_real(s, part, mib);
      }
    }
    if (inside) {
      info_close(s);
    }
    if (f) {
      fclose(f);
    }
  }
  if (*peak) {
    info_text(s, "memory", peak);
  }
}

h3d_status
info_run(info_say *s, const char *path, int check)
{
  char *best = h3d_sprintf("%s/best.h5", path);
  h3d_ckpt *c = NULL;
  h3d_status st = H3D_OK;

  info_text(s, "kind", "h3d run");
  info_text(s, "folder", path);
  say_memory(s, path);
  if (access(best, F_OK) != 0) {
    info_text(s, "best.h5", "none before the first epoch ends");
    goto done;
  }
  H3D_TRY(h3d_ckpt_read_alone(best, &c));
  info_open(s, "best.h5");
  say_checkpoint(s, c);
  info_close(s);
  H3D_TRY(say_history(s, path));
  if (check) {
    H3D_TRY(h3d_ckpt_check(best));
    info_text(s, "check", "best.h5: all checksums are right");
  }
done:
  h3d_ckpt_free(&c);
  h3d_free(best);
  return st;
}
