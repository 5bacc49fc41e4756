#include "config.h"

#include "base/mem.h"
#include "base/torture.h"
#include "io/h5_impl.h"

#include <string.h>

hid_t
h3d_h5_text_type(void)
{
  hid_t type = H5Tcopy(H5T_C_S1);

  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/* Pointers and bytes of n strings into one block.  at(i) says where string i
 * lies and how long it may be.
 */
static char **
pack(int64_t n, char *const *from, const char *fixed, size_t width)
{
  size_t bytes = 0;
  char **out, *text;

  for (int64_t i = 0; i < n; i++) {
    bytes += 1
             + (from == NULL      ? width
                : from[i] == NULL ? 0
                                  : strlen(from[i]));
  }
  out = h3d_new(1, (size_t)n * sizeof *out + bytes + 1);
  text = (char *)(out + n);
  for (int64_t i = 0; i < n; i++) {
    const char *s = from != NULL ? from[i] : fixed + (size_t)i * width;
    size_t len = s == NULL ? 0 : from != NULL ? strlen(s) : strnlen(s, width);

    /* Space-padded strings are Fortran's. */
    while (from == NULL && len > 0 && s[len - 1] == ' ') {
      len--;
    }
    out[i] = text;
    if (len > 0) {
      memcpy(text, s, len);
    }
    text += len + 1; /* the block is zeroed */
  }
  return out;
}

h3d_status
h3d_h5_texts_from(const h3d_h5 *f, const char *name, hid_t from, hid_t type,
                  hid_t space, h3d_h5_reader reader, int64_t *n, char ***out)
{
  int is_variable = H5Tis_variable_str(type) > 0;
  size_t width = H5Tget_size(type);
  hid_t memory = H5I_INVALID_HID;
  h3d_status st = H3D_OK;
  void *raw = NULL;

  *n = (int64_t)H5Sget_simple_extent_npoints(space);
  *out = NULL;
  if (H5Tget_class(type) != H5T_STRING) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s holds %s, wanted is text", f->path,
                    name, h3d_h5_type_name(h3d_h5_type_of(type)));
  }
  memory = H5Tcopy(type); /* keeps the character set: no conversion */
  st = h3d_alloc((size_t)*n, is_variable ? sizeof(char *) : width, &raw);
  if (st == H3D_OK && reader(from, memory, raw) < 0) {
    st = h3d_h5_fail(f, name, "cannot be read as text");
  }
  if (st == H3D_OK) {
    *out = pack(*n, is_variable ? raw : NULL, raw, width);
    if (is_variable) {
      H5Dvlen_reclaim(memory, space, H5P_DEFAULT, raw);
    }
  }
  h3d_free(raw);
  H5Tclose(memory);
  return st;
}

static herr_t
read_dataset(hid_t from, hid_t type, void *out)
{
  return H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
}

static h3d_status
write_strings(h3d_h5 *f, const char *name, hid_t space,
              const char *const *text)
{
  hid_t type, lcpl, plist, dataset;
  h3d_status st = h3d_point(H3D_ERR_FILE, f->path);

  if (st != H3D_OK) {
    return st;
  }
  type = h3d_h5_text_type();
  lcpl = h3d_h5_make_groups();
  plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plist, 0);
  dataset = H5Dcreate2(f->file, name, type, space, lcpl, plist, H5P_DEFAULT);
  if (dataset < 0
      || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
    st = h3d_h5_fail(f, name, "cannot be written");
  }
  if (dataset >= 0) {
    H5Dclose(dataset);
  }
  H5Pclose(plist);
  H5Pclose(lcpl);
  H5Tclose(type);
  return st;
}

h3d_status
h3d_h5_write_text(h3d_h5 *f, const char *name, const char *text)
{
  h3d_status st;
  hid_t space;

  h3d_h5_lock();
  space = H5Screate(H5S_SCALAR);
  st = write_strings(f, name, space, &text);
  H5Sclose(space);
  h3d_h5_unlock();
  return st;
}

h3d_status
h3d_h5_write_texts(h3d_h5 *f, const char *name, int64_t n,
                   const char *const *text)
{
  hsize_t dims[1] = { (hsize_t)n };
  h3d_status st;
  hid_t space;

  h3d_h5_lock();
  space = H5Screate_simple(1, dims, NULL);
  st = write_strings(f, name, space, text);
  H5Sclose(space);
  h3d_h5_unlock();
  return st;
}

h3d_status
h3d_h5_read_texts(const h3d_h5 *f, const char *name, int64_t *n, char ***out)
{
  hid_t dataset;
  h3d_status st;

  *n = 0;
  *out = NULL;
  h3d_h5_lock();
  st = h3d_h5_open_data(f, name, &dataset);
  if (st == H3D_OK) {
    hid_t type = H5Dget_type(dataset);
    hid_t space = H5Dget_space(dataset);

    st = h3d_h5_check_filters(f, name, dataset);
    if (st == H3D_OK) {
      st = h3d_h5_texts_from(f, name, dataset, type, space, read_dataset, n,
                             out);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
  }
  h3d_h5_unlock();
  return st;
}

h3d_status
h3d_h5_read_text(const h3d_h5 *f, const char *name, char **out)
{
  char **all;
  int64_t n;
  h3d_status st = h3d_h5_read_texts(f, name, &n, &all);

  *out = NULL;
  if (st == H3D_OK && n != 1) {
    st = h3d_fail(H3D_ERR_FILE, "%s: %s holds %lld texts, wanted is one",
                  f->path, name, (long long)n);
  }
  if (st == H3D_OK) {
    *out = h3d_strdup(all[0]);
  }
  h3d_free(all);
  return st;
}
