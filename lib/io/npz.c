/* Arrays in archives: numpy.savez and savez_compressed. */
#include "config.h"

#include "base/mem.h"
#include "io/npy_impl.h"

#include <stdio.h>
#include <string.h>

/* "density" of "density.npy"; 0 for a member that is no array. */
static size_t
bare_length(const char *member)
{
  size_t n = strlen(member);

  return n > 4 && strcmp(member + n - 4, ".npy") == 0 ? n - 4 : 0;
}

static void
list_arrays(const h3d_zip *z, char *text, size_t size)
{
  size_t n = 0;

  text[0] = '\0';
  for (int64_t i = 0; i < h3d_zip_members(z) && n + 1 < size; i++) {
    const char *name = h3d_zip_name(z, i);
    size_t length = bare_length(name);

    if (length > 0) {
      n += (size_t)snprintf(text + n, size - n, "%s%.*s", n > 0 ? ", " : "",
                            (int)length, name);
    }
  }
}

static h3d_status
find_array(const h3d_zip *z, const char *path, const char *name, int64_t *at)
{
  int64_t arrays = 0, found = 0;
  char known[256];

  for (int64_t i = 0; i < h3d_zip_members(z); i++) {
    const char *member = h3d_zip_name(z, i);
    size_t n = bare_length(member);

    arrays += n > 0;
    if (n > 0
        && (name == NULL || strcmp(name, member) == 0
            || (strlen(name) == n && memcmp(name, member, n) == 0))) {
      *at = i;
      found++;
    }
  }
  if (found == 1) {
    return H3D_OK;
  }
  list_arrays(z, known, sizeof known);
  if (arrays == 0) {
    return h3d_fail(H3D_ERR_FILE, "%s: no array (NAME.npy) in this archive",
                    path);
  }
  if (name == NULL) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: holds several arrays, say which to take by --array: "
                    "%s",
                    path, known);
  }
  return h3d_fail(H3D_ERR_FILE, "%s: %s array is called %s; it holds %s", path,
                  found == 0 ? "no" : "more than one", name, known);
}

h3d_status
h3d_npz_open(const char *path, const char *name, h3d_npy **out)
{
  h3d_zip *z = NULL;
  int64_t at = 0;
  h3d_status st;

  *out = NULL;
  H3D_TRY(h3d_zip_open(path, &z));
  H3D_TRY(find_array(z, path, name, &at));
  *out = h3d_new(1, sizeof **out);
  (*out)->fd = -1;
  (*out)->zip = z;
  (*out)->path = h3d_sprintf("%s: %s", path, h3d_zip_name(z, at));
  z = NULL;
  H3D_TRY(h3d_zip_choose((*out)->zip, at, &(*out)->length));
  st = h3d_npy_parse(*out);
done:
  h3d_zip_close(&z);
  if (st != H3D_OK) {
    h3d_npy_close(out);
  }
  return st;
}
