#include "config.h"

#include "data/loader_impl.h"

#include <math.h>

/* A sample that the store does not have, from the files.  *fine: see
 * h3d_cast_piece. */
static h3d_status
read_pieces(h3d_loader *l, int64_t j, void *out, int *fine)
{
  const h3d_move *m = &l->move[l->first + j];
  h3d_piece piece[H3D_PIECES_MAX];
  int pieces = h3d_move_pieces(m, l->info->extent, l->start, l->len, piece);
  h3d_status st = H3D_OK;

  l->about.reads++;
  for (int p = 0; p < pieces; p++) {
    const int64_t *n = piece[p].len;
    h3d_cast_from src
      = { l->scratch, 0, { n[1] * n[2], n[2], 1 }, n[0] * n[1] * n[2] };

    H3D_TRY(h3d_dataset_read(l->spec.dataset, l->sample[l->first + j],
                             piece[p].from, n, l->scratch));
    *fine = h3d_cast_piece(l->cast, &src, m, &piece[p], l->len, out) && *fine;
  }
done:
  return st;
}

h3d_status
loader_block(h3d_loader *l, int64_t j, void *out)
{
  const int64_t at = l->first + j;
  const h3d_sample *sample = &l->info->sample[l->sample[at]];
  const h3d_store_piece *piece;
  int pieces = h3d_store_pieces(l->store, j, &piece), fine = 1;
  h3d_status st = H3D_OK;

  if (pieces < 0) {
    H3D_TRY(read_pieces(l, j, out, &fine));
  } else {
    /* What was read for this batch was counted by begin. */
    l->about.hits += h3d_store_room(l->store, j) == NULL;
  }
  for (int p = 0; p < pieces; p++) {
    fine = h3d_cast_piece(l->cast, &piece[p].from, &l->move[at],
                          &piece[p].piece, l->len, out)
           && fine;
  }
  if (!fine) {
    st = h3d_fail(H3D_ERR_FILE,
                  "sample %s has voxels that are no finite number after "
                  "\"%s\": repair %s, or preprocess with --normalize=none",
                  sample->id, h3d_recipe_name(l->spec.recipe), sample->source);
  }
done:
  return st;
}

h3d_status
loader_target(h3d_loader *l, int64_t j)
{
  const int64_t sample = l->sample[l->first + j];
  h3d_status st = H3D_OK;

  if (l->spec.targets == 0) {
    return H3D_OK;
  }
  H3D_TRY(h3d_dataset_read_target(l->spec.dataset, sample, l->wish));
  for (int t = 0; t < l->spec.targets; t++) {
    float x = l->wish[l->target[t]];
    int64_t to = j * l->spec.targets + t;

    if (!isfinite(x)) {
      return h3d_fail(H3D_ERR_FILE,
                      "sample %s has no finite target %s (%g): preprocess "
                      "again without it",
                      l->info->sample[sample].id,
                      l->info->target_name[l->target[t]], (double)x);
    }
    if (l->spec.type == H3D_F64) {
      ((double *)l->out_target)[to] = (double)x;
    } else {
      ((float *)l->out_target)[to] = x;
    }
  }
done:
  return st;
}
