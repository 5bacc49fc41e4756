/* input: where a batch enters.  y is the model's batch buffer. */
#include "config.h"

#include "layer/layer.h"

typedef struct input {
  int64_t channels;
} input;

static const h3d_option options[] = {
  { "channels", H3D_INT, offsetof(input, channels), NULL,
    "channels of a sample; \"data\" takes the dataset's", NULL },
  { 0 },
};

static h3d_status
shape(h3d_layer *l)
{
  const input *o = l->option;

  if (o->channels < 1) {
    return h3d_fail(H3D_ERR_USAGE,
                    "layer %s: channels=%lld, wanted is at least 1", l->name,
                    (long long)o->channels);
  }
  /* The parser puts the data's shape here before it asks. */
  if (l->y_shape.c != 0 && l->y_shape.c != o->channels) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "layer %s: channels=%lld, but the data have %lld; "
                    "channels=data takes what there is",
                    l->name, (long long)o->channels, (long long)l->y_shape.c);
  }
  l->y_shape.c = o->channels;
  return H3D_OK;
}

static void
nothing(h3d_layer *l, h3d_env *e)
{
  (void)l;
  (void)e;
}

const h3d_layer_kind h3d_layer_input = {
  .name = "input",
  .help = "the samples of a batch",
  .inputs = 0,
  .drops_x = 1,
  .option_size = sizeof(input),
  .options = options,
  .shape = shape,
  .forward = nothing,
  .backward = nothing,
};
