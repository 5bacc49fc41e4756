/* What the user says of files that do not say it themselves. */
#include "config.h"

#include "source.h"

#include "base/opt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static h3d_status
parse_type(const char *word, h3d_h5_type *type)
{
  static const h3d_h5_type types[]
    = { H3D_H5_U8,  H3D_H5_I8,  H3D_H5_I16, H3D_H5_U16, H3D_H5_I32,
        H3D_H5_U32, H3D_H5_I64, H3D_H5_U64, H3D_H5_F32, H3D_H5_F64 };
  char known[128] = "";

  *type = H3D_H5_OTHER;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    size_t n = strlen(known);

    if (word != NULL && strcmp(word, h3d_h5_type_name(types[i])) == 0) {
      *type = types[i];
      return H3D_OK;
    }
    snprintf(known + n, sizeof known - n, "%s%s", n > 0 ? ", " : "",
             h3d_h5_type_name(types[i]));
  }
  return word == NULL
           ? h3d_fail(H3D_ERR_USAGE,
                      "raw files do not say what they hold: say the type of "
                      "their numbers by --dtype, one of %s",
                      known)
           : h3d_fail(H3D_ERR_USAGE,
                      "--dtype %s is not known; it is one of %s", word, known);
}

static h3d_status
parse_shape(const char *text, h3d_npy_raw *raw)
{
  const char *at = text;

  if (text == NULL) {
    return h3d_fail(H3D_ERR_USAGE,
                    "raw files do not say their shape: say it by --shape, "
                    "like 64x64x64, or 4x64x64x64 and 64x64x64x4 with "
                    "channels");
  }
  for (raw->ndims = 0; raw->ndims < 4; at++) {
    size_t n = strcspn(at, "x");
    char word[24];

    snprintf(word, sizeof word, "%.*s", (int)n, at);
    if (n >= sizeof word
        || h3d_parse_int("--shape", word, &raw->shape[raw->ndims]) != H3D_OK
        || raw->shape[raw->ndims] < 1) {
      break;
    }
    raw->ndims++;
    at += n;
    if (*at == '\0') {
      break;
    }
  }
  if (raw->ndims < 3 || *at != '\0') {
    return h3d_fail(H3D_ERR_USAGE,
                    "--shape %s: wanted are three extents like 64x64x64, or "
                    "four with channels first or last",
                    text);
  }
  return H3D_OK;
}

static h3d_status
parse_order(const char *word, int *little)
{
  *little = strcmp(word, "little") == 0;
  return *little || strcmp(word, "big") == 0
           ? H3D_OK
           : h3d_fail(H3D_ERR_USAGE, "--byte-order %s: choose little or big",
                      word);
}

h3d_status
h3d_source_parse(const h3d_source_words *w, h3d_source_options *o)
{
  static const char *const axes[] = { "auto", "cdhw", "dhwc" };
  h3d_status st = H3D_OK;
  int a = 0;

  memset(o, 0, sizeof *o);
  o->array = w->array;
  while (a < 3 && strcmp(w->axes, axes[a]) != 0) {
    a++;
  }
  o->axes = (h3d_source_axes)a;
  if (a == 3) {
    return h3d_fail(H3D_ERR_USAGE, "--axes %s: choose auto, cdhw or dhwc",
                    w->axes);
  }
  if (!w->is_raw) {
    return w->dtype == NULL && w->shape == NULL && w->offset == 0
             ? H3D_OK
             : h3d_fail(H3D_ERR_USAGE,
                        "--dtype, --shape and --offset are for raw files: say "
                        "--from raw, or leave them out");
  }
  if (w->offset < 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--offset %" PRId64 ": wanted are 0 or more bytes",
                    w->offset);
  }
  o->raw.offset = w->offset;
  H3D_TRY(parse_type(w->dtype, &o->raw.type));
  H3D_TRY(parse_shape(w->shape, &o->raw));
  st = parse_order(w->order, &o->raw.little);
done:
  return st;
}
