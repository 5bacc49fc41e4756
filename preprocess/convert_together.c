/* Samples too large for one rank: pieces of whole chunks, dealt to ranks. */
#include "config.h"

#include "convert_impl.h"

#include "base/agree.h"
#include "base/mem.h"
#include "base/progress.h"

#include <string.h>

/* Piece i, numbered W fastest; past the last one it is empty. */
static void
piece_box(const h3d_convert *c, const h3d_convert_pieces *p, int64_t i,
          int64_t start[3], int64_t len[3])
{
  int64_t extent[3];

  h3d_convert_extent(c, extent);
  for (int a = 2; a >= 0; a--) {
    int64_t at = i % p->counts[a] * p->box[a], left = extent[a] - at;

    start[a] = at;
    len[a] = left < p->box[a] ? left : p->box[a];
    i /= p->counts[a];
  }
  if (i > 0) {
    memset(start, 0, 3 * sizeof *start);
    memset(len, 0, 3 * sizeof *len);
  }
}

static h3d_status
convert_sample(MPI_Comm comm, h3d_convert_worker *w,
               const h3d_convert_pieces *p, int64_t s)
{
  const h3d_convert *c = w->c;
  const int64_t ranks = h3d_comm_size(comm), rank = h3d_comm_rank(comm);
  h3d_sample sample = { 0 };
  const float *target;
  double geometry[16];
  int kept;
  h3d_status st;

  h3d_scale_tally_clear(w->tally);
  kept = h3d_dataset_is_kept(w->writer);
  st = h3d_convert_go_to(w, s / h3d_convert_cubes(c));
  if (h3d_min_all(comm, kept) < kept && st == H3D_OK) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: not all ranks can read what is complete; "
                  "is this folder the same for all of them?",
                  c->out);
  }
  H3D_TRY(h3d_agree(comm, st));
  for (int64_t i = 0; i < p->n; i += ranks) {
    int64_t start[3], len[3];

    piece_box(c, p, i + rank, start, len);
    st = len[0] > 0 ? h3d_convert_box(w, s, start, len) : H3D_OK;
    H3D_TRY(h3d_agree(comm, st));
    if (!kept) {
      H3D_TRY(h3d_dataset_put(w->writer, start, len, w->voxels));
    }
  }
  h3d_scale_tally_join(w->tally, comm);
  H3D_TRY(h3d_agree(comm, h3d_convert_sum(w, s)));
  h3d_convert_about(w, s, &sample, geometry);
  target = c->targets->value + sample.family * c->targets->n;
  st = kept ? h3d_agree(comm, h3d_dataset_keep(w->writer, &sample, target))
            : h3d_dataset_end_sample(w->writer, &sample, target, geometry);
done:
  h3d_free(sample.id);
  return st;
}

h3d_status
h3d_convert_together(MPI_Comm comm, h3d_convert_worker *w)
{
  const h3d_convert *c = w->c;
  const h3d_convert_pieces *p = &c->pieces;
  const size_t numbers = (size_t)(p->box[0] * p->box[1] * p->box[2]
                                  * c->survey->about[0].channels);
  h3d_progress bar;
  h3d_status st, more;

  h3d_progress_begin(&bar, "preprocess", "samples", w->end - w->first);
  st = h3d_alloc(numbers, (size_t)h3d_convert_raw_size(c), &w->raw);
  more = h3d_alloc(numbers, h3d_elem_size(c->survey->elem), &w->voxels);
  H3D_TRY(h3d_agree(comm, st != H3D_OK ? st : more));
  for (int64_t s = w->first; s < w->end; s++) {
    H3D_TRY(convert_sample(comm, w, p, s));
    h3d_progress_set(&bar, s + 1 - w->first);
  }
done:
  h3d_progress_end(&bar);
  return st;
}
