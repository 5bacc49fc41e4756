#include "config.h"

#include "io/h5_impl.h"

#include <stdio.h>
#include <string.h>

struct filter_name {
  H5Z_filter_t id;
  const char *name, *package;
};

/* Registered at the HDF Group; packages are Debian's names. */
static const struct filter_name known[] = {
  { 1, "deflate", "an HDF5 library built with zlib" },
  { 4, "szip", "an HDF5 library built with szip" },
  { 307, "bzip2", "hdf5-filter-plugin" },
  { 32000, "LZF", "hdf5-filter-plugin" },
  { 32001, "Blosc", "hdf5-filter-plugin-blosc-serial" },
  { 32004, "LZ4", "hdf5-filter-plugin" },
  { 32008, "bitshuffle", "hdf5-filter-plugin" },
  { 32013, "ZFP", "hdf5-filter-plugin-zfp-serial" },
  { 32015, "Zstandard", "hdf5-filter-plugin" },
  { 32026, "Blosc2", "hdf5-filter-plugin" },
};

static const struct filter_name *
name_filter(H5Z_filter_t id)
{
  static const struct filter_name unknown
    = { -1, "unregistered", "the plug-in of the program that wrote the file" };

  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (known[i].id == id) {
      return &known[i];
    }
  }
  return &unknown;
}

h3d_status
h3d_h5_check_filters(const h3d_h5 *f, const char *name, hid_t dataset)
{
  hid_t plist = H5Dget_create_plist(dataset);
  int n = plist < 0 ? -1 : H5Pget_nfilters(plist);
  h3d_status st
    = n < 0 ? h3d_h5_fail(f, name, "cannot be asked for filters") : H3D_OK;

  for (int i = 0; i < n && st == H3D_OK; i++) {
    unsigned flags, config;
    size_t values = 0;
    H5Z_filter_t id = H5Pget_filter2(plist, (unsigned)i, &flags, &values, NULL,
                                     0, NULL, &config);

    if (id >= 0 && H5Zfilter_avail(id) <= 0) {
      const struct filter_name *k = name_filter(id);

      st = h3d_fail(H3D_ERR_FILE,
                    "%s: %s is compressed with %s (filter %d), which this "
                    "HDF5 lacks; install %s and point HDF5_PLUGIN_PATH at its "
                    "folder, or rewrite the file with h5repack",
                    f->path, name, k->name, (int)id, k->package);
    }
  }
  if (plist >= 0) {
    H5Pclose(plist);
  }
  H5Eclear2(H5E_DEFAULT);
  return st;
}

struct words {
  char *text;
  size_t size;
};

static herr_t
keep_words(unsigned n, const H5E_error2_t *e, void *into)
{
  struct words *w = into;

  /* Upward from the cause: the first frame knows best. */
  if (n == 0 && e->desc != NULL) {
    snprintf(w->text, w->size, "%s", e->desc);
  }
  return 0;
}

/* A failed system call comes as "what: time = DATE NEWLINE, filename = ...,
 * errno = N, error message = 'WHY', buf = ...": keep what, and why. */
static void
one_sentence(char *text)
{
  static const char mark[] = "error message = '";
  char *time = strstr(text, ": time = "), *why = strstr(text, mark), *end;

  if (time && why > time) {
    why += sizeof mark - 1;
    end = strchr(why, '\'');
    if (end) {
      *end = '\0';
    }
    memmove(time + 2, why, strlen(why) + 1);
  }
  for (; *text; text++) {
    *text = *text == '\n' ? ' ' : *text;
  }
}

void
h3d_h5_words(char *text, size_t size)
{
  struct words w = { text, size };

  snprintf(text, size, "no reason given");
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_words, &w);
  H5Eclear2(H5E_DEFAULT);
  one_sentence(text);
}

h3d_status
h3d_h5_fail(const h3d_h5 *f, const char *name, const char *what)
{
  char text[512];

  h3d_h5_words(text, sizeof text);
  return h3d_fail(H3D_ERR_FILE, "%s: %s %s (HDF5: %s)",
                  f->part != NULL ? f->part : f->path, name, what, text);
}
