/* loader_impl.h: what the files of loader share. */
#ifndef H3D_DATA_LOADER_IMPL_H
#define H3D_DATA_LOADER_IMPL_H

#include "data/loader.h"
#include "data/store.h"

struct h3d_loader {
  h3d_loader_spec spec;
  const h3d_dataset_info *info;
  int *target; /* spec.target */
  h3d_cast *cast;
  h3d_store *store;
  int64_t start[3], len[3]; /* my block */
  size_t block_reals;       /* of one sample */
  void *input, *out_target; /* the batch */
  void *scratch;            /* one block as stored */
  float *wish;              /* targets of a sample as stored */
  unsigned char *seen;      /* [info->samples] */
  /* What was begun; total < 0: nothing. */
  int64_t total, epoch, room;
  int64_t *sample;
  h3d_move *move;
  int64_t first, n; /* my group's part of it */
  h3d_loader_about about;
};

/* My block of my j-th sample, moved, and its targets, into the batch.  This
 * rank alone. */
h3d_status loader_block(h3d_loader *l, int64_t j, void *out);
h3d_status loader_target(h3d_loader *l, int64_t j);

#endif /* H3D_DATA_LOADER_IMPL_H */
