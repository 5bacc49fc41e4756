#include "config.h"

#include "base/mem.h"
#include "base/torture.h"
#include "io/h5_impl.h"

int
h3d_h5_has_attr(const h3d_h5 *f, const char *object, const char *name)
{
  int there;

  h3d_h5_lock();
  there = h3d_h5_has(f, object)
          && H5Aexists_by_name(f->file, object, name, H5P_DEFAULT) > 0;
  H5Eclear2(H5E_DEFAULT);
  h3d_h5_unlock();
  return there;
}

/* "attribute NAME of OBJECT" */
static char *
title(const char *object, const char *name)
{
  return h3d_sprintf("attribute %s of %s", name, object);
}

/* n < 0: one string. */
static h3d_status
write_attr(h3d_h5 *f, const char *object, const char *name, int64_t n,
           hid_t stored, hid_t native, const void *value)
{
  hsize_t dims[1] = { (hsize_t)(n < 0 ? 1 : n) };
  hid_t space, attr = H5I_INVALID_HID;
  h3d_status st = h3d_point(H3D_ERR_FILE, f->path);

  if (st != H3D_OK) {
    return st;
  }
  if (!h3d_h5_has(f, object)) {
    hid_t lcpl = h3d_h5_make_groups();
    hid_t group = H5Gcreate2(f->file, object, lcpl, H5P_DEFAULT, H5P_DEFAULT);

    H5Pclose(lcpl);
    if (group >= 0) {
      H5Gclose(group);
    }
  }
  space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, dims, NULL);
  attr = H5Acreate_by_name(f->file, object, name, stored, space, H5P_DEFAULT,
                           H5P_DEFAULT, H5P_DEFAULT);
  if (attr < 0 || H5Awrite(attr, native, value) < 0) {
    char *t = title(object, name);

    st = h3d_h5_fail(f, t, "cannot be written");
    h3d_free(t);
  }
  if (attr >= 0) {
    H5Aclose(attr);
  }
  H5Sclose(space);
  return st;
}

static h3d_status
write_numbers(h3d_h5 *f, const char *object, const char *name, int64_t n,
              h3d_h5_type type, const void *value)
{
  h3d_status st;

  h3d_h5_lock();
  st = write_attr(f, object, name, n == 1 ? -1 : n, h3d_h5_stored(type),
                  h3d_h5_native(type), value);
  h3d_h5_unlock();
  return st;
}

static h3d_status
write_strings(h3d_h5 *f, const char *object, const char *name, int64_t n,
              const char *const *text)
{
  h3d_status st;
  hid_t type;

  h3d_h5_lock();
  type = h3d_h5_text_type();
  st = write_attr(f, object, name, n, type, type, text);
  H5Tclose(type);
  h3d_h5_unlock();
  return st;
}

static h3d_status
open_attr(const h3d_h5 *f, const char *object, const char *name, hid_t *attr)
{
  h3d_status st = h3d_point(H3D_ERR_FILE, f->path);

  *attr = H5I_INVALID_HID;
  if (st != H3D_OK) {
    return st;
  }
  if (!h3d_h5_has_attr(f, object, name)) {
    return h3d_fail(H3D_ERR_FILE, "%s: there is no attribute %s of %s",
                    f->path, name, object);
  }
  *attr = H5Aopen_by_name(f->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  return *attr >= 0 ? H3D_OK : h3d_h5_fail(f, name, "cannot be opened");
}

static h3d_status
check_numbers(const h3d_h5 *f, const char *object, const char *name,
              hid_t attr, int64_t n, h3d_h5_type wanted)
{
  hid_t type = H5Aget_type(attr);
  hid_t space = H5Aget_space(attr);
  h3d_h5_type stored = h3d_h5_type_of(type);
  int64_t got = (int64_t)H5Sget_simple_extent_npoints(space);
  h3d_status st = H3D_OK;

  if (got != n) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: attribute %s of %s holds %lld numbers, wanted are %lld",
                  f->path, name, object, (long long)got, (long long)n);
  } else if (!h3d_h5_is_exact(stored, wanted)) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: attribute %s of %s holds %s, which %s cannot hold",
                  f->path, name, object, h3d_h5_type_name(stored),
                  h3d_h5_type_name(wanted));
  }
  H5Sclose(space);
  H5Tclose(type);
  return st;
}

static h3d_status
read_numbers(const h3d_h5 *f, const char *object, const char *name, int64_t n,
             h3d_h5_type type, void *value)
{
  hid_t attr;
  h3d_status st;

  h3d_h5_lock();
  H3D_TRY(open_attr(f, object, name, &attr));
  H3D_TRY(check_numbers(f, object, name, attr, n, type));
  if (H5Aread(attr, h3d_h5_native(type), value) < 0) {
    st = h3d_h5_fail(f, name, "cannot be read");
  }
done:
  if (attr >= 0) {
    H5Aclose(attr);
  }
  h3d_h5_unlock();
  return st;
}

h3d_status
h3d_h5_write_ints(h3d_h5 *f, const char *object, const char *name, int64_t n,
                  const int64_t *value)
{
  return write_numbers(f, object, name, n, H3D_H5_I64, value);
}

h3d_status
h3d_h5_read_ints(const h3d_h5 *f, const char *object, const char *name,
                 int64_t n, int64_t *value)
{
  return read_numbers(f, object, name, n, H3D_H5_I64, value);
}

h3d_status
h3d_h5_write_reals(h3d_h5 *f, const char *object, const char *name, int64_t n,
                   const double *value)
{
  return write_numbers(f, object, name, n, H3D_H5_F64, value);
}

h3d_status
h3d_h5_read_reals(const h3d_h5 *f, const char *object, const char *name,
                  int64_t n, double *value)
{
  return read_numbers(f, object, name, n, H3D_H5_F64, value);
}

h3d_status
h3d_h5_write_attr_text(h3d_h5 *f, const char *object, const char *name,
                       const char *text)
{
  return write_strings(f, object, name, -1, &text);
}

h3d_status
h3d_h5_write_attr_texts(h3d_h5 *f, const char *object, const char *name,
                        int64_t n, const char *const *text)
{
  return write_strings(f, object, name, n, text);
}

h3d_status
h3d_h5_read_attr_texts(const h3d_h5 *f, const char *object, const char *name,
                       int64_t *n, char ***out)
{
  hid_t attr;
  h3d_status st;

  *n = 0;
  *out = NULL;
  h3d_h5_lock();
  st = open_attr(f, object, name, &attr);
  if (st == H3D_OK) {
    hid_t type = H5Aget_type(attr);
    hid_t space = H5Aget_space(attr);
    char *t = title(object, name);

    st = h3d_h5_texts_from(f, t, attr, type, space, H5Aread, n, out);
    h3d_free(t);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attr);
  }
  h3d_h5_unlock();
  return st;
}

h3d_status
h3d_h5_read_attr_text(const h3d_h5 *f, const char *object, const char *name,
                      char **out)
{
  char **all;
  int64_t n;
  h3d_status st = h3d_h5_read_attr_texts(f, object, name, &n, &all);

  *out = NULL;
  if (st == H3D_OK && n != 1) {
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: attribute %s of %s holds %lld texts, wanted is one",
                  f->path, name, object, (long long)n);
  }
  if (st == H3D_OK) {
    *out = h3d_strdup(all[0]);
  }
  h3d_free(all);
  return st;
}
