/* source.h: raw samples from foreign files.
 *
 * A kind of source is a table of functions; a new format is one new file and
 * one word in source.c.  One rank opens one file; nothing is collective.
 */
#ifndef H3D_PREPROCESS_SOURCE_H
#define H3D_PREPROCESS_SOURCE_H

#include "base/status.h"
#include "io/h5.h"
#include "io/npy.h"

enum {
  H3D_SOURCE_CHANNELS = 16,
  H3D_SOURCE_PARAMS = 16,
  H3D_SOURCE_NAME = 32
};

/* What a file says of itself: plain bytes, so that ranks can exchange them. */
typedef struct h3d_source_about {
  int64_t extent[3]; /* D H W */
  int32_t channels;
  int32_t type;               /* h3d_h5_type */
  double spacing[3];          /* of a voxel; 1 when unknown */
  char unit[H3D_SOURCE_NAME]; /* of the spacing; "" when unknown */
  char channel[H3D_SOURCE_CHANNELS][H3D_SOURCE_NAME];
  int32_t params, has_phys; /* 0 params: the file has no targets */
  char name[H3D_SOURCE_PARAMS][H3D_SOURCE_NAME];
  double norm[H3D_SOURCE_PARAMS]; /* normalised */
  double phys[H3D_SOURCE_PARAMS]; /* the same in physical units */
} h3d_source_about;

/* Which axis of an array of four holds channels. */
typedef enum h3d_source_axes {
  H3D_SOURCE_AXES_AUTO, /* the one with the fewest entries, if it can be told
                         */
  H3D_SOURCE_AXES_FIRST,
  H3D_SOURCE_AXES_LAST
} h3d_source_axes;

/* What the user says of files that do not say it themselves. */
typedef struct h3d_source_options {
  const char *array; /* of an archive; NULL: its only one; borrowed */
  h3d_source_axes axes;
  h3d_npy_raw raw; /* of raw files */
} h3d_source_options;

/* The same as words; NULL: not given. */
typedef struct h3d_source_words {
  const char *array, *axes; /* axes: auto, cdhw or dhwc */
  const char *dtype, *shape, *order;
  int64_t offset;
  int is_raw; /* the user takes raw files */
} h3d_source_words;
/* H3D_ERR_USAGE names the option.  Borrows words. */
h3d_status h3d_source_parse(const h3d_source_words *words,
                            h3d_source_options *o);

typedef struct h3d_source h3d_source;

typedef struct h3d_source_kind {
  const char *name;
  const char *const *suffixes; /* ends with NULL */
  /* Fills s->about and s->state; s->path is set.  H3D_ERR_FILE. */
  h3d_status (*open)(h3d_source *s);
  void (*close)(h3d_source *s);
  /* A box of all channels as [c][d][h][w] of about.type. */
  h3d_status (*read)(const h3d_source *s, const int64_t start[3],
                     const int64_t len[3], void *out);
} h3d_source_kind;

struct h3d_source {
  const h3d_source_kind *kind;
  const h3d_source_options *options; /* borrowed */
  const char *path;                  /* borrowed */
  void *state;
  h3d_source_about about;
};

/* All kinds, ending with NULL. */
extern const h3d_source_kind *const h3d_source_kinds[];

/* The kind called word; H3D_ERR_USAGE with the known ones.  "auto": NULL. */
h3d_status h3d_source_find(const char *word, const h3d_source_kind **kind);
/* The kind whose files end like path, or NULL. */
const h3d_source_kind *h3d_source_guess(const char *path);

/* s borrows options and path until it is closed.  A failure leaves nothing
 * open.
 */
h3d_status h3d_source_open(const h3d_source_kind *kind,
                           const h3d_source_options *options, const char *path,
                           h3d_source *s);
void h3d_source_close(h3d_source *s);

#endif /* H3D_PREPROCESS_SOURCE_H */
