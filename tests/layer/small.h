/* small.h: tiny networks, at least one for every trainable way of every kind.
 *
 * A convolution stands in front, so that the gradient with respect to the
 * input of the layer under test shows in weights.  2 channels, 8 x 5 x 7
 * voxels, 3 samples, 2 targets.
 */
#ifndef TESTS_LAYER_SMALL_H
#define TESTS_LAYER_SMALL_H

#include "model/model.h"

enum { SMALL_C = 2, SMALL_D = 8, SMALL_H = 5, SMALL_W = 7 };
enum { SMALL_BATCH = 3, SMALL_TARGETS = 2 };

static const h3d_model_spec small_spec
  = { .batch = SMALL_BATCH,
      .seed = 5,
      .data = { SMALL_C, { SMALL_D, SMALL_H, SMALL_W }, SMALL_TARGETS } };

typedef struct small {
  const char *what, *layers; /* reads f, its last layer is called z */
} small;

#define SMALL_BEFORE "input x - channels=data\nconv f x out=2 kernel=1\n"
#define SMALL_AFTER "dense y z out=targets\nmse loss y\n"

static const small smalls[] = {
  { "nothing", "act z f fn=leaky slope=1\n" },
  { "conv 1", "conv z f out=3 kernel=1\n" },
  { "conv 2", "conv z f out=3 kernel=2\n" },
  { "conv 3", "conv z f out=3 kernel=3\n" },
  { "conv 5", "conv z f out=3 kernel=5\n" },
  { "conv 7", "conv z f out=2 kernel=7\n" },
  { "conv 3x1x2", "conv z f out=3 kernel=3x1x2 bias=no\n" },
  { "conv he", "conv z f out=3 kernel=3 init=he\n" },
  { "conv stride 2", "conv z f out=3 kernel=3 stride=2\n" },
  { "conv stride 3 over 2", "conv z f out=2 kernel=2 stride=3x2x3\n" },
  { "conv dilation 2", "conv z f out=2 kernel=3 dilation=2\n" },
  { "conv valid", "conv z f out=3 kernel=3 padding=valid\n" },
  { "conv sides", "conv z f out=3 padding=0:2x1:0x2:1\n" },
  { "conv periodic", "conv z f out=3 kernel=3 padding=periodic\n" },
  { "conv periodic 5 stride 2",
    "conv z f out=2 kernel=5 stride=2x1x1 padding=periodic\n" },
  { "pool mean", "pool z f op=mean kernel=3 stride=2 padding=1\n" },
  { "pool mean 2", "pool z f op=mean kernel=2 stride=2\n" },
  { "pool max", "pool z f op=max kernel=2 stride=2\n" },
  { "pool max over", "pool z f op=max kernel=3 stride=2 padding=1\n" },
  { "pool max periodic",
    "pool z f op=max kernel=3 stride=1 padding=periodic\n" },
  { "norm", "norm z f decay=0.8\n" },
  { "norm behind stride", "conv s f out=3 stride=2\nnorm z s\n" },
  { "relu", "act z f fn=relu\n" },
  { "leaky", "act z f fn=leaky slope=0.3\n" },
  { "tanh", "act z f fn=tanh scale=1.2\n" },
  { "dropout", "dropout z f drop=0.4\n" },
  { "dense", "dense g f out=5 bias_init=0.1\nact z g fn=tanh\n" },
  { "dense without bias", "dense z f out=4 bias=no init=he\n" },
  { "chain",
    "norm n f\nact a n fn=leaky\npool p a op=mean kernel=3 stride=2 "
    "padding=1\nconv c p out=3 stride=2\nact b c fn=tanh\npool q b op=max "
    "kernel=2 stride=1\ndropout d q drop=0.2\ndense e d out=6\nact z e "
    "fn=leaky\n" },
};
enum { SMALLS = sizeof smalls / sizeof smalls[0] };

#endif /* TESTS_LAYER_SMALL_H */
