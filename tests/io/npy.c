/* NumPy's arrays: every type, both orders, any box. */
#include "config.h"

#include "base/mem.h"
#include "io/npy.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

TAP_RANKS("1")

static const char path[] = "test-io-npy.npy";
enum { A = 4, B = 3, C = 5, N = A * B * C };

/* A file by hand: the header's dict, then size bytes per number, big-endian
 * or little, first index fastest for Fortran.  Numbers are i, or i - 1 if the
 * type is signed.
 */
static void
write_by_hand(int version, const char *descr, int is_fortran, size_t length)
{
  char dict[256];
  size_t lead = version == 1 ? 10 : 12;
  unsigned char head[12] = "\223NUMPY";
  int n = snprintf(dict, sizeof dict,
                   "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d, "
                   "%d), }",
                   descr, is_fortran ? "True" : "False", A, B, C);
  size_t room = (lead + (size_t)n + 1 + 63) / 64 * 64 - lead;
  FILE *f = fopen(path, "wb");

  head[6] = (unsigned char)version;
  head[8] = (unsigned char)room;
  fwrite(head, 1, lead, f);
  fprintf(f, "%-*s\n", (int)room - 1, dict);
  for (int i = 0; i < N; i++) {
    unsigned char le[8] = { 0 }, be[8];
    size_t size = (size_t)(descr[2] - '0');
    int64_t v = descr[1] == 'i' ? i - 1 : i;
    float f4 = (float)v;
    double f8 = (double)v;

    memcpy(le, &v, 8);
    if (descr[1] == 'f') {
      memcpy(le, size == 4 ? (void *)&f4 : (void *)&f8, size);
    } else if (descr[1] == 'b') {
      le[0] = i % 2;
    }
    for (size_t b = 0; b < size; b++) {
      be[b] = le[size - 1 - b];
    }
    if ((size_t)i < length) {
      fwrite(descr[0] == '>' ? be : le, 1, size, f);
    }
  }
  fclose(f);
}

static double
number(h3d_h5_type type, const void *at, int64_t i)
{
  switch (type) {
  case H3D_H5_I8:
    return ((const int8_t *)at)[i];
  case H3D_H5_U8:
    return ((const uint8_t *)at)[i];
  case H3D_H5_I16:
    return ((const int16_t *)at)[i];
  case H3D_H5_U16:
    return ((const uint16_t *)at)[i];
  case H3D_H5_I32:
    return ((const int32_t *)at)[i];
  case H3D_H5_U32:
    return ((const uint32_t *)at)[i];
  case H3D_H5_I64:
    return (double)((const int64_t *)at)[i];
  case H3D_H5_U64:
    return (double)((const uint64_t *)at)[i];
  case H3D_H5_F32:
    return ((const float *)at)[i];
  case H3D_H5_F64:
    return ((const double *)at)[i];
  case H3D_H5_OTHER:
  case H3D_H5_TEXT:
    break;
  }
  return -100;
}

static int
box_is_right(const h3d_npy *f, const char *descr, int is_fortran,
             const int64_t *start, const int64_t *count)
{
  double room[N]; /* the widest type */
  int right = h3d_npy_read(f, start, count, room) == H3D_OK;
  int64_t at = 0;

  for (int64_t a = start[0]; a < start[0] + count[0]; a++) {
    for (int64_t b = start[1]; b < start[1] + count[1]; b++) {
      for (int64_t c = start[2]; c < start[2] + count[2]; c++, at++) {
        int64_t i = is_fortran ? (c * B + b) * A + a : (a * B + b) * C + c;
        int64_t want = descr[1] == 'b' ? i % 2 : descr[1] == 'i' ? i - 1 : i;

        right = right && number(h3d_npy_type(f), room, at) == (double)want;
      }
    }
  }
  return right;
}

static void
test_type(int version, const char *descr, int is_fortran)
{
  const int64_t *shape;
  int right = 1, opened;
  h3d_npy *f;

  write_by_hand(version, descr, is_fortran, N);
  opened = h3d_npy_open(path, &f) == H3D_OK && h3d_npy_shape(f, &shape) == 3
           && shape[0] == A && shape[1] == B && shape[2] == C;
  ok(opened, "version %d, %s, fortran_order %d: shape", version, descr,
     is_fortran);
  for (int64_t s = 0; opened && s < A * B * C; s++) {
    const int64_t start[3] = { s / (B * C), s / C % B, s % C };

    for (int64_t e = 0; e < A * B * C; e++) {
      const int64_t count[3] = { e / (B * C) + 1, e / C % B + 1, e % C + 1 };

      if (start[0] + count[0] <= A && start[1] + count[1] <= B
          && start[2] + count[2] <= C) {
        right = right && box_is_right(f, descr, is_fortran, start, count);
      }
    }
  }
  ok(opened && right, "all boxes are right");
  h3d_npy_close(&f);
}

static void
test_round_trip(void)
{
  const int64_t shape[3] = { A, B, C }, zero[3] = { 0 }, one[1] = { 2 };
  int32_t data[N], back[N];
  const int64_t *got;
  h3d_npy *f;

  for (int i = 0; i < N; i++) {
    data[i] = i * 1000003;
  }
  ok(h3d_npy_write(path, H3D_H5_I32, 3, shape, data) == H3D_OK
       && h3d_npy_open(path, &f) == H3D_OK && h3d_npy_type(f) == H3D_H5_I32
       && h3d_npy_read(f, zero, shape, back) == H3D_OK
       && memcmp(data, back, sizeof data) == 0,
     "what is written is read");
  h3d_npy_close(&f);
  ok(h3d_npy_write(path, H3D_H5_I32, 1, one, data) == H3D_OK
       && h3d_npy_open(path, &f) == H3D_OK && h3d_npy_shape(f, &got) == 1
       && got[0] == 2,
     "one axis too");
  h3d_npy_close(&f);
}

static void
refuse(const char *words)
{
  h3d_npy *f = NULL;

  ok(h3d_npy_open(path, &f) == H3D_ERR_FILE && f == NULL
       && strstr(h3d_why(), words) != NULL && strstr(h3d_why(), path) != NULL,
     "%s", h3d_why());
}

static void
test_refusals(void)
{
  const int64_t start[3] = { 2, 0, 0 }, count[3] = { 3, 1, 1 };
  int64_t out[N];
  h3d_npy *f;
  FILE *junk;

  write_by_hand(1, "<i2", 0, N - 1);
  refuse("truncated");
  write_by_hand(1, "<c8", 0, N);
  refuse("not read");
  write_by_hand(1, "|O8", 0, N);
  refuse("not read");
  write_by_hand(1, "<f2", 0, N);
  refuse("not read");
  junk = fopen(path, "w");
  fputs("no array at all, whatever its name", junk);
  fclose(junk);
  refuse("not a .npy");
  write_by_hand(1, "<i2", 0, N);
  h3d_npy_open(path, &f);
  ok(h3d_npy_read(f, start, count, out) == H3D_ERR_SHAPE, "%s", h3d_why());
  h3d_npy_close(&f);
  unlink(path);
  refuse("No such file");
}

void
tap_main(void)
{
  static const char *const types[]
    = { "|b1", "|i1", "|u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4",
        ">u4", "<i8", ">i8", "<u8", "<f4", ">f4", "<f8", ">f8", NULL };
  const size_t blocks = h3d_mem_count();

  for (const char *const *t = types; *t != NULL; t++) {
    test_type(1, *t, 0);
    test_type(1, *t, 1);
  }
  test_type(2, "<i2", 0);
  test_type(3, ">f4", 1);
  test_round_trip();
  test_refusals();
  ok(h3d_mem_count() == blocks, "no memory is left");
}
