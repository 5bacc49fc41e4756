#include "config.h"

#include "io/table.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

h3d_status
h3d_table_write(h3d_h5 *f, const h3d_column *c, int columns, int64_t n,
                size_t stride, const void *records)
{
  static const h3d_h5_layout layout = { .fletcher = 1 };
  h3d_status st = H3D_OK;

  for (int k = 0; k < columns && st == H3D_OK; k++) {
    char *dense = h3d_new((size_t)n, c[k].size);

    for (int64_t i = 0; i < n; i++) {
      memcpy(dense + (size_t)i * c[k].size,
             (const char *)records + (size_t)i * stride + c[k].offset,
             c[k].size);
    }
    st = h3d_h5_write_all(f, c[k].name, c[k].type, 1, &n, &layout, dense);
    h3d_free(dense);
  }
  return st;
}

h3d_status
h3d_table_read(h3d_h5 *f, const h3d_column *c, int columns, int64_t n,
               size_t stride, void *records)
{
  h3d_status st = H3D_OK;

  for (int k = 0; k < columns && st == H3D_OK; k++) {
    char *dense = h3d_new((size_t)n, c[k].size);

    st = h3d_h5_read_all(f, c[k].name, c[k].type, 1, &n, dense);
    for (int64_t i = 0; i < n; i++) {
      memcpy((char *)records + (size_t)i * stride + c[k].offset,
             dense + (size_t)i * c[k].size, c[k].size);
    }
    h3d_free(dense);
  }
  return st;
}

h3d_status
h3d_table_write_text(h3d_h5 *f, const char *name, size_t offset, int64_t n,
                     size_t stride, const void *records)
{
  const char **text = h3d_new((size_t)n, sizeof *text);
  h3d_status st;

  for (int64_t i = 0; i < n; i++) {
    memcpy(&text[i], (const char *)records + (size_t)i * stride + offset,
           sizeof text[i]);
  }
  st = h3d_h5_write_texts(f, name, n, text);
  h3d_free(text);
  return st;
}

h3d_status
h3d_table_read_text(h3d_h5 *f, const char *name, size_t offset, int64_t n,
                    size_t stride, void *records)
{
  char **text, *copy;
  int64_t got;
  h3d_status st = h3d_h5_read_texts(f, name, &got, &text);

  if (st == H3D_OK && got != n) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: %s has %" PRId64 " texts, wanted are %" PRId64,
                  h3d_h5_path(f), name, got, n);
  }
  for (int64_t i = 0; st == H3D_OK && i < n; i++) {
    copy = h3d_strdup(text[i]);
    memcpy((char *)records + (size_t)i * stride + offset, &copy, sizeof copy);
  }
  h3d_free(text);
  return st;
}
