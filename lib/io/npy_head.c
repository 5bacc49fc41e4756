#include "config.h"

#include "base/mem.h"
#include "io/npy_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MOST = 1 << 20 };

static const struct {
  const char *code;
  h3d_h5_type type;
} codes[] = {
  { "b1", H3D_H5_U8 },  { "i1", H3D_H5_I8 },  { "u1", H3D_H5_U8 },
  { "i2", H3D_H5_I16 }, { "u2", H3D_H5_U16 }, { "i4", H3D_H5_I32 },
  { "u4", H3D_H5_U32 }, { "i8", H3D_H5_I64 }, { "u8", H3D_H5_U64 },
  { "f4", H3D_H5_F32 }, { "f8", H3D_H5_F64 },
};

int
h3d_npy_swaps(int little)
{
  const uint16_t one = 1;

  return little != (*(const unsigned char *)&one == 1);
}

/* What follows 'KEY': in the header's dict, or NULL. */
static const char *
find_key(const char *dict, const char *key)
{
  const char *at = strstr(dict, key);

  if (at == NULL) {
    return NULL;
  }
  at += strlen(key);
  at += strspn(at, " ");
  if (*at != ':') {
    return NULL;
  }
  at++;
  return at + strspn(at, " ");
}

static h3d_status
parse_type(h3d_npy *f, const char *dict)
{
  const char *at = find_key(dict, "'descr'");
  size_t n = at == NULL || *at != '\'' ? 0 : strcspn(at + 1, "'");

  for (size_t i = 0; n == 3 && i < sizeof codes / sizeof codes[0]; i++) {
    if (strncmp(at + 2, codes[i].code, 2) == 0
        && strchr("<>|=", at[1]) != NULL) {
      f->type = codes[i].type;
      f->size = h3d_h5_type_size(f->type);
      f->swap = f->size > 1 && (at[1] == '<' || at[1] == '>')
                && h3d_npy_swaps(at[1] == '<');
      return H3D_OK;
    }
  }
  return h3d_fail(H3D_ERR_FILE,
                  "%s: its type %.*s is not read; save it as bool, integers, "
                  "float32 or float64",
                  f->path, at == NULL ? 0 : (int)strcspn(at, ",]}"),
                  at == NULL ? "" : at);
}

static h3d_status
parse_shape(h3d_npy *f, const char *dict)
{
  const char *at = find_key(dict, "'shape'");

  if (at == NULL || *at != '(') {
    return h3d_fail(H3D_ERR_FILE, "%s: no shape in its header", f->path);
  }
  at++;
  for (;;) {
    char *end;
    long long n;

    at += strspn(at, " ,");
    if (*at == ')') {
      return H3D_OK;
    }
    errno = 0;
    n = strtoll(at, &end, 10);
    if (end == at || n < 0 || errno != 0) {
      return h3d_fail(H3D_ERR_FILE, "%s: its shape cannot be read", f->path);
    }
    if (f->ndims == H3D_H5_DIMS) {
      return h3d_fail(H3D_ERR_FILE, "%s: more than %d axes", f->path,
                      (int)H3D_H5_DIMS);
    }
    f->shape[f->ndims++] = n;
    at = end;
  }
}

h3d_status
h3d_npy_bytes(const h3d_npy *f, int64_t *bytes)
{
  *bytes = (int64_t)f->size;
  for (int a = 0; a < f->ndims; a++) {
    if (f->shape[a] > 0 && *bytes > INT64_MAX / f->shape[a]) {
      return h3d_fail(H3D_ERR_FILE, "%s: its shape has more than 2^63 bytes",
                      f->path);
    }
    *bytes *= f->shape[a];
  }
  return H3D_OK;
}

static h3d_status
check_length(const h3d_npy *f)
{
  int64_t want;
  h3d_status st = h3d_npy_bytes(f, &want);

  if (st == H3D_OK && f->length - f->offset != want) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: %" PRId64 " bytes follow its header, its array has "
                  "%" PRId64 "; the file is %s",
                  f->path, f->length - f->offset, want,
                  f->length - f->offset < want ? "truncated" : "damaged");
  }
  return st;
}

h3d_status
h3d_npy_parse(h3d_npy *f)
{
  unsigned char fixed[12] = { 0 };
  size_t lead, n;
  char *dict = NULL;
  const char *order;
  h3d_status st;

  if (f->length >= (int64_t)sizeof fixed) {
    H3D_TRY(h3d_npy_fetch(f, 0, sizeof fixed, fixed));
  }
  if (memcmp(fixed, "\223NUMPY", 6) != 0 || fixed[6] < 1 || fixed[6] > 3) {
    return h3d_fail(H3D_ERR_FILE, "%s: not a .npy file of version 1 to 3",
                    f->path);
  }
  lead = fixed[6] == 1 ? 10 : 12;
  n = fixed[8] + ((size_t)fixed[9] << 8);
  if (lead == 12) {
    n += ((size_t)fixed[10] << 16) + ((size_t)fixed[11] << 24);
  }
  if (n > HEAD_MOST) {
    return h3d_fail(H3D_ERR_FILE, "%s: a header of %zu bytes is no header",
                    f->path, n);
  }
  f->offset = (int64_t)(lead + n);
  dict = h3d_new(n + 1, 1);
  if (f->offset > f->length) {
    st = h3d_fail(H3D_ERR_FILE, "%s: truncated in its header", f->path);
    goto done;
  }
  H3D_TRY(h3d_npy_fetch(f, (int64_t)lead, n, dict));
  order = find_key(dict, "'fortran_order'");
  f->fortran = order != NULL && strncmp(order, "True", 4) == 0;
  H3D_TRY(parse_type(f, dict));
  H3D_TRY(parse_shape(f, dict));
  st = check_length(f);
done:
  h3d_free(dict);
  return st;
}
