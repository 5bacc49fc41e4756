/* The directory of a zip archive. */
#include "config.h"

#include "base/mem.h"
#include "io/zip_impl.h"

#include <string.h>

/* Lengths of the fixed parts of records, and the longest comment. */
enum { END = 22, END64 = 56, LOCATOR = 20, ENTRY = 46, COMMENT = 65535 };

static uint64_t
number(const unsigned char *at, int bytes)
{
  uint64_t n = 0;

  for (int b = bytes; b-- > 0;) {
    n = n << 8 | at[b];
  }
  return n;
}

static h3d_status
damaged(const h3d_zip *z, const char *what)
{
  return h3d_fail(H3D_ERR_FILE,
                  "%s: %s; the archive is truncated or damaged, copy or make "
                  "it again",
                  z->path, what);
}

/* Where the directory is, and how many entries it has. */
struct end {
  uint64_t entries, bytes, at;
};

static h3d_status
read_end64(const h3d_zip *z, int64_t at, struct end *e)
{
  unsigned char locator[LOCATOR], end[END64];
  uint64_t from;
  h3d_status st;

  if (at < LOCATOR) {
    return damaged(z, "no 64-bit end of its directory");
  }
  H3D_TRY(h3d_zip_fetch(z, at - LOCATOR, sizeof locator, locator));
  from = number(locator + 8, 8);
  if (memcmp(locator, "PK\6\7", 4) != 0 || z->length < END64
      || from > (uint64_t)(z->length - END64)) {
    st = damaged(z, "no 64-bit end of its directory");
    goto done;
  }
  H3D_TRY(h3d_zip_fetch(z, (int64_t)from, sizeof end, end));
  if (memcmp(end, "PK\6\6", 4) != 0) {
    st = damaged(z, "no 64-bit end of its directory");
    goto done;
  }
  e->entries = number(end + 32, 8);
  e->bytes = number(end + 40, 8);
  e->at = number(end + 48, 8);
done:
  return st;
}

/* The end stands at the file's end, before a comment of unknown length. */
static h3d_status
find_end(const h3d_zip *z, struct end *e)
{
  int64_t most = z->length < END + COMMENT ? z->length : END + COMMENT;
  unsigned char *tail = h3d_new((size_t)most + 1, 1);
  int64_t at = most - END;
  h3d_status st;

  H3D_TRY(h3d_zip_fetch(z, z->length - most, (size_t)most, tail));
  while (at >= 0
         && (memcmp(tail + at, "PK\5\6", 4) != 0
             || number(tail + at + 20, 2) != (uint64_t)(most - END - at))) {
    at--;
  }
  if (at < 0) {
    st = damaged(z, "no end of a zip archive's directory in it");
    goto done;
  }
  e->entries = number(tail + at + 10, 2);
  e->bytes = number(tail + at + 12, 4);
  e->at = number(tail + at + 16, 4);
  if (number(tail + at + 4, 2) % 0xffff != 0) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: one of several archives that belong together, which "
                  "are not read; make it one file",
                  z->path);
  } else if (e->entries == 0xffff || e->bytes == 0xffffffff
             || e->at == 0xffffffff) {
    st = read_end64(z, z->length - most + at, e);
  }
done:
  h3d_free(tail);
  return st;
}

/* 64-bit numbers stand in an extra field, those that did not fit, in order. */
static void
widen(const unsigned char *extra, size_t n, h3d_zip_member *m)
{
  int64_t *const wide[] = { &m->bytes, &m->packed, &m->head };

  while (n >= 4) {
    size_t size = number(extra + 2, 2), at = 4;

    if (size > n - 4) {
      return;
    }
    for (int i = 0; number(extra, 2) == 1 && i < 3; i++) {
      if (*wide[i] == 0xffffffff && at + 8 <= 4 + size) {
        *wide[i] = (int64_t)number(extra + at, 8);
        at += 8;
      }
    }
    extra += 4 + size;
    n -= 4 + size;
  }
}

/* Of the entry at in a directory of n bytes; its length in *length, 0 where
 * it is none. */
static void
read_entry(const unsigned char *at, size_t n, h3d_zip_member *m,
           size_t *length)
{
  size_t name, extra;

  *length = 0;
  if (n < ENTRY || memcmp(at, "PK\1\2", 4) != 0) {
    return;
  }
  name = number(at + 28, 2);
  extra = number(at + 30, 2);
  if (ENTRY + name + extra + number(at + 32, 2) > n) {
    return;
  }
  *length = ENTRY + name + extra + number(at + 32, 2);
  m->flags = (int)number(at + 8, 2);
  m->method = (int)number(at + 10, 2);
  m->crc = (uint32_t)number(at + 16, 4);
  m->packed = (int64_t)number(at + 20, 4);
  m->bytes = (int64_t)number(at + 24, 4);
  m->head = (int64_t)number(at + 42, 4);
  m->name = h3d_sprintf("%.*s", (int)name, (const char *)at + ENTRY);
  widen(at + ENTRY + name, extra, m);
}

h3d_status
h3d_zip_parse(h3d_zip *z)
{
  struct end e = { 0 };
  unsigned char *directory = NULL;
  size_t at = 0, length;
  h3d_status st;

  H3D_TRY(find_end(z, &e));
  if (e.at > (uint64_t)z->length || e.bytes > (uint64_t)z->length - e.at
      || e.entries > e.bytes / ENTRY) {
    st = damaged(z, "its directory does not lie in it");
    goto done;
  }
  H3D_TRY(h3d_alloc(e.bytes, 1, (void **)&directory));
  H3D_TRY(h3d_zip_fetch(z, (int64_t)e.at, e.bytes, directory));
  z->member = h3d_new(e.entries, sizeof *z->member);
  for (uint64_t i = 0; i < e.entries; i++) {
    h3d_zip_member *m = &z->member[i];

    read_entry(directory + at, e.bytes - at, m, &length);
    z->members += length > 0;
    if (length == 0 || m->bytes < 0 || m->packed < 0 || m->head < 0
        || m->head > z->length || m->packed > z->length - m->head) {
      st = damaged(z, "an entry of its directory makes no sense");
      goto done;
    }
    at += length;
  }
done:
  h3d_free(directory);
  return st;
}
