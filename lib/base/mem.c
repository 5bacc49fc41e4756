#include "config.h"

#include "base/mem.h"

#include "base/check.h"
#include "base/torture.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ALIGN = 64, ALIVE = 0x6833642b };
enum { LARGE = 4 << 20 }; /* bytes */

/* In front of every block, as wide as the alignment so that it keeps it. */
struct head {
  _Alignas(ALIGN) size_t bytes;
  int mark; /* ALIVE until freed */
};
_Static_assert(sizeof(struct head) == ALIGN, "a head keeps the alignment");

static atomic_size_t now, peak, count, calls;

static void
count_block(size_t bytes)
{
  size_t sum = atomic_fetch_add(&now, bytes) + bytes;
  size_t old = atomic_load(&peak);

  while (old < sum && !atomic_compare_exchange_weak(&peak, &old, sum)) {
  }
  atomic_fetch_add(&count, 1);
}

static h3d_status
allocate(size_t n, size_t size, void **out)
{
  void *raw = NULL;
  struct head *head;

  *out = NULL;
#ifdef __GLIBC__
  /* Large blocks go back to the system when they are freed.  By itself glibc
   * learns to keep them, with holes that nothing fits into: a fifth of what a
   * training takes. */
  if (atomic_load(&calls) == 0) {
    mallopt(M_MMAP_THRESHOLD, LARGE);
  }
#endif
  atomic_fetch_add(&calls, 1);
  if (size != 0 && n > (SIZE_MAX - sizeof *head) / size) {
    return h3d_fail(H3D_ERR_MEMORY,
                    "%zu items of %zu bytes are more than an"
                    " address can hold",
                    n, size);
  }
  if (posix_memalign(&raw, ALIGN, sizeof *head + n * size) != 0) {
    return h3d_fail(H3D_ERR_MEMORY,
                    "no host memory for %.1f MiB beside the"
                    " %.1f MiB in use: use more ranks or a smaller batch",
                    (double)n * (double)size / 1048576,
                    (double)h3d_mem_now() / 1048576);
  }
  head = raw;
  head->bytes = n * size;
  head->mark = ALIVE;
  /* Touched here, so that memory that is not there is missed while planning
   * and not by a training step. */
  memset(head + 1, 0, head->bytes);
  count_block(head->bytes);
  *out = head + 1;
  return H3D_OK;
}

h3d_status
h3d_alloc(size_t n, size_t size, void **out)
{
  h3d_status st = h3d_point(H3D_ERR_MEMORY, "host memory");

  *out = NULL;
  return st == H3D_OK ? allocate(n, size, out) : st;
}

void *
h3d_new(size_t n, size_t size)
{
  void *mem;

  if (allocate(n, size, &mem) != H3D_OK) {
    H3D_BREAK("%s", h3d_why());
  }
  return mem;
}

char *
h3d_strdup(const char *text)
{
  size_t n = strlen(text) + 1;

  return memcpy(h3d_new(n, 1), text, n);
}

char *
h3d_sprintf(const char *fmt, ...)
{
  va_list ap, again;
  char *text;
  int n;

  va_start(ap, fmt);
  va_copy(again, ap);
  n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  if (n < 0) {
    H3D_BREAK("cannot format \"%s\"", fmt);
  }
  text = h3d_new((size_t)n + 1, 1);
  vsnprintf(text, (size_t)n + 1, fmt, again);
  va_end(again);
  return text;
}

void *
h3d_grow(void *mem, size_t n, size_t size)
{
  char *bigger = h3d_new(n, size);

  if (mem != NULL) {
    const struct head *head = (const struct head *)mem - 1;

    memcpy(bigger, mem, head->bytes < n * size ? head->bytes : n * size);
    h3d_free(mem);
  }
  return bigger;
}

void
h3d_free(void *mem)
{
  struct head *head;

  if (mem == NULL) {
    return;
  }
  head = (struct head *)mem - 1;
  H3D_ASSERT(head->mark == ALIVE);
  head->mark = 0;
  atomic_fetch_sub(&now, head->bytes);
  atomic_fetch_sub(&count, 1);
  free(head);
}

size_t
h3d_mem_size(const void *mem)
{
  return mem == NULL ? 0 : ((const struct head *)mem - 1)->bytes;
}

size_t
h3d_mem_now(void)
{
  return atomic_load(&now);
}

size_t
h3d_mem_peak(void)
{
  return atomic_load(&peak);
}

size_t
h3d_mem_count(void)
{
  return atomic_load(&count);
}

size_t
h3d_mem_calls(void)
{
  return atomic_load(&calls);
}

size_t
h3d_mem_resident_peak(void)
{
#ifdef __linux__ /* elsewhere the unit of ru_maxrss differs */
  struct rusage u;

  if (getrusage(RUSAGE_SELF, &u) == 0) {
    return (size_t)u.ru_maxrss * 1024;
  }
#endif
  return 0;
}

size_t
h3d_mem_resident(void)
{
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");

  if (f) {
    if (fscanf(f, "%*s %ld", &pages) != 1) {
      pages = 0;
    }
    fclose(f);
  }
  return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* A number in a file of the system, SIZE_MAX where there is none ("max"). */
static size_t
limit_of(const char *path)
{
  FILE *f = fopen(path, "r");
  size_t bytes = SIZE_MAX;

  if (f) {
    if (fscanf(f, "%zu", &bytes) != 1) {
      bytes = SIZE_MAX;
    }
    fclose(f);
  }
  return bytes;
}

size_t
h3d_mem_machine(void)
{
  /* As a container sees its own group: second and first version. */
  static const char *const limits[]
    = { "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes" };
  size_t bytes
    = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);

  for (int i = 0; i < 2; i++) {
    size_t limit = limit_of(limits[i]);

    bytes = limit > 0 && limit < bytes ? limit : bytes;
  }
  return bytes;
}
