#include "config.h"

#include "data/cast.h"

#include "base/mem.h"

#include <math.h>

struct h3d_cast {
  h3d_cast_spec spec;
  h3d_channel_stats *stats;
  void *table;           /* [channels][values] reals; NULL for floats */
  int64_t values, least; /* of an integer: how many, the smallest */
};

double
h3d_cast_value(const h3d_cast *c, int channel, double stored)
{
  const h3d_channel_stats *s = &c->stats[channel];
  double y = c->spec.recipe == H3D_RECIPE_LOG1P ? log1p(stored) : stored;

  if (c->spec.standardize) {
    /* An empty channel is constant: its mean is all that can be removed. */
    y = (y - s->mean) / (s->dev > 0 ? s->dev : 1);
  }
  return y;
}

static h3d_status
make_table(h3d_cast *c)
{
  int64_t n = c->values * c->spec.channels;
  h3d_status st = h3d_alloc((size_t)n, h3d_type_size(c->spec.type), &c->table);

  if (st != H3D_OK) {
    return st;
  }
  for (int64_t i = 0; i < n; i++) {
    double y = h3d_cast_value(c, (int)(i / c->values),
                              (double)(i % c->values + c->least));

    if (c->spec.type == H3D_F64) {
      ((double *)c->table)[i] = y;
    } else {
      ((float *)c->table)[i] = (float)y;
    }
  }
  return H3D_OK;
}

size_t
h3d_cast_bytes(const h3d_cast_spec *spec)
{
  size_t values = spec->elem == H3D_ELEM_F32  ? 0
                  : spec->elem == H3D_ELEM_U8 ? 256
                                              : 65536;

  return values * (size_t)spec->channels * h3d_type_size(spec->type);
}

h3d_status
h3d_cast_new(const h3d_cast_spec *spec, h3d_cast **out)
{
  h3d_cast *c = h3d_new(1, sizeof *c);
  h3d_status st = H3D_OK;

  c->spec = *spec;
  c->stats = h3d_new((size_t)spec->channels, sizeof *c->stats);
  for (int i = 0; i < spec->channels; i++) {
    c->stats[i] = spec->stats[i];
  }
  c->spec.stats = c->stats;
  if (spec->elem == H3D_ELEM_U8) {
    c->values = 256;
  } else if (spec->elem == H3D_ELEM_I16) {
    c->values = 65536;
    c->least = -32768;
  }
  if (c->values > 0) {
    st = make_table(c);
  }
  if (st != H3D_OK) {
    h3d_cast_free(&c);
  }
  *out = c;
  return st;
}

void
h3d_cast_free(h3d_cast **c)
{
  if (*c) {
    h3d_free((*c)->table);
    h3d_free((*c)->stats);
    h3d_free(*c);
    *c = NULL;
  }
}

/* What differs from line to line: n voxels apart by step, results apart by
 * out_step reals. */
typedef struct line {
  const h3d_cast *c;
  int channel;
  int64_t n, step, out_step;
} line;

/* Integers by table.  y * 0 is 0 for numbers, NaN for the rest. */
#define LOOK_UP(name, stored, real)                                          \
  static double name(const line *e, const void *in, void *out)               \
  {                                                                          \
    const stored *x = in;                                                    \
    const real *table                                                        \
      = (const real *)e->c->table + e->channel * e->c->values - e->c->least; \
    real *y = out, poison = 0;                                               \
                                                                             \
    for (int64_t i = 0; i < e->n; i++) {                                     \
      real v = table[x[i * e->step]];                                        \
                                                                             \
      y[i * e->out_step] = v;                                                \
      poison += v * 0;                                                       \
    }                                                                        \
    return poison;                                                           \
  }

#define COMPUTE(name, real)                                               \
  static double name(const line *e, const void *in, void *out)            \
  {                                                                       \
    const float *x = in;                                                  \
    real *y = out, poison = 0;                                            \
                                                                          \
    for (int64_t i = 0; i < e->n; i++) {                                  \
      real v                                                              \
        = (real)h3d_cast_value(e->c, e->channel, (double)x[i * e->step]); \
                                                                          \
      y[i * e->out_step] = v;                                             \
      poison += v * 0;                                                    \
    }                                                                     \
    return poison;                                                        \
  }

LOOK_UP(i16_to_f32, int16_t, float)
LOOK_UP(i16_to_f64, int16_t, double)
LOOK_UP(u8_to_f32, uint8_t, float)
LOOK_UP(u8_to_f64, uint8_t, double)
COMPUTE(f32_to_f32, float)
COMPUTE(f32_to_f64, double)

typedef double (*line_fn)(const line *e, const void *in, void *out);

static line_fn
pick(h3d_elem elem, h3d_type type)
{
  static const line_fn fn[3][2]
    = { [H3D_ELEM_I16] = { i16_to_f32, i16_to_f64 },
        [H3D_ELEM_U8] = { u8_to_f32, u8_to_f64 },
        [H3D_ELEM_F32] = { f32_to_f32, f32_to_f64 } };

  return fn[elem][type == H3D_F64];
}

int
h3d_cast_piece(const h3d_cast *c, const h3d_cast_from *src, const h3d_move *m,
               const h3d_piece *piece, const int64_t len[3], void *out)
{
  const int64_t dense[3] = { len[1] * len[2], len[2], 1 };
  const size_t in_size = h3d_elem_size(c->spec.elem);
  const size_t out_size = h3d_type_size(c->spec.type);
  const line_fn fn = pick(c->spec.elem, c->spec.type);
  const int channels = c->spec.channels;
  int64_t to = 0, step[3], n[3];
  double poison = 0;

  /* Walk the piece in stored order, which memory likes on the reading side;
   * step[q] is where the block goes when stored axis q goes on by one. */
  for (int a = 0; a < 3; a++) {
    int q = m->axis[a];

    n[q] = piece->len[q];
    step[q] = (m->flip[a] ? -dense[a] : dense[a]) * channels;
    to += (piece->to[a] + (m->flip[a] ? n[q] - 1 : 0)) * dense[a] * channels;
  }
#pragma omp parallel for collapse(2) reduction(+ : poison)
  for (int64_t d = 0; d < n[0]; d++) {
    for (int64_t h = 0; h < n[1]; h++) {
      for (int k = 0; k < channels; k++) {
        line e = { c, k, n[2], src->stride[2], step[2] };
        int64_t from = src->first + k * src->channel + d * src->stride[0]
                       + h * src->stride[1];
        int64_t at = to + d * step[0] + h * step[1] + k;

        poison += fn(&e, (const char *)src->mem + (size_t)from * in_size,
                     (char *)out + (size_t)at * out_size);
      }
    }
  }
  return isfinite(poison);
}
