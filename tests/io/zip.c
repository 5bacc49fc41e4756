/* Archives of arrays: stored, deflated, 64-bit; every box; refusals. */
#include "config.h"

#include "base/mem.h"
#include "io/npy.h"
#include "io/zip.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

TAP_RANKS("1")

static const char path[] = "test-io-zip.npz";
enum { N = 40, M = 30, BYTES = 128 + 4 * N * M };

static int32_t numbers[N][M];

/* An archive under way. */
struct archive {
  FILE *f;
  unsigned char directory[1024];
  size_t used, entries;
};

static void
put(unsigned char **at, uint64_t n, int bytes)
{
  for (int b = 0; b < bytes; b++) {
    *(*at)++ = (unsigned char)(b < 8 ? n >> 8 * b : 0);
  }
}

static void
put_text(unsigned char **at, const char *text)
{
  memcpy(*at, text, strlen(text));
  *at += strlen(text);
}

static size_t
deflated(const unsigned char *in, size_t n, unsigned char *out, size_t room)
{
  z_stream s = { 0 };

  deflateInit2(&s, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  s.next_in = (unsigned char *)(uintptr_t)in;
  s.avail_in = (uInt)n;
  s.next_out = out;
  s.avail_out = (uInt)room;
  deflate(&s, Z_FINISH);
  deflateEnd(&s);
  return s.total_out;
}

/* As numpy does it, and with wide numbers as zip64 has them. */
static void
add(struct archive *a, const char *name, int method, int flags, int wide,
    const void *bytes, size_t n)
{
  unsigned char head[256], packed[2 * BYTES], *at = head;
  size_t length = method == 8 ? deflated(bytes, n, packed, sizeof packed) : n;
  uint64_t from = (uint64_t)ftell(a->f), crc = crc32(0, bytes, (uInt)n);
  const uint64_t all = 0xffffffff;

  put(&at, 0x04034b50, 4);
  put(&at, 45, 2);
  put(&at, (uint64_t)flags, 2);
  put(&at, (uint64_t)method, 2);
  put(&at, 0, 4);
  put(&at, crc, 4);
  put(&at, wide ? all : length, 4);
  put(&at, wide ? all : n, 4);
  put(&at, strlen(name), 2);
  put(&at, 5, 2); /* an extra field that the directory lacks */
  put_text(&at, name);
  put(&at, 0x9999, 2);
  put(&at, 1, 3);
  fwrite(head, 1, (size_t)(at - head), a->f);
  fwrite(method == 8 ? packed : bytes, 1, length, a->f);
  at = a->directory + a->used;
  put(&at, 0x02014b50, 4);
  put(&at, 45, 2);
  put(&at, 45, 2);
  put(&at, (uint64_t)flags, 2);
  put(&at, (uint64_t)method, 2);
  put(&at, 0, 4);
  put(&at, crc, 4);
  put(&at, wide ? all : length, 4);
  put(&at, wide ? all : n, 4);
  put(&at, strlen(name), 2);
  put(&at, wide ? 28 : 0, 2);
  put(&at, 0, 10);
  put(&at, wide ? all : from, 4);
  put_text(&at, name);
  if (wide) {
    put(&at, 1, 2);
    put(&at, 24, 2);
    put(&at, n, 8);
    put(&at, length, 8);
    put(&at, from, 8);
  }
  a->used = (size_t)(at - a->directory);
  a->entries++;
}

static struct archive
begin(void)
{
  struct archive a = { .f = fopen(path, "wb") };

  return a;
}

static void
end(struct archive *a, int wide)
{
  unsigned char tail[256], *at = tail;
  uint64_t from = (uint64_t)ftell(a->f);

  fwrite(a->directory, 1, a->used, a->f);
  if (wide) {
    put(&at, 0x06064b50, 4);
    put(&at, 44, 8);
    put(&at, 45, 4);
    put(&at, 0, 8);
    put(&at, a->entries, 8);
    put(&at, a->entries, 8);
    put(&at, a->used, 8);
    put(&at, from, 8);
    put(&at, 0x07064b50, 4);
    put(&at, 0, 4);
    put(&at, from + a->used, 8);
    put(&at, 1, 4);
  }
  put(&at, 0x06054b50, 4);
  put(&at, 0, 4);
  put(&at, wide ? 0xffff : a->entries, 2);
  put(&at, wide ? 0xffff : a->entries, 2);
  put(&at, wide ? 0xffffffff : a->used, 4);
  put(&at, wide ? 0xffffffff : from, 4);
  put(&at, 9, 2);
  put_text(&at, "a comment");
  fwrite(tail, 1, (size_t)(at - tail), a->f);
  fclose(a->f);
}

/* The array as a .npy file in memory. */
static void
make(unsigned char npy[BYTES])
{
  const int64_t shape[2] = { N, M };
  FILE *f;

  for (int i = 0; i < N * M; i++) {
    numbers[i / M][i % M] = i * 1000003;
  }
  h3d_npy_write(path, H3D_H5_I32, 2, shape, numbers);
  f = fopen(path, "rb");
  ok(f != NULL && fread(npy, 1, BYTES, f) == BYTES && getc(f) == EOF,
     "an array of %d bytes", BYTES);
  fclose(f);
}

static int
box_is_right(const h3d_npy *f, int64_t row, int64_t rows, int64_t col,
             int64_t cols)
{
  const int64_t start[2] = { row, col }, count[2] = { rows, cols };
  int32_t got[N * M];
  int right = h3d_npy_read(f, start, count, got) == H3D_OK;

  for (int64_t i = 0; right && i < rows * cols; i++) {
    right = got[i] == numbers[row + i / cols][col + i % cols];
  }
  return right;
}

static void
test_boxes(const unsigned char *npy, int method, int wide)
{
  struct archive a = begin();
  int right = 1, opened;
  h3d_npy *f;

  add(&a, "other.txt", 0, 0, wide, "no array", 8);
  add(&a, "density.npy", method, 0, wide, npy, BYTES);
  end(&a, wide);
  opened = h3d_npz_open(path, NULL, &f) == H3D_OK;
  ok(opened && h3d_npy_type(f) == H3D_H5_I32, "method %d, wide %d: opened",
     method, wide);
  for (int64_t row = N - 1; opened && row >= 0; row -= 3) {
    right = right && box_is_right(f, row, N - row, row % M, M - row % M)
            && box_is_right(f, 0, row + 1, 0, M);
  }
  ok(opened && right, "boxes, forwards and backwards");
  h3d_npy_close(&f);
}

static void
refuse(const char *name, const char *words)
{
  h3d_npy *f = NULL;
  h3d_status st = h3d_npz_open(path, name, &f);

  if (st == H3D_OK) {
    st = box_is_right(f, 0, N, 0, M) ? H3D_OK : H3D_ERR_FILE;
    h3d_npy_close(&f);
  }
  ok(st == H3D_ERR_FILE && strstr(h3d_why(), words) != NULL
       && strstr(h3d_why(), path) != NULL,
     "%s", h3d_why());
}

static void
test_choice(const unsigned char *npy)
{
  struct archive a = begin();
  h3d_npy *f;

  add(&a, "a.npy", 0, 0, 0, npy, BYTES);
  add(&a, "b.npy", 8, 0, 0, npy, BYTES);
  add(&a, "c.npy", 12, 0, 0, npy, BYTES);
  add(&a, "d.npy", 0, 1, 0, npy, BYTES);
  end(&a, 0);
  ok(h3d_npz_open(path, "b", &f) == H3D_OK && box_is_right(f, 1, 2, 3, 4),
     "an array by name");
  h3d_npy_close(&f);
  ok(h3d_npz_open(path, "a.npy", &f) == H3D_OK && box_is_right(f, 1, 2, 3, 4),
     "and by its file's name");
  h3d_npy_close(&f);
  refuse(NULL, "a, b, c, d");
  refuse("e", "it holds a, b");
  refuse("c", "method 12");
  refuse("d", "encrypted");
}

/* One byte of the archive becomes another. */
static void
flip(long at)
{
  FILE *f = fopen(path, "r+b");
  int c;

  fseek(f, at, SEEK_SET);
  c = getc(f);
  fseek(f, at, SEEK_SET);
  putc(c ^ 0x10, f);
  fclose(f);
}

static void
test_damage(const unsigned char *npy)
{
  static const int methods[] = { 0, 8 };
  h3d_zip *z;

  for (int k = 0; k < 2; k++) {
    struct archive a = begin();

    add(&a, "x.npy", methods[k], 0, 0, npy, BYTES);
    end(&a, 0);
    flip(1500);
    refuse(NULL, "damaged");
    flip(1500);
    flip(0);
    refuse(NULL, "not where the directory says");
    flip(0);
    ok(truncate(path, 1500) == 0, "cut");
    refuse(NULL, "truncated");
  }
  ok(truncate(path, 0) == 0, "cut to nothing");
  refuse(NULL, "truncated");
  unlink(path);
  refuse(NULL, "No such file");
  ok(h3d_zip_open(".", &z) == H3D_ERR_FILE && z == NULL, "%s", h3d_why());
}

void
tap_main(void)
{
  unsigned char npy[BYTES];
  const size_t blocks = h3d_mem_count();

  make(npy);
  test_boxes(npy, 0, 0);
  test_boxes(npy, 8, 0);
  test_boxes(npy, 0, 1);
  test_boxes(npy, 8, 1);
  test_choice(npy);
  test_damage(npy);
  ok(h3d_mem_count() == blocks, "no memory is left");
}
