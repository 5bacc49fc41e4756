#include "config.h"

#include "base/mem.h"
#include "io/npy_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4 << 20 }; /* numbers read at once, at most */

static h3d_status
open_file(const char *path, h3d_npy **out)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  off_t length = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);

  *out = NULL;
  if (length < 0) {
    h3d_status st = h3d_fail(H3D_ERR_FILE, "%s: %s", path, strerror(errno));

    if (fd >= 0) {
      close(fd);
    }
    return st;
  }
  *out = h3d_new(1, sizeof **out);
  (*out)->fd = fd;
  (*out)->length = (int64_t)length;
  (*out)->path = h3d_strdup(path);
  return H3D_OK;
}

h3d_status
h3d_npy_open(const char *path, h3d_npy **out)
{
  h3d_status st = open_file(path, out);

  if (st == H3D_OK) {
    st = h3d_npy_parse(*out);
  }
  if (st != H3D_OK) {
    h3d_npy_close(out);
  }
  return st;
}

h3d_status
h3d_npy_open_raw(const char *path, const h3d_npy_raw *raw, h3d_npy **out)
{
  int64_t bytes;
  h3d_npy *f;
  h3d_status st;

  H3D_TRY(open_file(path, out));
  f = *out;
  f->type = raw->type;
  f->size = h3d_h5_type_size(raw->type);
  f->swap = f->size > 1 && h3d_npy_swaps(raw->little);
  f->ndims = raw->ndims;
  memcpy(f->shape, raw->shape, sizeof f->shape);
  f->offset = raw->offset;
  H3D_TRY(h3d_npy_bytes(f, &bytes));
  if (f->length != bytes + f->offset) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: has %" PRId64 " bytes, and the shape and type given "
                  "want %" PRId64 " after an offset of %" PRId64
                  "; correct the shape, the type or the offset",
                  path, f->length, bytes, f->offset);
  }
done:
  if (st != H3D_OK) {
    h3d_npy_close(out);
  }
  return st;
}

void
h3d_npy_close(h3d_npy **f)
{
  if (*f != NULL) {
    h3d_zip_close(&(*f)->zip);
    if ((*f)->fd >= 0) {
      close((*f)->fd);
    }
    h3d_free((*f)->path);
    h3d_free(*f);
    *f = NULL;
  }
}

h3d_h5_type
h3d_npy_type(const h3d_npy *f)
{
  return f->type;
}

int
h3d_npy_shape(const h3d_npy *f, const int64_t **shape)
{
  *shape = f->shape;
  return f->ndims;
}

static void
swap_bytes(unsigned char *at, int64_t n, size_t size)
{
  for (int64_t i = 0; i < n; i++, at += size) {
    for (size_t b = 0; b < size / 2; b++) {
      unsigned char kept = at[b];

      at[b] = at[size - 1 - b];
      at[size - 1 - b] = kept;
    }
  }
}

/* A read in the file's own axis order, fastest first. */
struct walk {
  const h3d_npy *f;
  int64_t start[H3D_H5_DIMS], count[H3D_H5_DIMS];
  int64_t in[H3D_H5_DIMS], out[H3D_H5_DIMS]; /* strides in numbers */
  int block;       /* so many axes are read at once */
  int64_t numbers; /* in a block */
  unsigned char *buffer;
  char *to;
};

static void
set_up_walk(struct walk *w, const int64_t *start, const int64_t *count)
{
  const h3d_npy *f = w->f;
  int64_t in = 1, full = 1;

  for (int k = 0; k < f->ndims; k++) {
    int a = f->fortran ? k : f->ndims - 1 - k;

    w->start[k] = start[a];
    w->count[k] = count[a];
    w->in[k] = in;
    in *= f->shape[a];
    w->out[k] = 1;
    for (int b = a + 1; b < f->ndims; b++) {
      w->out[k] *= count[b];
    }
  }
  w->numbers = 1;
  for (w->block = 0; w->block < f->ndims && full; w->block++) {
    int k = w->block;
    int a = f->fortran ? k : f->ndims - 1 - k;

    if (k > 0 && w->numbers * w->count[k] > BLOCK) {
      break;
    }
    w->numbers *= w->count[k];
    full = w->count[k] == f->shape[a];
  }
}

/* Lines of the block in the buffer to their places. */
static const unsigned char *
scatter(const struct walk *w, int k, const unsigned char *from, char *to)
{
  size_t size = w->f->size;

  if (k > 0) {
    for (int64_t i = 0; i < w->count[k]; i++) {
      from = scatter(w, k - 1, from, to + (size_t)(i * w->out[k]) * size);
    }
    return from;
  }
  for (int64_t i = 0; i < w->count[0]; i++) {
    memcpy(to + (size_t)(i * w->out[0]) * size, from, size);
    from += size;
  }
  return from;
}

h3d_status
h3d_npy_fetch(const h3d_npy *f, int64_t at, size_t n, void *out)
{
  if (f->zip != NULL) {
    return h3d_zip_read(f->zip, at, (int64_t)n, out);
  }
  for (size_t got = 0; got < n;) {
    ssize_t m
      = pread(f->fd, (char *)out + got, n - got, (off_t)at + (off_t)got);

    if (m <= 0) {
      return h3d_fail(H3D_ERR_FILE, "%s: cannot be read at byte %lld (%s)",
                      f->path, (long long)at,
                      m == 0 ? "the file has shrunk" : strerror(errno));
    }
    got += (size_t)m;
  }
  return H3D_OK;
}

static h3d_status
read_block(struct walk *w, int64_t at, char *to)
{
  const h3d_npy *f = w->f;
  size_t bytes = (size_t)w->numbers * f->size;
  h3d_status st
    = h3d_npy_fetch(f, f->offset + at * (int64_t)f->size, bytes, w->buffer);

  if (st != H3D_OK) {
    return st;
  }
  if (f->swap) {
    swap_bytes(w->buffer, w->numbers, f->size);
  }
  if (w->block == 0) {
    memcpy(to, w->buffer, f->size);
  } else {
    scatter(w, w->block - 1, w->buffer, to);
  }
  return H3D_OK;
}

/* Slowest axis first, down to those of a block. */
static h3d_status
descend(struct walk *w, int k, int64_t at, char *to)
{
  h3d_status st = H3D_OK;

  if (k < w->block) {
    for (int b = 0; b < w->block; b++) {
      at += w->start[b] * w->in[b];
    }
    return read_block(w, at, to);
  }
  for (int64_t i = 0; i < w->count[k] && st == H3D_OK; i++) {
    st = descend(w, k - 1, at + (w->start[k] + i) * w->in[k],
                 to + (size_t)(i * w->out[k]) * w->f->size);
  }
  return st;
}

h3d_status
h3d_npy_read(const h3d_npy *f, const int64_t *start, const int64_t *count,
             void *out)
{
  struct walk w = { .f = f };
  h3d_status st;

  for (int a = 0; a < f->ndims; a++) {
    if (start[a] < 0 || count[a] < 0 || start[a] > f->shape[a] - count[a]) {
      return h3d_fail(H3D_ERR_SHAPE,
                      "%s: %" PRId64 " to %" PRId64
                      " is not in extent %" PRId64 " of axis %d",
                      f->path, start[a], start[a] + count[a], f->shape[a], a);
    }
    if (count[a] == 0) {
      return H3D_OK;
    }
  }
  set_up_walk(&w, start, count);
  st = h3d_alloc((size_t)w.numbers, f->size, (void **)&w.buffer);
  if (st == H3D_OK) {
    st = descend(&w, f->ndims - 1, 0, out);
  }
  h3d_free(w.buffer);
  return st;
}
