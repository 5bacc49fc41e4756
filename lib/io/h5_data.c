#include "config.h"

#include "base/check.h"
#include "io/h5_impl.h"

#include <string.h>

enum { REQUEST = 1 << 30, CHUNK = 1 << 20 };

static size_t request = REQUEST;

void
h3d_h5_set_request(size_t bytes)
{
  request = bytes > 0 ? bytes : REQUEST;
}

/* Chunks of at most CHUNK bytes that keep the last axes whole. */
static void
choose_chunk(h3d_h5_type type, int ndims, const int64_t *shape, hsize_t *chunk)
{
  int64_t room = CHUNK / (int64_t)h3d_h5_type_size(type);

  for (int a = ndims - 1; a >= 0; a--) {
    int64_t n = shape[a] < room ? shape[a] : room;

    chunk[a] = n > 0 ? (hsize_t)n : 1;
    room /= (int64_t)chunk[a];
  }
}

static hid_t
layout_properties(h3d_h5_type type, int ndims, const int64_t *shape,
                  const h3d_h5_layout *layout, int together)
{
  hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t chunk[H3D_H5_DIMS];

  /* No time of writing: the same contents are the same bytes. */
  H5Pset_obj_track_times(plist, 0);
  /* Filters need chunks, and a scalar has none. */
  if (layout == NULL || ndims == 0
      || (layout->chunk == NULL && !layout->deflate && !layout->fletcher)) {
    return plist;
  }
  choose_chunk(type, ndims, shape, chunk);
  for (int a = 0; layout->chunk != NULL && a < ndims; a++) {
    int64_t n = layout->chunk[a] < shape[a] ? layout->chunk[a] : shape[a];

    chunk[a] = n > 0 ? (hsize_t)n : 1;
  }
  H5Pset_chunk(plist, ndims, chunk);
  if (together) {
    /* All of it is written: no rank fills it with zeros before. */
    H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
  }
  if (layout->deflate > 0) {
    H5Pset_shuffle(plist);
    H5Pset_deflate(plist, (unsigned)layout->deflate);
  }
  if (layout->fletcher) {
    H5Pset_fletcher32(plist);
  }
  return plist;
}

h3d_status
h3d_h5_new_data(h3d_h5 *f, const char *name, h3d_h5_type type, int ndims,
                const int64_t *shape, const h3d_h5_layout *layout)
{
  hsize_t dims[H3D_H5_DIMS] = { 0 };
  hid_t space, plist, lcpl, dataset;
  h3d_status st = H3D_OK;

  H3D_ASSERT(ndims >= 0 && ndims <= H3D_H5_DIMS);
  H3D_ASSERT(h3d_h5_type_size(type) > 0);
  for (int a = 0; a < ndims; a++) {
    dims[a] = (hsize_t)shape[a];
  }
  h3d_h5_lock();
  space
    = ndims > 0 ? H5Screate_simple(ndims, dims, NULL) : H5Screate(H5S_SCALAR);
  plist = layout_properties(type, ndims, shape, layout, f->together);
  lcpl = h3d_h5_make_groups();
  dataset = H5Dcreate2(f->file, name, h3d_h5_stored(type), space, lcpl, plist,
                       H5P_DEFAULT);
  if (dataset < 0) {
    st = h3d_h5_fail(f, name, "cannot be created");
  } else {
    H5Dclose(dataset);
  }
  H5Pclose(lcpl);
  H5Pclose(plist);
  H5Sclose(space);
  h3d_h5_unlock();
  return st;
}

/* A box on its way between a dataset and memory. */
struct move {
  const h3d_h5 *f;
  const char *name;
  hid_t dataset, space;
  h3d_h5_type type;
  int ndims;
  hsize_t start[H3D_H5_DIMS], count[H3D_H5_DIMS];
  char *to;         /* reading */
  const char *from; /* writing */
};

static size_t
move_bytes(const struct move *m)
{
  size_t bytes = h3d_h5_type_size(m->type);

  for (int a = 0; a < m->ndims; a++) {
    bytes *= (size_t)m->count[a];
  }
  return bytes;
}

static h3d_status
move_once(const struct move *m)
{
  hid_t type = h3d_h5_native(m->type), memory = H5S_ALL;
  h3d_status st = H3D_OK;
  herr_t rc = 0;

  if (m->ndims > 0) {
    memory = H5Screate_simple(m->ndims, m->count, NULL);
    rc = H5Sselect_hyperslab(m->space, H5S_SELECT_SET, m->start, NULL,
                             m->count, NULL);
  }
  if (rc >= 0) {
    rc
      = m->to != NULL
          ? H5Dread(m->dataset, type, memory, m->space, H5P_DEFAULT, m->to)
          : H5Dwrite(m->dataset, type, memory, m->space, H5P_DEFAULT, m->from);
  }
  if (rc < 0) {
    st = h3d_h5_fail(m->f, m->name,
                     m->to != NULL ? "cannot be read" : "cannot be written");
  }
  if (memory != H5S_ALL) {
    H5Sclose(memory);
  }
  return st;
}

/* Halve along the first axis that has more than one: all axes before it have
 * extent 1, so both halves are dense in memory, one after the other.
 */
static h3d_status
move_split(struct move m)
{
  size_t bytes = move_bytes(&m);
  hsize_t half;
  h3d_status st;
  int a = 0;

  if (bytes == 0) {
    return H3D_OK;
  }
  while (a < m.ndims && m.count[a] == 1) {
    a++;
  }
  if (bytes <= request || a == m.ndims) {
    return move_once(&m);
  }
  half = m.count[a] / 2;
  bytes = bytes / m.count[a] * half;
  m.count[a] -= half;
  {
    struct move first = m;

    first.count[a] = half;
    st = move_split(first);
  }
  m.start[a] += half;
  m.to += m.to != NULL ? bytes : 0;
  m.from += m.from != NULL ? bytes : 0;
  return st == H3D_OK ? move_split(m) : st;
}

static h3d_status
check_move(struct move *m, const int64_t *start, const int64_t *count)
{
  h3d_h5_about a;
  h3d_status st = h3d_h5_ask(m->f, m->name, &a);

  if (st != H3D_OK) {
    return st;
  }
  if (a.ndims != m->ndims) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s has %d axes, wanted are %d",
                    m->f->path, m->name, a.ndims, m->ndims);
  }
  if (m->to != NULL ? !h3d_h5_is_exact(a.type, m->type)
                    : !h3d_h5_is_exact(m->type, a.type)) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s holds %s, which %s cannot hold",
                    m->f->path, m->name, h3d_h5_type_name(a.type),
                    h3d_h5_type_name(m->type));
  }
  for (int i = 0; i < m->ndims; i++) {
    int64_t at = start != NULL ? start[i] : 0;

    if (at < 0 || count[i] < 0 || at > a.shape[i] - count[i]) {
      return h3d_fail(H3D_ERR_FILE,
                      "%s: %s has extent %lld on axis %d, wanted is the range "
                      "%lld to %lld",
                      m->f->path, m->name, (long long)a.shape[i], i,
                      (long long)at, (long long)(at + count[i]));
    }
    m->start[i] = (hsize_t)at;
    m->count[i] = (hsize_t)count[i];
  }
  return H3D_OK;
}

static h3d_status
move_box(struct move *m, const int64_t *start, const int64_t *count)
{
  h3d_status st;

  H3D_ASSERT(m->ndims >= 0 && m->ndims <= H3D_H5_DIMS);
  h3d_h5_lock();
  m->dataset = m->space = H5I_INVALID_HID;
  H3D_TRY(check_move(m, start, count));
  H3D_TRY(h3d_h5_open_data(m->f, m->name, &m->dataset));
  H3D_TRY(h3d_h5_check_filters(m->f, m->name, m->dataset));
  m->space = H5Dget_space(m->dataset);
  st = move_split(*m);
done:
  if (m->space >= 0) {
    H5Sclose(m->space);
  }
  if (m->dataset >= 0) {
    H5Dclose(m->dataset);
  }
  h3d_h5_unlock();
  return st;
}

/* A dataset without targets has tables of no rows, and no array for them. */
static int
is_empty(int ndims, const int64_t *count)
{
  int empty = 0;

  for (int a = 0; a < ndims; a++) {
    empty |= count[a] == 0;
  }
  return empty;
}

h3d_status
h3d_h5_read(const h3d_h5 *f, const char *name, h3d_h5_type type, int ndims,
            const int64_t *start, const int64_t *count, void *out)
{
  struct move m
    = { .f = f, .name = name, .type = type, .ndims = ndims, .to = out };

  H3D_ASSERT(out != NULL || is_empty(ndims, count));
  return move_box(&m, start, count);
}

h3d_status
h3d_h5_write(h3d_h5 *f, const char *name, h3d_h5_type type, int ndims,
             const int64_t *start, const int64_t *count, const void *data)
{
  struct move m
    = { .f = f, .name = name, .type = type, .ndims = ndims, .from = data };

  H3D_ASSERT(data != NULL || is_empty(ndims, count));
  return move_box(&m, start, count);
}

h3d_status
h3d_h5_read_all(const h3d_h5 *f, const char *name, h3d_h5_type type, int ndims,
                const int64_t *shape, void *out)
{
  h3d_h5_about a;
  h3d_status st = h3d_h5_ask(f, name, &a);

  for (int i = 0; st == H3D_OK && a.ndims == ndims && i < ndims; i++) {
    if (a.shape[i] != shape[i]) {
      st = h3d_fail(
        H3D_ERR_FILE, "%s: %s has extent %lld on axis %d, wanted is %lld",
        f->path, name, (long long)a.shape[i], i, (long long)shape[i]);
    }
  }
  return st == H3D_OK ? h3d_h5_read(f, name, type, ndims, NULL, shape, out)
                      : st;
}

h3d_status
h3d_h5_write_all(h3d_h5 *f, const char *name, h3d_h5_type type, int ndims,
                 const int64_t *shape, const h3d_h5_layout *layout,
                 const void *data)
{
  h3d_status st = h3d_h5_new_data(f, name, type, ndims, shape, layout);

  return st == H3D_OK ? h3d_h5_write(f, name, type, ndims, NULL, shape, data)
                      : st;
}
