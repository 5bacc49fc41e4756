#include "config.h"

#include "survey.h"

#include "base/agree.h"
#include "base/log.h"
#include "base/mem.h"
#include "scale.h"

#include <inttypes.h>
#include <string.h>

enum { SLAB = 32 << 20 };

/* What a rank learns of one file. */
struct record {
  h3d_source_about about;
  h3d_scale_range range;
};

static h3d_status
read_range(const h3d_source *s, h3d_scale_range *range)
{
  const h3d_source_about *a = &s->about;
  h3d_h5_type type = (h3d_h5_type)a->type;
  int64_t plane = a->extent[1] * a->extent[2] * a->channels;
  int64_t bytes = plane * (int64_t)h3d_h5_type_size(type);
  int64_t step = bytes < SLAB ? SLAB / bytes : 1;
  void *slab;
  h3d_status st;

  *range = h3d_scale_none();
  step = step < a->extent[0] ? step : a->extent[0];
  st = h3d_alloc((size_t)step, (size_t)bytes, &slab);
  for (int64_t d = 0; d < a->extent[0] && st == H3D_OK; d += step) {
    int64_t n = d + step < a->extent[0] ? step : a->extent[0] - d;
    const int64_t start[3] = { d, 0, 0 };
    const int64_t len[3] = { n, a->extent[1], a->extent[2] };

    st = s->kind->read(s, start, len, slab);
    if (st == H3D_OK) {
      h3d_scale_widen(range, type, n * plane, slab);
    }
  }
  h3d_free(slab);
  return st;
}

static h3d_status
look_at(const h3d_inputs *in, int64_t i, struct record *r)
{
  h3d_source s;
  h3d_status st = h3d_source_open(in->kind, in->options, in->path[i], &s);

  if (st != H3D_OK) {
    return st;
  }
  r->about = s.about;
  if (!h3d_scale_known((h3d_h5_type)s.about.type, &r->range)) {
    st = read_range(&s, &r->range);
  }
  for (int a = 0; a < 3 && st == H3D_OK; a++) {
    if (s.about.extent[a] < 1) {
      st = h3d_fail(H3D_ERR_FILE, "%s: has no voxels", in->path[i]);
    }
  }
  h3d_source_close(&s);
  return st;
}

/* Each file against the first. */
static h3d_status
check_alike(const h3d_inputs *in, const h3d_source_about *one,
            const h3d_source_about *a, const char *path)
{
  if (memcmp(a->extent, one->extent, sizeof a->extent) != 0
      || a->channels != one->channels) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "%s: %" PRId64 "x%" PRId64 "x%" PRId64 " voxels, %d "
                    "channels, but %s has %" PRId64 "x%" PRId64 "x%" PRId64
                    ", %d; a dataset holds volumes of one shape",
                    path, a->extent[0], a->extent[1], a->extent[2],
                    a->channels, in->path[0], one->extent[0], one->extent[1],
                    one->extent[2], one->channels);
  }
  if (memcmp(a->channel, one->channel, sizeof a->channel) != 0) {
    return h3d_fail(H3D_ERR_FILE, "%s: its channels are not those of %s (%s)",
                    path, in->path[0], one->channel[0]);
  }
  if (a->params != one->params || a->has_phys != one->has_phys
      || memcmp(a->name, one->name, sizeof a->name) != 0) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: its parameters are not those of %s (%d, %s)", path,
                    in->path[0], one->params, one->name[0]);
  }
  return H3D_OK;
}

static h3d_status
choose_elem(const h3d_inputs *in, const struct record *r, h3d_survey *s)
{
  h3d_scale_range all = h3d_scale_none();
  int all_u8 = 1, is_real = 0, rounded;
  int64_t lossy = 0;
  h3d_elem elem;
  h3d_status st = H3D_OK;

  for (int64_t i = 0; i < in->n && st == H3D_OK; i++) {
    int real = r[i].about.type == H3D_H5_F64;

    /* By itself first, so that the sentence names the file. */
    st = h3d_scale_choose(&r[i].range, 0, real, in->path[i], &elem, &rounded);
    lossy += rounded;
    h3d_scale_join(&all, &r[i].range);
    all_u8 &= r[i].about.type == H3D_H5_U8;
    is_real |= real;
  }
  if (lossy > 0) {
    h3d_warn("%" PRId64 " files: float64 is stored as float32, about 7 digits",
             lossy);
  }
  return st == H3D_OK ? h3d_scale_choose(&all, all_u8, is_real, "all files",
                                         &s->elem, &rounded)
                      : st;
}

static void
join_spacing(h3d_survey *s)
{
  int same = 1;

  for (int64_t i = 0; i < s->files; i++) {
    same
      = same
        && memcmp(s->about[i].spacing, s->about[0].spacing, sizeof s->spacing)
             == 0
        && strcmp(s->about[i].unit, s->about[0].unit) == 0;
  }
  for (int a = 0; a < 3; a++) {
    s->spacing[a] = same ? s->about[0].spacing[a] : 1;
  }
  s->unit = same ? s->about[0].unit : "";
  if (!same) {
    h3d_warn("the files' voxels differ in size: the dataset has no spacing, "
             "each sample's geometry has its own");
  }
}

h3d_status
h3d_survey_make(MPI_Comm comm, const h3d_inputs *in, h3d_survey *s)
{
  int64_t r = h3d_comm_rank(comm), p = h3d_comm_size(comm);
  int64_t first = r * in->n / p, end = (r + 1) * in->n / p;
  struct record *mine = h3d_new((size_t)(end - first), sizeof *mine);
  struct record *all = NULL;
  size_t bytes;
  h3d_status st = H3D_OK;

  memset(s, 0, sizeof *s);
  for (int64_t i = first; i < end && st == H3D_OK; i++) {
    st = look_at(in, i, &mine[i - first]);
  }
  H3D_TRY(h3d_agree(comm, st));
  h3d_gather_all(comm, mine, (size_t)(end - first) * sizeof *mine,
                 (void **)&all, &bytes);
  s->files = in->n;
  s->about = h3d_new((size_t)in->n, sizeof *s->about);
  for (int64_t i = 0; i < in->n; i++) {
    s->about[i] = all[i].about;
    H3D_TRY(check_alike(in, &all[0].about, &s->about[i], in->path[i]));
  }
  H3D_TRY(choose_elem(in, all, s));
  join_spacing(s);
done:
  h3d_free(all);
  h3d_free(mine);
  return st;
}

void
h3d_survey_release(h3d_survey *s)
{
  h3d_free(s->about);
  memset(s, 0, sizeof *s);
}
