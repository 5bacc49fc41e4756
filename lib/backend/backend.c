#include "config.h"

#include "backend/backend.h"

#include <stdio.h>
#include <string.h>

size_t
h3d_type_size(h3d_type t)
{
  return t == H3D_F64 ? sizeof(double) : sizeof(float);
}

const char *
h3d_type_name(h3d_type t)
{
  return t == H3D_F64 ? "fp64" : "fp32";
}

int
h3d_type_find(const char *name, h3d_type *t)
{
  *t = strcmp(name, "fp64") == 0 ? H3D_F64 : H3D_F32;
  return strcmp(name, h3d_type_name(*t)) == 0;
}

/* "auto, cpu, ref" */
static const char *
known(char *out, size_t size)
{
  size_t used = (size_t)snprintf(out, size, "auto");
  int i;

  for (i = 0; h3d_backends[i] && used < size; i++) {
    used += (size_t)snprintf(out + used, size - used, ", %s",
                             h3d_backends[i]->name);
  }
  return out;
}

h3d_status
h3d_device_open(const char *name, h3d_type type, h3d_device *dev)
{
  h3d_status st = H3D_ERR_USAGE;
  char names[128];
  int i, is_auto = strcmp(name, "auto") == 0;

  memset(dev, 0, sizeof *dev);
  for (i = 0; h3d_backends[i]; i++) {
    if (!is_auto && strcmp(name, h3d_backends[i]->name) != 0) {
      continue;
    }
    dev->be = h3d_backends[i];
    dev->type = type;
    st = dev->be->open(dev, type);
    if (st == H3D_OK) {
      return H3D_OK;
    }
    memset(dev, 0, sizeof *dev);
    if (!is_auto) {
      return st;
    }
  }
  if (is_auto) {
    return st; /* why the last one, ref, did not open */
  }
  if (strcmp(name, "cpu") == 0) {
    return h3d_fail(H3D_ERR_BACKEND,
                    "device cpu is not in this build: configure it "
                    "--with-cpu (oneDNN), or use one of %s",
                    known(names, sizeof names));
  }
  return h3d_fail(H3D_ERR_USAGE, "unknown device \"%s\": this build has %s",
                  name, known(names, sizeof names));
}

void
h3d_device_close(h3d_device *dev)
{
  if (dev->be) {
    dev->be->close(dev);
  }
  memset(dev, 0, sizeof *dev);
}
