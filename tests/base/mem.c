/* Host memory: zeroed, aligned, counted, refused. */
#include "config.h"

#include "base/mem.h"

#include "tap.h"

#include <string.h>

TAP_RANKS("1")

static void
test_alloc(void)
{
  size_t before = h3d_mem_now(), blocks = h3d_mem_count();
  int aligned = 1, zero = 1;

  for (size_t n = 0; n < 300; n++) {
    void *mem;

    if (h3d_alloc(n, 3, &mem) != H3D_OK) {
      aligned = 0;
      break;
    }
    aligned &= (uintptr_t)mem % 64 == 0;
    for (size_t i = 0; i < 3 * n; i++) {
      zero &= ((char *)mem)[i] == 0;
    }
    memset(mem, 0x5a, 3 * n);
    aligned &= h3d_mem_now() == before + 3 * n;
    aligned &= h3d_mem_count() == blocks + 1;
    h3d_free(mem);
  }
  ok(aligned, "blocks are aligned to 64 bytes and counted");
  ok(zero, "blocks are zeroed");
  ok(h3d_mem_now() == before && h3d_mem_count() == blocks, "all given back");
}

static void
test_refusal(void)
{
  void *mem = &mem;
  size_t now = h3d_mem_now();

  ok(h3d_alloc(SIZE_MAX / 2, 3, &mem) == H3D_ERR_MEMORY && mem == NULL,
     "n * size that overflows is refused");
  mem = &mem;
  ok(h3d_alloc(SIZE_MAX, 1, &mem) == H3D_ERR_MEMORY && mem == NULL,
     "so is the head's overflow");
  mem = &mem;
  ok(h3d_alloc((size_t)1 << 60, 1, &mem) == H3D_ERR_MEMORY && mem == NULL,
     "and an exbibyte");
  ok(strstr(h3d_why(), "1099511627776.0 MiB") != NULL, "amount: %s",
     h3d_why());
  ok(h3d_mem_now() == now, "a refusal counts nothing");
  h3d_free(NULL);
  ok(1, "NULL may be freed");
}

static void
test_peak(void)
{
  size_t calls = h3d_mem_calls(), peak;
  void *a = h3d_new(1000, 1), *b = h3d_new(5000, 1);

  ok(h3d_mem_size(a) == 1000 && h3d_mem_size(NULL) == 0, "a block's size");
  peak = h3d_mem_peak();
  ok(peak >= 6000, "the peak saw both");
  h3d_free(a);
  h3d_free(b);
  ok(h3d_mem_peak() == peak, "the peak stays");
  ok(h3d_mem_calls() == calls + 2, "two calls were counted");
  ok(h3d_mem_resident_peak() > 100000, "the process has a resident peak");
  ok(h3d_mem_resident() > 100000
       && h3d_mem_resident() <= h3d_mem_resident_peak() + (1 << 20),
     "which is not below what it holds now");
  ok(h3d_mem_machine() > h3d_mem_resident(), "and the machine has more");
}

static void
test_grow(void)
{
  int *p = NULL, same = 1;
  char *text;

  for (int n = 1; n <= 100; n++) {
    p = h3d_grow(p, (size_t)n, sizeof *p);
    p[n - 1] = n * n;
  }
  for (int n = 1; n <= 100; n++) {
    same &= p[n - 1] == n * n;
  }
  ok(same, "growing keeps the contents");
  p = h3d_grow(p, 2, sizeof *p);
  ok(p[0] == 1 && p[1] == 4, "so does shrinking");
  h3d_free(p);
  text = h3d_sprintf("%s-%03d", "part", 7);
  ok(strcmp(text, "part-007") == 0, "sprintf into memory");
  p = (int *)(void *)h3d_strdup(text);
  ok(strcmp((char *)p, text) == 0, "strdup");
  h3d_free(text);
  h3d_free(p);
}

void
tap_main(void)
{
  test_alloc();
  test_refusal();
  test_peak();
  test_grow();
}
