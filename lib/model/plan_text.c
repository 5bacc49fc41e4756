/* The plan as a table for people. */
#include "config.h"

#include "base/mem.h"
#include "model/model_impl.h"
#include "model/shard.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that grows. */
typedef struct sheet {
  char *text;
  size_t used, room;
} sheet;

static void add(sheet *s, const char *fmt, ...)
  __attribute__((format(printf, 2, 3)));

static void
add(sheet *s, const char *fmt, ...)
{
  char line[1024];
  va_list ap;
  size_t n;

  va_start(ap, fmt);
  vsnprintf(line, sizeof line, fmt, ap);
  va_end(ap);
  n = strlen(line);
  if (s->used + n + 1 > s->room) {
    s->room = 2 * s->room + n + 1;
    s->text = h3d_grow(s->text, s->room, 1);
  }
  memcpy(s->text + s->used, line, n + 1);
  s->used += n;
}

/* "32 x 64/2 x 64 x 64": channels, extents and the parts of cut axes. */
static const char *
shape_text(const h3d_layer *l, char *out, size_t size)
{
  size_t used = (size_t)snprintf(out, size, "%" PRId64, l->y_shape.c);

  for (int a = H3D_AXIS_D; a < H3D_AXES && used < size; a++) {
    const h3d_cut *c = &l->y_dist.cut[a];

    used += (size_t)snprintf(out + used, size - used, " x %" PRId64, c->n);
    if (c->parts > 1 && used < size) {
      used += (size_t)snprintf(out + used, size - used, "/%d", c->parts);
    }
  }
  return out;
}

static double
mib(size_t bytes)
{
  return (double)bytes / 1048576;
}

static void
add_layer(sheet *s, const h3d_layer *l)
{
  char shape[96];
  int64_t weights = 0;

  for (int k = 0; k < l->params; k++) {
    const h3d_param *p = &l->param[k];

    weights += p->role != H3D_ROLE_STATE ? h3d_shard_total(p) : 0;
  }
  add(s, "%-12s %-8s %-30s %10" PRId64 "  %8.1f  %s\n", l->name, l->kind->name,
      l->kind->is_loss ? "" : shape_text(l, shape, sizeof shape), weights,
      mib(l->memory), l->about);
}

static void
add_memory(sheet *s, const h3d_model *m)
{
  h3d_model_memory b;

  h3d_model_memory_about(m, &b);
  add(s,
      "\nmemory of the network on this rank, MiB: weights %.1f, gradients "
      "%.1f, activations %.1f, halos and layers %.1f, scratch %.1f, work "
      "%.1f, sums %.1f, together %.1f\n",
      mib(b.weights), mib(b.gradients), mib(b.activations), mib(b.halos),
      mib(b.scratch), mib(b.work), mib(b.sums), mib(b.total));
}

char *
h3d_model_plan_text(const h3d_model *m)
{
  const h3d_grid *g = m->spec.grid;
  sheet s = { 0 };

  add(&s,
      "grid: %d group%s of %dx%dx%d ranks; batch %" PRId64 ", at most %" PRId64
      " samples a group; %s on %s (%s), transport %s\n",
      g->n[H3D_AXIS_N], g->n[H3D_AXIS_N] > 1 ? "s" : "", g->n[H3D_AXIS_D],
      g->n[H3D_AXIS_H], g->n[H3D_AXIS_W], m->env.batch, m->env.samples,
      h3d_type_name(m->spec.dev->type), m->spec.dev->be->name,
      m->spec.dev->be->about(), m->spec.transport->name);
  add(&s,
      "grain of the cuts along D H W, in input voxels: %" PRId64 " %" PRId64
      " %" PRId64 "; a/b means an axis of a voxels in b parts\n\n",
      m->plan.grain[0], m->plan.grain[1], m->plan.grain[2]);
  add(&s, "%-12s %-8s %-30s %10s  %8s  %s\n", "layer", "kind",
      "channels x D x H x W", "weights", "own MiB", "how");
  for (int i = 0; i < m->plan.layers; i++) {
    add_layer(&s, &m->plan.layer[i]);
  }
  add_memory(&s, m);
  return s.text;
}
