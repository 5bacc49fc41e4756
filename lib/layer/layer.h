/* layer.h: what a layer kind must say about itself.
 *
 * A kind is one file, lib/layer/KIND.c, that ends in one constant table.
 * Its name there is the word for it in a network file.  Planning happens in
 * this order: options are read, `shape` is asked (pure), the planner gives
 * the layer its dists, `plan` makes everything that a step needs.  forward
 * and backward then neither refuse, allocate nor log.
 */
#ifndef H3D_LAYER_LAYER_H
#define H3D_LAYER_LAYER_H

#include "backend/backend.h"
#include "backend/transport.h"
#include "base/status.h"
#include "dist/grid.h"

typedef struct h3d_layer h3d_layer;

/* A key=value of a network file, and the member that it sets. */
typedef enum h3d_option_type {
  H3D_INT,  /* int64_t */
  H3D_REAL, /* double */
  H3D_FLAG, /* int: yes or no */
  H3D_WORD, /* char[H3D_WORD_MAX] */
} h3d_option_type;
enum { H3D_WORD_MAX = 48 };

typedef struct h3d_option {
  const char *key;
  h3d_option_type type;
  size_t offset;
  const char *preset; /* NULL: the file must give it */
  const char *help;
  const char *words; /* H3D_WORD: the allowed ones, "mean max"; NULL: any */
} h3d_option;

/* What a layer may put out: more is a slip of the finger. */
enum { H3D_CHANNELS_MAX = 1 << 20 };
enum { H3D_INPUTS_MAX = 4, H3D_PARAMS_MAX = 5, H3D_NAME_MAX = 48 };

/* What a kind's tensors are: channels and spatial extents, global. */
typedef struct h3d_shape {
  int64_t c, n[3]; /* D H W */
} h3d_shape;

typedef enum h3d_role {
  H3D_ROLE_WEIGHT, /* decays */
  H3D_ROLE_BIAS,
  H3D_ROLE_SCALE, /* of a norm */
  H3D_ROLE_SHIFT,
  H3D_ROLE_STATE /* running statistics: no gradient */
} h3d_role;

typedef enum h3d_init {
  H3D_INIT_CONSTANT,       /* value */
  H3D_INIT_GLOROT_UNIFORM, /* +-sqrt(6/(fan_in+fan_out)); X. Glorot, Y. Bengio
                              2010 */
  H3D_INIT_HE_NORMAL       /* deviation sqrt(2/fan_in); K. He et al. 2015 */
} h3d_init;

/* One block of weights.  A sharded one holds, for each of rows outputs, the
 * columns of this rank's box of voxels, [row][d][h][w][c]; in checkpoints and
 * random numbers it is [row][c][d][h][w] over the whole extent. */
typedef struct h3d_param {
  const char *name; /* "weight", "bias", "running_mean", ... */
  h3d_role role;
  int dims;
  int64_t n[5]; /* global extents in framework-neutral order */
  h3d_init init;
  double value, fan_in, fan_out;
  int sharded;       /* 1: columns follow box (dense layers) */
  int64_t rows;      /* sharded: outputs */
  h3d_box box;       /* sharded: my voxels and all channels */
  int64_t extent[3]; /* sharded: D H W of the whole */
  int64_t size;      /* reals held by this rank */
  unsigned sum;      /* gradient: summed over h3d_grid_comm(grid, sum) */
  unsigned cuts;     /* sharded: axes over which shards differ */
  void *w, *g;       /* device memory, the model's */
} h3d_param;

/* Seconds of a step, by what they went into. */
typedef enum h3d_span {
  H3D_SPAN_INPUT,
  H3D_SPAN_FORWARD,  /* without halo */
  H3D_SPAN_BACKWARD, /* without halo */
  H3D_SPAN_HALO,     /* halos, redists and sums inside layers */
  H3D_SPAN_REDUCE,
  H3D_SPAN_UPDATE,
  H3D_SPANS
} h3d_span;
extern const char *const h3d_span_name[H3D_SPANS]; /* "input", ... */

/* What layers work with: one per model. */
typedef struct h3d_env {
  const h3d_grid *grid;
  h3d_device *dev;
  const h3d_transport *transport;
  int inference;   /* 1: backward is never called */
  int64_t targets; /* numbers in a sample's target */
  int64_t batch;   /* most samples in a global batch */
  int64_t samples; /* most samples in a group */
  uint64_t seed;
  size_t work_size; /* a layer's plan raises it to what it needs */
  void *work;       /* work_size bytes, anyone's between two calls */

  /* Of the step under way. */
  int training;
  int64_t step;
  int64_t n;          /* my group's samples; may be 0 */
  int64_t first;      /* the first of them, in the global batch */
  int64_t total;      /* samples in the global batch */
  int64_t before;     /* of the same step, in batches before this one */
  const void *target; /* device, [n][p] */
  double loss;        /* mean over the global batch, by the loss layer */
  double metric;      /* the loss layer's second number */
  double seconds[H3D_SPANS];
} h3d_env;

typedef struct h3d_layer_kind {
  const char *name, *help;
  int inputs; /* how many tensors it reads; -1 for any number */
  size_t option_size, state_size;
  const h3d_option *options; /* ends with a NULL key */

  int in_place;   /* y may be x, dx may be dy */
  int needs_y;    /* backward reads the layer's own output */
  int drops_x;    /* backward does not read x: its memory may be reused */
  int ends_space; /* output is copied whatever the input is (dense) */
  int is_loss;
  int internal;       /* the planner's own; refused in a network file */
  const char *metric; /* of a loss: the name of env->metric, "mae" */

  /* From l->x_shape and the options: l->y_shape, l->window, and of every
   * l->param name, role, extents and first values.  Pure.
   * H3D_ERR_USAGE for options, H3D_ERR_SHAPE for extents. */
  h3d_status (*shape)(h3d_layer *l);
  /* Set what of l->param the dists decide, make halos and device plans, raise
   * env->work_size. Collective over the grid.  Last chance to refuse. */
  h3d_status (*plan)(h3d_layer *l, h3d_env *e);
  void (*forward)(h3d_layer *l, h3d_env *e);
  /* From l->dy: l->dx (where not NULL) and the gradients, all overwritten.
   * A loss has no dy. */
  void (*backward)(h3d_layer *l, h3d_env *e);
  void (*release)(h3d_layer *l, h3d_env *e);
} h3d_layer_kind; /* plan, release: NULL where there is nothing to do */

struct h3d_layer {
  const h3d_layer_kind *kind;
  char name[H3D_NAME_MAX]; /* its word in the network file */
  int index;               /* in the network file; keys random numbers */
  int inputs, input[H3D_INPUTS_MAX]; /* positions of the layers it reads */
  void *option; /* option_size bytes, read from the file */
  void *state;  /* state_size bytes, zeroed */

  h3d_shape x_shape[H3D_INPUTS_MAX], y_shape;
  h3d_window window[3]; /* points unless shape says otherwise */
  int periodic;
  h3d_dist x_dist[H3D_INPUTS_MAX], y_dist;
  int want_dx[H3D_INPUTS_MAX]; /* 1: backward will be given dx; for plan */

  int params;
  h3d_param param[H3D_PARAMS_MAX];
  char about[192]; /* algorithms, messages: the plan's table shows it */
  size_t memory;   /* bytes that the layer allocated for itself */
  int drops_x;     /* plan: backward does not read x here, see the kind's */

  const void *x[H3D_INPUTS_MAX];
  void *y;
  const void *dy;
  void *dx[H3D_INPUTS_MAX]; /* NULL: not wanted */
};

/* All kinds of this build, ending with NULL. */
extern const h3d_layer_kind *const h3d_layer_kinds[];
const h3d_layer_kind *h3d_layer_kind_find(const char *name); /* or NULL */

/* Set one option of a layer from text.  H3D_ERR_USAGE: layer, key, value,
 * what is wanted, the nearest known key. */
h3d_status h3d_layer_set_option(h3d_layer *l, const char *key,
                                const char *value);
/* The option's row in the kind's table, or -1. */
int h3d_layer_option_row(const h3d_layer_kind *kind, const char *key);
/* Presets first; refuse options that the file had to give and did not (after
 * the file's were set): given is a bit per table row. */
h3d_status h3d_layer_set_presets(h3d_layer *l);
h3d_status h3d_layer_check_options(const h3d_layer *l, uint64_t given);

/* "3" or "3x3x1" into three numbers of least to 1024; H3D_ERR_USAGE. */
h3d_status h3d_layer_axes(const h3d_layer *l, const char *key,
                          const char *text, int least, int out[3]);
/* kernel, stride, dilation as above and padding = same | valid | periodic |
 * "1" | "1x1x0" | "1:0x1:0x1:0" (before:after) into l->window, l->periodic
 * and l->y_shape's extents, from x_shape[0]'s.  same and periodic: (k-1)*d/2
 * before, the rest after.  H3D_ERR_USAGE for padding of more than (k-1)*d on
 * a side (a window of nothing but padding), H3D_ERR_SHAPE for a window that
 * does not fit, or, periodic, wraps around more than the whole axis or has a
 * stride that does not divide it. */
h3d_status h3d_layer_slide(h3d_layer *l, const char *kernel,
                           const char *stride, const char *dilation,
                           const char *padding);

/* What kinds share.  My block's voxels (D H W product) of a dist. */
int64_t h3d_layer_voxels(const h3d_env *e, const h3d_dist *d);
/* The ranks that hold the shares of sums over batch and space: a mask for
 * h3d_grid_comm that leaves out the axes along which d is copied. */
unsigned h3d_layer_sharers(const h3d_dist *d);
/* Device memory of the layer's own, zeroed, counted in l->memory; the kind's
 * release gives it back with be->release.  H3D_ERR_MEMORY names the layer. */
h3d_status h3d_layer_alloc(h3d_layer *l, h3d_env *e, size_t bytes, void **mem);
/* A small vector of n reals of the device's type to and from doubles; raw:
 * host room for n reals. */
void h3d_layer_get(h3d_env *e, const void *mem, int64_t n, void *raw,
                   double *out);
void h3d_layer_put(h3d_env *e, void *mem, int64_t n, void *raw,
                   const double *in);
/* dst = src, n reals of the device's type, on the device. */
void h3d_layer_copy(h3d_env *e, int64_t n, const void *src, void *dst);
/* Raise e->work_size to bytes. */
void h3d_layer_want_work(h3d_env *e, size_t bytes);

#endif /* H3D_LAYER_LAYER_H */
