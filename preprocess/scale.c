#include "config.h"

#include "scale.h"

#include <float.h>
#include <math.h>

h3d_scale_range
h3d_scale_none(void)
{
  return (h3d_scale_range){
    .min = HUGE_VAL, .max = -HUGE_VAL, .integer = 1, .single = 1
  };
}

void
h3d_scale_join(h3d_scale_range *r, const h3d_scale_range *other)
{
  r->min = other->min < r->min ? other->min : r->min;
  r->max = other->max > r->max ? other->max : r->max;
  r->integer &= other->integer;
  r->single &= other->single;
  r->nonfinite |= other->nonfinite;
}

static void
widen_real(h3d_scale_range *r, double x)
{
  if (!isfinite(x)) {
    r->nonfinite = 1;
    return;
  }
  r->min = x < r->min ? x : r->min;
  r->max = x > r->max ? x : r->max;
  r->integer &= x == floor(x);
  r->single &= fabs(x) <= (double)FLT_MAX && (double)(float)x == x;
}

/* Beyond 2^63 a float converts to no integer: signs come from the type. */
#define WIDEN_INTEGERS(type, least, most)                                    \
  for (int64_t i = 0; i < n; i++) {                                          \
    const type v = ((const type *)x)[i];                                     \
    const float f = (float)v;                                                \
                                                                             \
    r->min = (double)v < r->min ? (double)v : r->min;                        \
    r->max = (double)v > r->max ? (double)v : r->max;                        \
    r->single &= (double)f >= (least) && (double)f < (most) && (type)f == v; \
  }                                                                          \
  break

void
h3d_scale_widen(h3d_scale_range *r, h3d_h5_type type, int64_t n, const void *x)
{
  switch (type) {
  case H3D_H5_I8:
    WIDEN_INTEGERS(int8_t, -128.0, 128.0);
  case H3D_H5_U8:
    WIDEN_INTEGERS(uint8_t, 0.0, 256.0);
  case H3D_H5_I16:
    WIDEN_INTEGERS(int16_t, -0x1p15, 0x1p15);
  case H3D_H5_U16:
    WIDEN_INTEGERS(uint16_t, 0.0, 0x1p16);
  case H3D_H5_I32:
    WIDEN_INTEGERS(int32_t, -0x1p31, 0x1p31);
  case H3D_H5_U32:
    WIDEN_INTEGERS(uint32_t, 0.0, 0x1p32);
  case H3D_H5_I64:
    WIDEN_INTEGERS(int64_t, -0x1p63, 0x1p63);
  case H3D_H5_U64:
    WIDEN_INTEGERS(uint64_t, 0.0, 0x1p64);
  case H3D_H5_F32:
    for (int64_t i = 0; i < n; i++) {
      widen_real(r, (double)((const float *)x)[i]);
    }
    break;
  case H3D_H5_F64:
    for (int64_t i = 0; i < n; i++) {
      widen_real(r, ((const double *)x)[i]);
    }
    break;
  case H3D_H5_OTHER:
  case H3D_H5_TEXT:
    break;
  }
}

int
h3d_scale_known(h3d_h5_type type, h3d_scale_range *r)
{
  *r = h3d_scale_none();
  switch (type) {
  case H3D_H5_U8:
    r->min = 0;
    r->max = UINT8_MAX;
    return 1;
  case H3D_H5_I8:
    r->min = INT8_MIN;
    r->max = INT8_MAX;
    return 1;
  case H3D_H5_I16:
    r->min = INT16_MIN;
    r->max = INT16_MAX;
    return 1;
  case H3D_H5_F32:
    r->min = -(double)FLT_MAX;
    r->max = (double)FLT_MAX;
    r->integer = 0;
    return 1;
  default:
    return 0;
  }
}

h3d_status
h3d_scale_choose(const h3d_scale_range *r, int all_u8, int is_real,
                 const char *text, h3d_elem *elem, int *rounded)
{
  *rounded = 0;
  *elem = H3D_ELEM_F32;
  if (r->nonfinite) {
    return h3d_fail(H3D_ERR_FILE, "%s: a voxel is NaN or infinite", text);
  }
  if (all_u8) {
    *elem = H3D_ELEM_U8;
  } else if (r->integer && r->min >= INT16_MIN && r->max <= INT16_MAX) {
    *elem = H3D_ELEM_I16;
  } else if (!r->single && is_real && r->min >= -(double)FLT_MAX
             && r->max <= (double)FLT_MAX) {
    *rounded = 1;
  } else if (!r->single) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: numbers from %.17g to %.17g fit neither int16 nor, "
                    "unchanged, float32; scale them first",
                    text, r->min, r->max);
  }
  return H3D_OK;
}

#define CONVERT(from, to)                         \
  do {                                            \
    for (int64_t i = 0; i < n; i++) {             \
      ((to *)out)[i] = (to)((const from *)in)[i]; \
    }                                             \
  } while (0)

#define CONVERT_TO(from)            \
  if (elem == H3D_ELEM_I16) {       \
    CONVERT(from, int16_t);         \
  } else if (elem == H3D_ELEM_U8) { \
    CONVERT(from, uint8_t);         \
  } else {                          \
    CONVERT(from, float);           \
  }                                 \
  break

void
h3d_scale_convert(h3d_h5_type type, h3d_elem elem, int64_t n, const void *in,
                  void *out)
{
  switch (type) {
  case H3D_H5_I8:
    CONVERT_TO(int8_t);
  case H3D_H5_U8:
    CONVERT_TO(uint8_t);
  case H3D_H5_I16:
    CONVERT_TO(int16_t);
  case H3D_H5_U16:
    CONVERT_TO(uint16_t);
  case H3D_H5_I32:
    CONVERT_TO(int32_t);
  case H3D_H5_U32:
    CONVERT_TO(uint32_t);
  case H3D_H5_I64:
    CONVERT_TO(int64_t);
  case H3D_H5_U64:
    CONVERT_TO(uint64_t);
  case H3D_H5_F32:
    CONVERT_TO(float);
  case H3D_H5_F64:
    CONVERT_TO(double);
  case H3D_H5_OTHER:
  case H3D_H5_TEXT:
    break;
  }
}
