#include "config.h"

#include "ckpt/ckpt_impl.h"

#include "base/mem.h"

#include <string.h>

static char **
texts_new(int n)
{
  char **t = h3d_new((size_t)n, sizeof *t);

  for (int i = 0; i < n; i++) {
    t[i] = h3d_strdup("");
  }
  return t;
}

static void
texts_free(char **t, int n)
{
  for (int i = 0; t && i < n; i++) {
    h3d_free(t[i]);
  }
  h3d_free(t);
}

h3d_ckpt *
h3d_ckpt_new(int channels, int targets)
{
  h3d_ckpt *c = h3d_new(1, sizeof *c);
  h3d_ckpt_data *d = &c->data;
  const size_t n = (size_t)targets;

  c->version = h3d_strdup(PACKAGE_VERSION);
  c->config = h3d_strdup("");
  c->net = h3d_strdup("");
  c->history = h3d_strdup("");
  c->optimizer = h3d_strdup("");
  d->path = h3d_strdup("");
  d->channels = channels;
  d->channel_name = texts_new(channels);
  d->stats = h3d_new((size_t)channels, sizeof *d->stats);
  d->targets = targets;
  d->target_name = texts_new(targets);
  d->target_unit = texts_new(targets);
  d->target_offset = h3d_new(n, sizeof(double));
  d->target_scale = h3d_new(n, sizeof(double));
  d->target_mean = h3d_new(n, sizeof(double));
  return c;
}

void
h3d_ckpt_free(h3d_ckpt **out)
{
  h3d_ckpt *c = *out;

  if (!c) {
    return;
  }
  h3d_free(c->version);
  h3d_free(c->config);
  h3d_free(c->net);
  h3d_free(c->history);
  h3d_free(c->optimizer);
  h3d_free(c->data.path);
  texts_free(c->data.channel_name, c->data.channels);
  h3d_free(c->data.stats);
  texts_free(c->data.target_name, c->data.targets);
  texts_free(c->data.target_unit, c->data.targets);
  h3d_free(c->data.target_offset);
  h3d_free(c->data.target_scale);
  h3d_free(c->data.target_mean);
  h3d_free(c);
  *out = NULL;
}

void
h3d_ckpt_set_text(char **text, const char *value)
{
  char *copy = h3d_strdup(value);

  h3d_free(*text);
  *text = copy;
}

/* One list serves both directions, so that they cannot differ. */
typedef struct io {
  h3d_h5 *out; /* one of the two is NULL */
  const h3d_h5 *in;
  h3d_status st; /* once it failed, nothing more is done */
} io;

static void
ints(io *x, const char *object, const char *name, int64_t *value)
{
  if (x->st == H3D_OK) {
    x->st = x->out ? h3d_h5_write_ints(x->out, object, name, 1, value)
                   : h3d_h5_read_ints(x->in, object, name, 1, value);
  }
}

static void
reals(io *x, const char *object, const char *name, int n, double *value)
{
  if (x->st == H3D_OK && n > 0) {
    x->st = x->out ? h3d_h5_write_reals(x->out, object, name, n, value)
                   : h3d_h5_read_reals(x->in, object, name, n, value);
  }
}

static void
text(io *x, const char *name, char **value)
{
  char *got = NULL;

  if (x->st != H3D_OK) {
    return;
  }
  if (x->out) {
    x->st = h3d_h5_write_text(x->out, name, *value);
    return;
  }
  x->st = h3d_h5_read_text(x->in, name, &got);
  if (x->st == H3D_OK) {
    h3d_free(*value);
    *value = got;
  }
}

static void
names(io *x, const char *name, int n, char **value)
{
  char **got = NULL;
  int64_t found = 0;

  if (x->st != H3D_OK || n == 0) {
    return;
  }
  if (x->out) {
    x->st = h3d_h5_write_texts(x->out, name, n, (const char *const *)value);
    return;
  }
  x->st = h3d_h5_read_texts(x->in, name, &found, &got);
  if (x->st == H3D_OK && found != n) {
    x->st = h3d_fail(H3D_ERR_FILE, "%s: %s has %lld names, %d are wanted",
                     h3d_h5_path(x->in), name, (long long)found, n);
  }
  for (int i = 0; x->st == H3D_OK && i < n; i++) {
    h3d_ckpt_set_text(&value[i], got[i]);
  }
  h3d_free(got);
}

static void
data_io(io *x, h3d_ckpt_data *d)
{
  int64_t identity = (int64_t)d->identity, recipe = d->recipe,
          standardize = d->standardize;

  text(x, "/dataset/path", &d->path);
  ints(x, "/dataset", "identity", &identity);
  ints(x, "/dataset", "depth", &d->extent[0]);
  ints(x, "/dataset", "height", &d->extent[1]);
  ints(x, "/dataset", "width", &d->extent[2]);
  ints(x, "/dataset", "recipe", &recipe);
  ints(x, "/dataset", "standardize", &standardize);
  names(x, "/dataset/channel", d->channels, d->channel_name);
  for (int i = 0; i < d->channels; i++) {
    h3d_channel_stats *s = &d->stats[i];
    double v[4] = { s->mean, s->dev, s->min, s->max };
    char *name = h3d_sprintf("statistics_%d", i);

    reals(x, "/dataset", name, 4, v);
    *s = (h3d_channel_stats){ v[0], v[1], v[2], v[3], s->count, s->nans };
    h3d_free(name);
  }
  names(x, "/dataset/target", d->targets, d->target_name);
  names(x, "/dataset/unit", d->targets, d->target_unit);
  reals(x, "/dataset", "offset", d->targets, d->target_offset);
  reals(x, "/dataset", "scale", d->targets, d->target_scale);
  reals(x, "/dataset", "target_mean", d->targets, d->target_mean);
  reals(x, "/dataset", "trivial", 1, &d->trivial);
  d->identity = (uint64_t)identity;
  d->recipe = (h3d_recipe)recipe;
  d->standardize = (int)standardize;
}

static void
order_io(io *x, h3d_ckpt_order *o)
{
  int64_t seed = (int64_t)o->seed;

  ints(x, "/order", "seed", &seed);
  ints(x, "/order", "epoch", &o->epoch);
  ints(x, "/order", "position", &o->position);
  ints(x, "/order", "batch", &o->batch);
  ints(x, "/order", "step", &o->step);
  ints(x, "/order", "samples", &o->samples);
  ints(x, "/order", "best_epoch", &o->best_epoch);
  reals(x, "/order", "loss_sum", 1, &o->loss_sum);
  reals(x, "/order", "metric_sum", 1, &o->metric_sum);
  reals(x, "/order", "seconds", 1, &o->seconds);
  reals(x, "/order", "best_loss", 1, &o->best_loss);
  o->seed = (uint64_t)seed;
}

static void
all_io(io *x, h3d_ckpt *c)
{
  int64_t type = c->type == H3D_F64 ? 64 : 32;

  text(x, "/version", &c->version);
  text(x, "/config", &c->config);
  text(x, "/net", &c->net);
  text(x, "/history", &c->history);
  text(x, "/optimizer", &c->optimizer);
  ints(x, "/", "real_bits", &type);
  data_io(x, &c->data);
  order_io(x, &c->order);
  c->type = type == 64 ? H3D_F64 : H3D_F32;
}

h3d_status
h3d_ckpt_about_write(h3d_h5 *f, const h3d_ckpt *c)
{
  io x = { .out = f };
  int64_t format = H3D_CKPT_FORMAT, channels = c->data.channels,
          targets = c->data.targets;
  /* Writing changes nothing but passes through the same list. */
  h3d_ckpt copy = *c;

  ints(&x, "/", "h3d_checkpoint", &format);
  ints(&x, "/dataset", "channels", &channels);
  ints(&x, "/dataset", "targets", &targets);
  all_io(&x, &copy);
  return x.st;
}

h3d_status
h3d_ckpt_about_read(const h3d_h5 *f, h3d_ckpt **out)
{
  io x = { .in = f };
  int64_t format = 0, channels = 0, targets = 0;

  *out = NULL;
  if (!h3d_h5_has_attr(f, "/", "h3d_checkpoint")) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s is no checkpoint: it has no attribute "
                    "h3d_checkpoint; name a file that h3d-train wrote",
                    h3d_h5_path(f));
  }
  ints(&x, "/", "h3d_checkpoint", &format);
  if (x.st == H3D_OK && format != H3D_CKPT_FORMAT) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s has checkpoint format %lld, this h3d reads %d: use "
                    "the h3d that wrote it",
                    h3d_h5_path(f), (long long)format, H3D_CKPT_FORMAT);
  }
  ints(&x, "/dataset", "channels", &channels);
  ints(&x, "/dataset", "targets", &targets);
  if (x.st == H3D_OK
      && (channels < 1 || channels > 1 << 20 || targets < 0
          || targets > 1 << 20)) {
    return h3d_fail(H3D_ERR_FILE, "%s: %lld channels, %lld targets: damaged",
                    h3d_h5_path(f), (long long)channels, (long long)targets);
  }
  if (x.st == H3D_OK) {
    *out = h3d_ckpt_new((int)channels, (int)targets);
    all_io(&x, *out);
  }
  if (x.st != H3D_OK) {
    h3d_ckpt_free(out);
  }
  return x.st;
}
