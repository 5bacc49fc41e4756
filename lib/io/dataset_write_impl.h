/* dataset_write_impl.h: what writing a dataset and going on with it share. */
#ifndef H3D_IO_DATASET_WRITE_IMPL_H
#define H3D_IO_DATASET_WRITE_IMPL_H

#include "io/dataset_impl.h"
#include "io/dataset_shard.h"
#include "io/dataset_write.h"

/* What an unfinished dataset was begun with: text in its folder .part. */
#define H3D_DATASET_RECORD "unfinished.txt"

struct h3d_dataset_writer {
  MPI_Comm comm;
  char *path, *part;     /* the dataset; where it is until it is whole */
  h3d_dataset_info plan; /* borrows all but the chunk */
  int deflate;
  int64_t mine, rows; /* samples of this rank; of a full shard */
  int64_t first;      /* number of this rank's first shard */
  int64_t added;
  int whole; /* rank 0: the new takes its place; nothing is removed any more */
  h3d_shard_writer *open;
  h3d_shard_together *shared; /* the same, of all ranks together */
  int together, resume;
  h3d_h5 *kept;    /* the shard at hand is complete already */
  h3d_index index; /* of this rank: samples so far, shards that have a name */
};

/* Path of the next shard, to be freed; names it in the index. */
char *h3d_dataset_next_shard(h3d_dataset_writer *w);
/* A sample is written: into the index, and the shard, if full, to its name. */
h3d_status h3d_dataset_note(h3d_dataset_writer *w, const h3d_sample *s,
                            uint64_t content);
/* Close w->kept; its length. */
h3d_status h3d_dataset_end_kept(h3d_dataset_writer *w, int64_t *bytes);

/* The record of the dataset PATH.  One rank. */
h3d_status h3d_record_write(const char *path, const char *text);
void h3d_record_remove(const char *path);

#endif /* H3D_IO_DATASET_WRITE_IMPL_H */
