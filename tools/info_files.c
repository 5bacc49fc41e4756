/* Foreign files, networks, and this build. */
#include "config.h"

#include "info.h"

#include "backend/backend.h"
#include "base/check.h"
#include "base/mem.h"
#include "io/cosmoflow.h"
#include "io/h5.h"
#include "io/npy.h"
#include "layer/layer.h"
#include "model/optim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* For what has no checksums, reading is all that can be checked. */
static h3d_status
read_array(const h3d_h5 *f, const char *name, const h3d_h5_about *a)
{
  size_t n = h3d_h5_type_size(a->type);
  void *mem = NULL;
  h3d_status st;

  for (int i = 0; i < a->ndims; i++) {
    n *= (size_t)a->shape[i];
  }
  H3D_TRY(h3d_alloc(n, 1, &mem));
  st = h3d_h5_read_all(f, name, a->type, a->ndims, a->shape, mem);
done:
  h3d_free(mem);
  return st;
}

/* Datasets of a group and of the groups below it. */
static h3d_status
list_group(info_say *s, const h3d_h5 *f, const char *group, int check)
{
  char **names = NULL;
  int64_t n = 0;
  h3d_status st = h3d_h5_list(f, group, &n, &names);

  for (int64_t i = 0; st == H3D_OK && i < n; i++) {
    char *path = h3d_sprintf("%s/%s", *(group + 1) ? group : "", names[i]);
    h3d_h5_about a;

    if (h3d_h5_ask(f, path, &a) == H3D_OK) {
      char *key = h3d_sprintf("%s (%s)", path + 1, h3d_h5_type_name(a.type));

      info_extents(s, key, a.ndims, a.shape);
      if (check && h3d_h5_type_size(a.type) > 0) {
        st = read_array(f, path, &a);
      }
      h3d_free(key);
    } else {
      st = list_group(s, f, path, check);
    }
    h3d_free(path);
  }
  h3d_free(names);
  return st;
}

h3d_status
info_h5(info_say *s, const char *path, int check)
{
  h3d_h5 *f = NULL;
  h3d_status st;

  H3D_TRY(h3d_h5_open(path, &f));
  info_text(s, "kind",
            h3d_h5_has_attr(f, "/", "h3d_format")
              ? (h3d_h5_has(f, "/volume") ? "shard of an h3d dataset"
                                          : "index of an h3d dataset")
              : "HDF5 file");
  info_text(s, "file", path);
  info_open(s, "holds");
  H3D_TRY(list_group(s, f, "/", check));
  info_close(s);
done:
  h3d_h5_close(&f);
  return st;
}

h3d_status
info_cosmoflow(info_say *s, const char *path, int check)
{
  h3d_cosmoflow *f = NULL;
  h3d_status st;

  H3D_TRY(h3d_cosmoflow_open(path, &f));
  info_text(s, "kind", "CosmoFlow universe");
  info_text(s, "file", path);
  info_extents(s, "voxels", 3, f->extent);
  info_int(s, "channels", f->channels);
  info_text(s, "channel", f->channel_first ? "first axis" : "last axis");
  info_text(s, "type", h3d_h5_type_name(f->type));
  if (f->box > 0) {
    char *box = h3d_sprintf("%g %s", f->box, f->box_unit);

    info_text(s, "box", box);
    h3d_free(box);
  }
  for (int c = 0; f->redshift && c < f->channels; c++) {
    char *key = h3d_sprintf("redshift %d", c);

    info_real(s, key, f->redshift[c]);
    h3d_free(key);
  }
  for (int p = 0; p < f->params; p++) {
    char *key
      = f->name ? h3d_strdup(f->name[p]) : h3d_sprintf("parameter %d", p);

    info_open(s, key);
    info_real(s, "unit", f->unit[p]);
    if (f->phys) {
      info_real(s, "physical", f->phys[p]);
    }
    info_close(s);
    h3d_free(key);
  }
  if (check) {
    h3d_h5_about a;

    H3D_TRY(h3d_h5_ask(f->file, "/full", &a));
    H3D_TRY(read_array(f->file, "/full", &a));
    info_text(s, "check", "all voxels were read");
  }
done:
  h3d_cosmoflow_close(&f);
  return st;
}

h3d_status
info_npy(info_say *s, const char *path, int check)
{
  h3d_npy *f = NULL;
  const int64_t *shape;
  int n;
  h3d_status st;

  H3D_TRY(h3d_npy_open(path, &f));
  n = h3d_npy_shape(f, &shape);
  info_text(s, "kind", "NumPy array");
  info_text(s, "file", path);
  info_text(s, "type", h3d_h5_type_name(h3d_npy_type(f)));
  info_extents(s, "shape", n, shape);
  if (check) {
    /* Opening compares the file's length with that of the array. */
    info_text(s, "check", "the file is as long as its array");
  }
done:
  h3d_npy_close(&f);
  return st;
}

h3d_status
info_net(info_say *s, const char *path, int check)
{
  char line[1024], kind[64], name[64], reads[256];
  FILE *f = fopen(path, "r");
  int at = 0, layers = 0;

  if (!f) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s", path, strerror(errno));
  }
  info_text(s, "kind", "network");
  info_text(s, "file", path);
  info_open(s, "layers");
  while (fgets(line, sizeof line, f)) {
    char *text;
    int rest = 0;

    at++;
    line[strcspn(line, "#\n")] = '\0';
    if (sscanf(line, "%63s %63s %255s %n", kind, name, reads, &rest) < 3) {
      continue;
    }
    if (!h3d_layer_kind_find(kind)) {
      fclose(f);
      return h3d_fail(H3D_ERR_FILE,
                      "%s: line %d: \"%s\" is no kind of layer; see h3d-info "
                      "--build for all kinds",
                      path, at, kind);
    }
    text = h3d_sprintf("%-8s of %-6s %s", kind, reads, line + rest);
    info_text(s, name, text);
    h3d_free(text);
    layers++;
  }
  fclose(f);
  info_close(s);
  info_int(s, "count", layers);
  if (check) {
    info_text(s, "check",
              "kinds of layers are known; extents need data: see h3d-train "
              "--dry-run");
  }
  return H3D_OK;
}

void
info_build(info_say *s)
{
  info_text(s, "h3d", PACKAGE_VERSION);
  info_text(s, "MPI", h3d_mpi_library());
  info_text(s, "HDF5", h3d_h5_library());
  info_text(s, "assertions", H3D_DEBUG ? "yes" : "no");
  info_open(s, "devices");
  for (const h3d_backend *const *b = h3d_backends; *b; b++) {
    info_text(s, (*b)->name, (*b)->about());
  }
  info_close(s);
  info_open(s, "layers");
  for (const h3d_layer_kind *const *k = h3d_layer_kinds; *k; k++) {
    info_text(s, (*k)->name, (*k)->help ? (*k)->help : "");
  }
  info_close(s);
  info_open(s, "optimizers");
  for (const h3d_optim_kind *const *k = h3d_optim_kinds; *k; k++) {
    info_text(s, (*k)->name, (*k)->help);
  }
  info_close(s);
}
