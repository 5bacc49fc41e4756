/* net.h: a network is a table in a text file.
 *
 * One line per layer: kind, name, what it reads (names above it, separated by
 * commas, or "-"), options key=value.  '#' begins a comment.  `data` and
 * `targets` as values stand for the dataset's channels and targets.  The last
 * layer is the loss.
 */
#ifndef H3D_MODEL_NET_H
#define H3D_MODEL_NET_H

#include "layer/layer.h"

typedef struct h3d_net {
  char *name; /* for messages: the file */
  char *text; /* as read */
  int layers;
  h3d_layer *layer; /* kind, name, index, inputs, options and shapes are set */
  int loss;         /* position of the loss */
  int output;       /* position of the layer that the loss reads */
} h3d_net;

/* What the data decide. */
typedef struct h3d_data_shape {
  int64_t channels, extent[3];
  int64_t targets;
} h3d_data_shape;

/* Parse and shape.  Refuses, naming file, line, word and the nearest known
 * one: unknown kinds, options, names read; names given twice; a network
 * without input or loss; extents that do not fit (H3D_ERR_SHAPE).  net_read:
 * the text of a file, or H3D_ERR_FILE.  Not collective. */
h3d_status h3d_net_parse(const char *name, const char *text,
                         const h3d_data_shape *data, h3d_net **out);
h3d_status h3d_net_read(const char *path, const h3d_data_shape *data,
                        h3d_net **out);
void h3d_net_free(h3d_net **net);

/* The file for --model WORD: WORD itself if it names a file (has a '/' or
 * ends in .net), else WORD-SIZE.net for the dataset's extent or WORD.net, in
 * $H3D_MODELS, the models folder beside the running program, the installed one
 * and the source tree's.  The
 * refusal lists the models found.  out: at least 1024 bytes. */
h3d_status h3d_net_find(const char *word, const h3d_data_shape *data,
                        char *out, size_t size);

/* Global number of trained weights (running statistics left out). */
int64_t h3d_net_weights(const h3d_net *net);

#endif /* H3D_MODEL_NET_H */
