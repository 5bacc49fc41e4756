#include "config.h"

#include "base/mem.h"
#include "base/torture.h"
#include "io/h5_impl.h"

#include <string.h>

/* H5Lexists wants every group on the way to exist. */
static int
exists(hid_t file, const char *name)
{
  char *path = h3d_strdup(name);
  int there = 1;

  for (char *p = path + (path[0] == '/'); there && *p != '\0';) {
    size_t n = strcspn(p, "/");
    char kept = p[n];

    p[n] = '\0';
    there = n == 0 || H5Lexists(file, path, H5P_DEFAULT) > 0;
    p[n] = kept;
    p += n + (kept != '\0');
  }
  H5Eclear2(H5E_DEFAULT);
  h3d_free(path);
  return there;
}

int
h3d_h5_has(const h3d_h5 *f, const char *name)
{
  int there;

  h3d_h5_lock();
  there = exists(f->file, name);
  h3d_h5_unlock();
  return there;
}

hid_t
h3d_h5_make_groups(void)
{
  hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);

  H5Pset_create_intermediate_group(lcpl, 1);
  return lcpl;
}

h3d_status
h3d_h5_open_data(const h3d_h5 *f, const char *name, hid_t *dataset)
{
  h3d_status st = h3d_point(H3D_ERR_FILE, f->path);

  *dataset = H5I_INVALID_HID;
  if (st != H3D_OK) {
    return st;
  }
  if (!exists(f->file, name)) {
    return h3d_fail(H3D_ERR_FILE, "%s: there is no dataset %s in it", f->path,
                    name);
  }
  *dataset = H5Dopen2(f->file, name, H5P_DEFAULT);
  return *dataset >= 0 ? H3D_OK
                       : h3d_h5_fail(f, name, "cannot be opened as a dataset");
}

static h3d_status
fill_about(const h3d_h5 *f, const char *name, hid_t dataset,
           h3d_h5_about *about)
{
  hsize_t dims[H3D_H5_DIMS] = { 0 }, chunk[H3D_H5_DIMS] = { 0 };
  hid_t type = H5Dget_type(dataset);
  hid_t space = H5Dget_space(dataset);
  hid_t plist = H5Dget_create_plist(dataset);
  int ndims = H5Sget_simple_extent_ndims(space);
  h3d_status st = H3D_OK;

  if (ndims < 0 || ndims > H3D_H5_DIMS) {
    st = h3d_fail(H3D_ERR_FILE, "%s: %s has %d axes, at most %d are read",
                  f->path, name, ndims, (int)H3D_H5_DIMS);
    goto done;
  }
  about->type = h3d_h5_type_of(type);
  about->ndims = ndims;
  H5Sget_simple_extent_dims(space, dims, NULL);
  if (H5Pget_layout(plist) == H5D_CHUNKED) {
    H5Pget_chunk(plist, H3D_H5_DIMS, chunk);
  }
  for (int a = 0; a < ndims; a++) {
    about->shape[a] = (int64_t)dims[a];
    about->chunk[a] = (int64_t)chunk[a];
  }
done:
  H5Pclose(plist);
  H5Sclose(space);
  H5Tclose(type);
  return st;
}

h3d_status
h3d_h5_ask(const h3d_h5 *f, const char *name, h3d_h5_about *about)
{
  hid_t dataset;
  h3d_status st;

  memset(about, 0, sizeof *about);
  h3d_h5_lock();
  st = h3d_h5_open_data(f, name, &dataset);
  if (st == H3D_OK) {
    st = fill_about(f, name, dataset, about);
    H5Dclose(dataset);
  }
  h3d_h5_unlock();
  return st;
}

/* Names of all links of a group into one block. */
static h3d_status
list_links(const h3d_h5 *f, hid_t group, int64_t *n, char ***names)
{
  H5G_info_t info;
  size_t bytes = 0;
  char *text;

  if (H5Gget_info(group, &info) < 0) {
    return h3d_h5_fail(f, "a group", "cannot be listed");
  }
  for (hsize_t i = 0; i < info.nlinks; i++) {
    bytes
      += 1
         + (size_t)H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC,
                                      i, NULL, 0, H5P_DEFAULT);
  }
  *n = (int64_t)info.nlinks;
  *names = h3d_new(1, (size_t)info.nlinks * sizeof **names + bytes + 1);
  text = (char *)(*names + info.nlinks);
  for (hsize_t i = 0; i < info.nlinks; i++) {
    (*names)[i] = text;
    text += 1
            + H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i,
                                 text, bytes + 1, H5P_DEFAULT);
  }
  return H3D_OK;
}

h3d_status
h3d_h5_list(const h3d_h5 *f, const char *group, int64_t *n, char ***names)
{
  h3d_status st = h3d_point(H3D_ERR_FILE, f->path);
  hid_t g = H5I_INVALID_HID;

  *n = 0;
  *names = NULL;
  if (st != H3D_OK) {
    return st;
  }
  h3d_h5_lock();
  if (exists(f->file, group)) {
    g = H5Gopen2(f->file, group, H5P_DEFAULT);
  }
  if (g >= 0) {
    st = list_links(f, g, n, names);
    H5Gclose(g);
  } else {
    H5Eclear2(H5E_DEFAULT);
    st = h3d_fail(H3D_ERR_FILE, "%s: there is no group %s in it", f->path,
                  group);
  }
  h3d_h5_unlock();
  return st;
}
