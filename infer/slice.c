/* h3d-slice: a picture of planes of a volume. */
#include "config.h"

#include "backend/build.h"
#include "base/agree.h"
#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/opt.h"
#include "render.h"
#include "slice_plan.h"
#include "slice_volume.h"

#include <string.h>
#include <unistd.h>

typedef h3d_slice_options options;

#define AT(member) offsetof(options, member)
static const h3d_opt table[] = {
  { "What", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "sample", 0, H3D_OPT_TEXT, AT(sample), NULL, "ID",
    "of a dataset: its id, or a number from 0; without it the first" },
  { "channel", 'c', H3D_OPT_TEXT, AT(channel), "all", "C|all",
    "a channel's name, or its number from 0" },
  { "axis", 'a', H3D_OPT_TEXT, AT(axis), "d", "d|h|w",
    "the axis that the picture stands upright on" },
  { "at", 0, H3D_OPT_TEXT, AT(at), "mid", "mid|I", "voxel along the axis" },
  { "montage", 0, H3D_OPT_TEXT, AT(montage), NULL, "RxC",
    "R rows of C panels: of one channel evenly spaced positions, of all "
    "channels an arrangement" },
  { "project", 0, H3D_OPT_TEXT, AT(project), "none", "none|max|mean",
    "join a slab, of the whole axis if --slab is not given" },
  { "slab", 0, H3D_OPT_INT, AT(slab), "0", "N",
    "voxels of a slab about the position; their mean unless --project says "
    "otherwise" },
  { "How", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "log", 'l', H3D_OPT_FLAG, AT(log), NULL, NULL,
    "colours follow log(1 + value)" },
  { "limits", 0, H3D_OPT_TEXT, AT(limits), NULL, "LOW,HIGH",
    "values of the first and the last colour; without it the least and the "
    "greatest shown" },
  { "colormap", 0, H3D_OPT_TEXT, AT(colormap), "viridis", "NAME",
    "gray, viridis, magma, inferno or bluered" },
  { "scale", 0, H3D_OPT_INT, AT(scale), "0", "N",
    "pixels per voxel; 0: panels of about 320" },
  { "label", 0, H3D_OPT_TEXT, AT(label), NULL, "TEXT",
    "beside the colour bar" },
  { "title", 0, H3D_OPT_TEXT, AT(title), NULL, "TEXT", "above the picture" },
  { "Output", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "output", 'o', H3D_OPT_TEXT, AT(out), NULL, "PICTURE.png", "the picture" },
  { "force", 0, H3D_OPT_FLAG, AT(force), NULL, NULL, "replace it" },
  { "dry-run", 'n', H3D_OPT_FLAG, AT(dry_run), NULL, NULL,
    "say what would be drawn, draw nothing" },
  { NULL, 0, H3D_OPT_FLAG, 0, NULL, NULL, NULL },
};
#undef AT

static const h3d_opts program = {
  "h3d-slice",
  "[OPTION]... -o PICTURE.png INPUT",
  "Draw planes of a dataset's sample, a CosmoFlow HDF5 file or a .npy array "
  "with axes, common limits and a colour bar.",
  table,
};

static char *
place(const options *o, const h3d_slice *q, int64_t first)
{
  if (q->thick == 1) {
    return h3d_sprintf("%s = %lld", o->axis, (long long)first);
  }
  return h3d_sprintf("%s over %s = %lld to %lld", q->maximum ? "max" : "mean",
                     o->axis, (long long)first,
                     (long long)(first + q->thick - 1));
}

/* Planes and titles of all panels.  A plane is read with all its channels,
 * as that is how they lie in the files.
 */
static h3d_status
fill_panels(const options *o, const h3d_slice *q, h3d_volume *v,
            int64_t pixels, float *value, char **title)
{
  const h3d_volume_facts *f = h3d_volume_about(v);
  const int by_channel = q->channel < 0 && f->channels > 1;
  const int reads = by_channel ? 1 : q->panels;
  float *planes;
  h3d_status st = h3d_alloc((size_t)pixels * (size_t)f->channels,
                            sizeof *planes, (void **)&planes);

  for (int r = 0; r < reads && st == H3D_OK; r++) {
    const int64_t spare = f->extent[q->axis] - q->thick;
    const int64_t first
      = reads == 1 ? q->first : (2 * r + 1) * spare / (2 * reads);
    const int c = q->channel < 0 ? 0 : q->channel;

    st = h3d_volume_plane(v, q->axis, first, q->thick, q->maximum, planes);
    if (st == H3D_OK && by_channel) {
      memcpy(value, planes, (size_t)(pixels * f->channels) * sizeof *value);
    } else if (st == H3D_OK) {
      memcpy(value + r * pixels, planes + c * pixels,
             (size_t)pixels * sizeof *value);
      title[r] = place(o, q, first);
    }
  }
  for (int c = 0; c < q->panels && by_channel && st == H3D_OK; c++) {
    title[c] = h3d_strdup(f->channel[c]);
  }
  h3d_free(planes);
  return st;
}

/* What all panels have in common. */
static char *
subtitle_of(const options *o, const h3d_slice *q, const h3d_volume_facts *f)
{
  char *where = place(o, q, q->first), *text;

  if (q->channel < 0 && f->channels > 1) {
    text = h3d_sprintf("%s, of %lld voxels", where,
                       (long long)f->extent[q->axis]);
  } else {
    text = h3d_sprintf("channel %s, %lld x %lld x %lld voxels",
                       f->channel[q->channel < 0 ? 0 : q->channel],
                       (long long)f->extent[0], (long long)f->extent[1],
                       (long long)f->extent[2]);
  }
  h3d_free(where);
  return text;
}

static h3d_status
draw(const options *o, const h3d_slice *q, h3d_volume *v)
{
  static const char *const name[3] = { "d", "h", "w" };
  const h3d_volume_facts *f = h3d_volume_about(v);
  const int up = q->axis == 0 ? 1 : 0, across = q->axis == 2 ? 1 : 2;
  const int64_t pixels = f->extent[up] * f->extent[across];
  char **title = h3d_new((size_t)q->panels, sizeof *title);
  char *subtitle = subtitle_of(o, q, f);
  float *value = NULL;
  h3d_status st = H3D_OK;
  h3d_picture p = { .title = o->title ? o->title : f->id,
                    .subtitle = subtitle,
                    .rows = q->rows,
                    .columns = q->columns,
                    .panels = q->panels,
                    .panel_title = title,
                    .height = f->extent[up],
                    .width = f->extent[across],
                    .axis = { name[up], name[across] },
                    .spacing = { f->spacing[up], f->spacing[across] },
                    .unit = f->unit,
                    .log = o->log,
                    .low = q->low,
                    .high = q->high,
                    .colormap = q->colormap,
                    .value_label = o->label ? o->label : f->value,
                    .scale = (int)o->scale };

  H3D_TRY(h3d_alloc((size_t)pixels * (size_t)q->panels, sizeof *value,
                    (void **)&value));
  H3D_TRY(fill_panels(o, q, v, pixels, value, title));
  p.value = value;
  st = h3d_render(&p, o->out);
done:
  for (int i = 0; i < q->panels; i++) {
    h3d_free(title[i]);
  }
  h3d_free(title);
  h3d_free(subtitle);
  h3d_free(value);
  return st;
}

static h3d_status
check_output(const options *o)
{
  if (!o->out || !*o->out) {
    return h3d_fail(H3D_ERR_USAGE, "no output: say where with -o PICTURE.png");
  }
  if (!o->force && access(o->out, F_OK) == 0) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s exists: choose another name, or --force to replace "
                    "it",
                    o->out);
  }
  return H3D_OK;
}

/* Rank 0 does it all; a picture is small. */
static h3d_status
slice(const options *o, const char *input)
{
  h3d_volume *v = NULL;
  h3d_slice q;
  h3d_status st = H3D_OK;

  H3D_TRY(check_output(o));
  H3D_TRY(h3d_volume_open(input, o->sample, &v));
  H3D_TRY(h3d_slice_plan(o, h3d_volume_about(v), &q));
  if (!o->dry_run) {
    H3D_TRY(draw(o, &q, v));
  }
  h3d_log("%s: %s, %d panels", o->out, h3d_volume_about(v)->id, q.panels);
done:
  h3d_volume_close(&v);
  return st;
}

static h3d_status
run(int argc, char **argv)
{
  options o;
  const char *input;
  int inputs, done;
  h3d_status st = h3d_opts_parse(&program, argc, argv, &o, NULL, &input, 1,
                                 &inputs, &done);

  if (st == H3D_OK && done) {
    h3d_build_answer(&program, done);
  } else if (st == H3D_OK && inputs != 1) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "no input: name a dataset, a CosmoFlow file or a .npy file");
  } else if (st == H3D_OK) {
    st
      = h3d_agree(MPI_COMM_WORLD, h3d_rank() == 0 ? slice(&o, input) : H3D_OK);
  }
  return st;
}

int
main(int argc, char **argv)
{
  h3d_start(&argc, &argv);
  return h3d_finish(h3d_exit_status(program.program, run(argc, argv)));
}
