#include "config.h"

#include "base/check.h"
#include "io/npy.h"
#include "io/publish.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* bool never appears: it was read as uint8. */
static const char *
code_of(h3d_h5_type type)
{
  static const char *const codes[] = {
    [H3D_H5_I8] = "i1",  [H3D_H5_U8] = "u1",  [H3D_H5_I16] = "i2",
    [H3D_H5_U16] = "u2", [H3D_H5_I32] = "i4", [H3D_H5_U32] = "u4",
    [H3D_H5_I64] = "i8", [H3D_H5_U64] = "u8", [H3D_H5_F32] = "f4",
    [H3D_H5_F64] = "f8",
  };

  H3D_ASSERT(h3d_h5_type_size(type) > 0);
  return codes[type];
}

static char
byte_order(h3d_h5_type type)
{
  const uint16_t one = 1;

  return h3d_h5_type_size(type) == 1         ? '|'
         : *(const unsigned char *)&one == 1 ? '<'
                                             : '>';
}

h3d_status
h3d_npy_write(const char *path, h3d_h5_type type, int ndims,
              const int64_t *shape, const void *data)
{
  char head[512], axes[256] = "";
  size_t n = 0, numbers = 1, length;
  unsigned char fixed[10] = "\223NUMPY\1\0";
  FILE *f;
  h3d_status st;

  for (int a = 0; a < ndims; a++) {
    n += (size_t)snprintf(axes + n, sizeof axes - n, "%" PRId64 ",%s",
                          shape[a], a + 1 < ndims ? " " : "");
    numbers *= (size_t)shape[a];
  }
  n = (size_t)snprintf(head, sizeof head,
                       "{'descr': '%c%s', 'fortran_order': False, "
                       "'shape': (%s), }",
                       byte_order(type), code_of(type), axes);
  /* The data begin at a multiple of 64, for those who map the file. */
  length = (10 + n + 1 + 63) / 64 * 64 - 10;
  memset(head + n, ' ', length - n);
  head[length - 1] = '\n';
  fixed[8] = (unsigned char)(length & 255);
  fixed[9] = (unsigned char)(length >> 8);
  st = h3d_text_create(path, &f);
  if (st == H3D_OK) {
    /* Failures stay in the stream: h3d_text_publish looks. */
    fwrite(fixed, 1, sizeof fixed, f);
    fwrite(head, 1, length, f);
    fwrite(data, h3d_h5_type_size(type), numbers, f);
    st = h3d_text_publish(path, &f, 0);
  }
  return st;
}
