#include "config.h"

#include "io/zip.h"

#include "base/check.h"
#include "base/mem.h"
#include "io/zip_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, HEAD = 30, STORED = 0, DEFLATED = 8 };

h3d_status
h3d_zip_fetch(const h3d_zip *z, int64_t at, size_t n, void *out)
{
  for (size_t got = 0; got < n;) {
    ssize_t m
      = pread(z->fd, (char *)out + got, n - got, (off_t)at + (off_t)got);

    if (m < 0 && errno == EINTR) {
      continue;
    }
    if (m <= 0) {
      return h3d_fail(H3D_ERR_FILE,
                      "%s: cannot be read at byte %" PRId64 " (%s)", z->path,
                      at, m == 0 ? "the file has shrunk" : strerror(errno));
    }
    got += (size_t)m;
  }
  return H3D_OK;
}

h3d_status
h3d_zip_open(const char *path, h3d_zip **out)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat about;
  h3d_zip *z;
  h3d_status st;

  *out = NULL;
  if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    st = h3d_fail(H3D_ERR_FILE, "%s: %s, wanted is a zip archive", path,
                  fd < 0 ? strerror(errno) : "no plain file");
    if (fd >= 0) {
      close(fd);
    }
    return st;
  }
  *out = z = h3d_new(1, sizeof *z);
  z->fd = fd;
  z->path = h3d_strdup(path);
  z->length = (int64_t)about.st_size;
  st = h3d_zip_parse(z);
  if (st != H3D_OK) {
    h3d_zip_close(out);
  }
  return st;
}

static void
stop(h3d_zip *z)
{
  if (z->is_streaming) {
    inflateEnd(&z->stream);
  }
  z->is_streaming = 0;
}

void
h3d_zip_close(h3d_zip **zip)
{
  h3d_zip *z = *zip;

  if (z == NULL) {
    return;
  }
  stop(z);
  for (int64_t i = 0; i < z->members; i++) {
    h3d_free(z->member[i].name);
  }
  h3d_free(z->member);
  h3d_free(z->in);
  h3d_free(z->skip);
  close(z->fd);
  h3d_free(z->path);
  h3d_free(z);
  *zip = NULL;
}

int64_t
h3d_zip_members(const h3d_zip *z)
{
  return z->members;
}

const char *
h3d_zip_name(const h3d_zip *z, int64_t i)
{
  return z->member[i].name;
}

h3d_status
h3d_zip_choose(h3d_zip *z, int64_t i, int64_t *bytes)
{
  const h3d_zip_member *m = &z->member[i];
  unsigned char head[HEAD];
  h3d_status st;

  stop(z);
  z->now = NULL;
  if ((m->flags & 1) != 0 || (m->method != STORED && m->method != DEFLATED)) {
    return h3d_fail(
      H3D_ERR_FILE,
      "%s: %s is %s (method %d); stored and deflated members "
      "are read, as numpy.savez makes them",
      z->path, m->name,
      (m->flags & 1) != 0 ? "encrypted" : "packed in another way", m->method);
  }
  H3D_TRY(h3d_zip_fetch(z, m->head, sizeof head, head));
  /* The name and the extra field may differ from the directory's. */
  z->data
    = m->head + HEAD + head[26] + 256 * head[27] + head[28] + 256 * head[29];
  if (memcmp(head, "PK\3\4", 4) != 0 || z->data > z->length
      || m->packed > z->length - z->data
      || (m->method == STORED && m->packed != m->bytes)) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: %s is not where the directory says; the archive is "
                  "damaged",
                  z->path, m->name);
    goto done;
  }
  z->now = m;
  z->summed = 0;
  z->sum = crc32(0, NULL, 0);
  *bytes = m->bytes;
done:
  return st;
}

static h3d_status
begin_stream(h3d_zip *z)
{
  stop(z);
  memset(&z->stream, 0, sizeof z->stream);
  if (z->in == NULL) {
    z->in = h3d_new(BUFFER, 1);
    z->skip = h3d_new(BUFFER, 1);
  }
  /* Negative: raw deflate, without zlib's own head. */
  if (inflateInit2(&z->stream, -MAX_WBITS) != Z_OK) {
    return h3d_fail(H3D_ERR_MEMORY, "%s: zlib has no memory to unpack %s",
                    z->path, z->now->name);
  }
  z->is_streaming = 1;
  z->at = z->taken = 0;
  return H3D_OK;
}

/* The next n bytes of the stream. */
static h3d_status
unpack(h3d_zip *z, size_t n, unsigned char *out)
{
  z_stream *s = &z->stream;

  s->next_out = out;
  s->avail_out = (uInt)n;
  while (s->avail_out > 0) {
    int rc;

    if (s->avail_in == 0 && z->taken < z->now->packed) {
      int64_t left = z->now->packed - z->taken;
      size_t take = left < BUFFER ? (size_t)left : BUFFER;
      h3d_status st = h3d_zip_fetch(z, z->data + z->taken, take, z->in);

      if (st != H3D_OK) {
        return st;
      }
      s->next_in = z->in;
      s->avail_in = (uInt)take;
      z->taken += (int64_t)take;
    }
    rc = inflate(s, Z_NO_FLUSH);
    if (rc != Z_OK && !(rc == Z_STREAM_END && s->avail_out == 0)) {
      return h3d_fail(H3D_ERR_FILE,
                      "%s: %s cannot be unpacked (zlib: %s); the archive is "
                      "damaged",
                      z->path, z->now->name,
                      s->msg != NULL ? s->msg : "it ends too early");
    }
  }
  z->at += (int64_t)n;
  return H3D_OK;
}

/* What was read, so far as it follows what is summed already. */
static h3d_status
sum_up(h3d_zip *z, int64_t at, size_t n, const unsigned char *bytes)
{
  int64_t end = at + (int64_t)n;

  if (at > z->summed || end <= z->summed) {
    return H3D_OK;
  }
  z->sum
    = crc32_z(z->sum, bytes + (z->summed - at), (size_t)(end - z->summed));
  z->summed = end;
  if (end == z->now->bytes && (uint32_t)z->sum != z->now->crc) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: %s has checksum %08lx, wanted is %08" PRIx32
                    "; the archive is damaged",
                    z->path, z->now->name, z->sum, z->now->crc);
  }
  return H3D_OK;
}

static h3d_status
read_some(h3d_zip *z, int64_t at, size_t n, unsigned char *out)
{
  h3d_status st = H3D_OK;

  if (z->now->method == STORED) {
    H3D_TRY(h3d_zip_fetch(z, z->data + at, n, out));
  } else {
    if (!z->is_streaming || at < z->at) {
      H3D_TRY(begin_stream(z));
    }
    while (z->at < at) {
      int64_t from = z->at, left = at - from;
      size_t m = left < BUFFER ? (size_t)left : BUFFER;

      H3D_TRY(unpack(z, m, z->skip));
      H3D_TRY(sum_up(z, from, m, z->skip));
    }
    H3D_TRY(unpack(z, n, out));
  }
  st = sum_up(z, at, n, out);
done:
  return st;
}

h3d_status
h3d_zip_read(h3d_zip *z, int64_t at, int64_t n, void *out)
{
  enum { MOST = 1 << 30 }; /* zlib counts in int */
  unsigned char *to = out;
  h3d_status st = H3D_OK;

  H3D_ASSERT(z->now != NULL);
  if (at < 0 || n < 0 || at > z->now->bytes - n) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: %s has %" PRId64 " bytes, wanted are %" PRId64
                    " from byte %" PRId64 " on; it is truncated",
                    z->path, z->now->name, z->now->bytes, n, at);
  }
  while (n > 0 && st == H3D_OK) {
    size_t m = n < MOST ? (size_t)n : MOST;

    st = read_some(z, at, m, to);
    at += (int64_t)m;
    n -= (int64_t)m;
    to += m;
  }
  return st;
}
