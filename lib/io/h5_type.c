#include "config.h"

#include "io/h5_impl.h"

#include <stdio.h>

/* size: bytes; digits: bits of the integers that are all exact. */
static const struct {
  const char *name;
  size_t size;
  int digits, is_signed, is_real;
} types[] = {
  [H3D_H5_OTHER] = { "another type", 0, 0, 0, 0 },
  [H3D_H5_I8] = { "int8", 1, 7, 1, 0 },
  [H3D_H5_U8] = { "uint8", 1, 8, 0, 0 },
  [H3D_H5_I16] = { "int16", 2, 15, 1, 0 },
  [H3D_H5_U16] = { "uint16", 2, 16, 0, 0 },
  [H3D_H5_I32] = { "int32", 4, 31, 1, 0 },
  [H3D_H5_U32] = { "uint32", 4, 32, 0, 0 },
  [H3D_H5_I64] = { "int64", 8, 63, 1, 0 },
  [H3D_H5_U64] = { "uint64", 8, 64, 0, 0 },
  [H3D_H5_F32] = { "float32", 4, 24, 1, 1 },
  [H3D_H5_F64] = { "float64", 8, 53, 1, 1 },
  [H3D_H5_TEXT] = { "text", 0, 0, 0, 0 },
};

size_t
h3d_h5_type_size(h3d_h5_type t)
{
  return types[t].size;
}

const char *
h3d_h5_type_name(h3d_h5_type t)
{
  return types[t].name;
}

int
h3d_h5_is_exact(h3d_h5_type stored, h3d_h5_type wanted)
{
  if (stored == wanted) {
    return 1;
  }
  return types[stored].size > 0 && types[wanted].size > 0
         && types[stored].is_real <= types[wanted].is_real
         && types[stored].is_signed <= types[wanted].is_signed
         && types[stored].digits <= types[wanted].digits;
}

/* H5T_NATIVE_* are variables of the library, hence no table. */
hid_t
h3d_h5_native(h3d_h5_type t)
{
  switch (t) {
  case H3D_H5_I8:
    return H5T_NATIVE_INT8;
  case H3D_H5_U8:
    return H5T_NATIVE_UINT8;
  case H3D_H5_I16:
    return H5T_NATIVE_INT16;
  case H3D_H5_U16:
    return H5T_NATIVE_UINT16;
  case H3D_H5_I32:
    return H5T_NATIVE_INT32;
  case H3D_H5_U32:
    return H5T_NATIVE_UINT32;
  case H3D_H5_I64:
    return H5T_NATIVE_INT64;
  case H3D_H5_U64:
    return H5T_NATIVE_UINT64;
  case H3D_H5_F32:
    return H5T_NATIVE_FLOAT;
  case H3D_H5_F64:
    return H5T_NATIVE_DOUBLE;
  case H3D_H5_OTHER:
  case H3D_H5_TEXT:
    break;
  }
  return H5I_INVALID_HID;
}

hid_t
h3d_h5_stored(h3d_h5_type t)
{
  switch (t) {
  case H3D_H5_I8:
    return H5T_STD_I8LE;
  case H3D_H5_U8:
    return H5T_STD_U8LE;
  case H3D_H5_I16:
    return H5T_STD_I16LE;
  case H3D_H5_U16:
    return H5T_STD_U16LE;
  case H3D_H5_I32:
    return H5T_STD_I32LE;
  case H3D_H5_U32:
    return H5T_STD_U32LE;
  case H3D_H5_I64:
    return H5T_STD_I64LE;
  case H3D_H5_U64:
    return H5T_STD_U64LE;
  case H3D_H5_F32:
    return H5T_IEEE_F32LE;
  case H3D_H5_F64:
    return H5T_IEEE_F64LE;
  case H3D_H5_OTHER:
  case H3D_H5_TEXT:
    break;
  }
  return H5I_INVALID_HID;
}

h3d_h5_type
h3d_h5_type_of(hid_t type)
{
  H5T_class_t class = H5Tget_class(type);
  size_t size = H5Tget_size(type);

  if (class == H5T_STRING) {
    return H3D_H5_TEXT;
  }
  if (class != H5T_INTEGER && class != H5T_FLOAT) {
    return H3D_H5_OTHER;
  }
  for (h3d_h5_type t = H3D_H5_I8; t <= H3D_H5_F64; t++) {
    int is_signed = class == H5T_FLOAT || H5Tget_sign(type) == H5T_SGN_2;

    /* bfloat16 and half have 2 bytes and match nothing. */
    if (types[t].size == size && types[t].is_real == (class == H5T_FLOAT)
        && types[t].is_signed == is_signed) {
      return t;
    }
  }
  return H3D_H5_OTHER;
}

const char *
h3d_h5_library(void)
{
  static char text[64];
  unsigned major = 0, minor = 0, release = 0;

  h3d_h5_lock();
  H5get_libversion(&major, &minor, &release);
  h3d_h5_unlock();
  snprintf(text, sizeof text, "HDF5 %u.%u.%u", major, minor, release);
  return text;
}
