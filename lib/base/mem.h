/* mem.h: host memory, counted.
 *
 * The only file that calls malloc.  Every byte is counted, so that a program
 * can tell its peak and that nothing was left behind.  Memory is aligned to
 * 64 bytes (a cache line, an AVX-512 vector).
 */
#ifndef H3D_BASE_MEM_H
#define H3D_BASE_MEM_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for n items of size bytes in *out.  H3D_ERR_MEMORY, with the
 * amount asked for, if there is none or if n * size overflows; *out is NULL
 * then.  n or size 0 gives a valid pointer.
 */
h3d_status h3d_alloc(size_t n, size_t size, void **out);

/* The same for small things: aborts the job when there is none.  Never NULL.
 */
void *h3d_new(size_t n, size_t size);

/* A copy of text that h3d_free releases.  Aborts when there is no memory. */
char *h3d_strdup(const char *text);

/* A printf into new memory. */
char *h3d_sprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Resize to n items of size bytes, contents kept, new bytes undefined.
 * Aborts when there is no memory.
 */
void *h3d_grow(void *mem, size_t n, size_t size);

/* NULL is allowed. */
void h3d_free(void *mem);

size_t h3d_mem_size(const void *mem); /* of a block; 0 for NULL */

size_t h3d_mem_now(void);   /* bytes in use */
size_t h3d_mem_peak(void);  /* the most that ever were in use */
size_t h3d_mem_count(void); /* blocks in use */
/* Calls of h3d_alloc, h3d_new and h3d_grow so far: a training step adds 0. */
size_t h3d_mem_calls(void);

/* Resident set of this process in bytes, now and at its peak; 0 where it
 * cannot be told. */
size_t h3d_mem_resident(void);
size_t h3d_mem_resident_peak(void);
/* Memory of this machine in bytes, or what the control group of this process
 * may take of it where that is less. */
size_t h3d_mem_machine(void);

#endif /* H3D_BASE_MEM_H */
