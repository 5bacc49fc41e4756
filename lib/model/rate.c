#include "config.h"

#include "model/rate.h"

#include "base/mem.h"
#include "base/opt.h"

#include <math.h>
#include <string.h>

/* "E=F" of a step schedule. */
static h3d_status
parse_boundary(const char *text, h3d_rate *r)
{
  const char *eq = strchr(text, '=');
  char *epoch;
  h3d_status st = H3D_OK;

  if (!eq || r->steps == H3D_RATE_STEPS_MAX) {
    return h3d_fail(H3D_ERR_USAGE,
                    "schedule: \"%s\" is no EPOCH=FACTOR, of which there may "
                    "be %d",
                    text, H3D_RATE_STEPS_MAX);
  }
  epoch = h3d_sprintf("%.*s", (int)(eq - text), text);
  H3D_TRY(h3d_parse_real("schedule: epoch", epoch, &r->at[r->steps]));
  H3D_TRY(h3d_parse_real("schedule: factor", eq + 1, &r->factor[r->steps]));
  if (r->at[r->steps] < 0 || r->factor[r->steps] < 0) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "schedule: \"%s\" has a number below 0: a rate never is; "
                  "give EPOCH and FACTOR of 0 or more",
                  text);
  } else if (r->steps > 0 && r->at[r->steps] <= r->at[r->steps - 1]) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "schedule: epoch %g stands behind epoch %g; write the "
                  "boundaries in rising order",
                  r->at[r->steps], r->at[r->steps - 1]);
  }
  r->steps++;
done:
  h3d_free(epoch);
  return st;
}

static h3d_status
parse_boundaries(const char *text, h3d_rate *r)
{
  char *copy = h3d_strdup(text), *next = copy;
  h3d_status st = H3D_OK;

  while (next && st == H3D_OK) {
    char *comma = strchr(next, ',');

    if (comma) {
      *comma++ = '\0';
    }
    st = parse_boundary(next, r);
    next = comma;
  }
  h3d_free(copy);
  return st;
}

h3d_status
h3d_rate_parse(const char *text, h3d_rate *out)
{
  static const char *const known[]
    = { "constant", "linear", "cosine", "step" };
  const char *colon = strchr(text, ':');
  size_t len = colon ? (size_t)(colon - text) : strlen(text);
  int k = 0;
  h3d_status st = H3D_OK;

  while (k < 4 && (strlen(known[k]) != len || strncmp(text, known[k], len))) {
    k++;
  }
  out->kind = (h3d_rate_kind)k;
  out->end = 0;
  out->steps = 0;
  if (k == 4 || (k == H3D_RATE_CONSTANT && colon)
      || (k == H3D_RATE_STEP && !colon)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "schedule: \"%s\" is not known; use constant, "
                    "linear[:END], cosine[:END] or "
                    "step:EPOCH=FACTOR,EPOCH=FACTOR...",
                    text);
  }
  if (k == H3D_RATE_STEP) {
    return parse_boundaries(colon + 1, out);
  }
  if (colon) {
    st = h3d_parse_real("schedule: end", colon + 1, &out->end);
  }
  if (st == H3D_OK && out->end < 0) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "schedule: \"%s\" ends below 0: a rate never is; give END "
                  "of 0 or more",
                  text);
  }
  return st;
}

double
h3d_rate_at(const h3d_rate *r, int64_t step)
{
  const double pi = 3.14159265358979323846;
  double x = (double)step / (double)r->steps_per_epoch, lr = r->base;
  double part = x < r->epochs ? x / r->epochs : 1;

  switch (r->kind) {
  case H3D_RATE_CONSTANT:
    break;
  case H3D_RATE_LINEAR:
    lr = r->base + (r->end - r->base) * part;
    break;
  case H3D_RATE_COSINE:
    lr = r->end + (r->base - r->end) * (1 + cos(pi * part)) / 2;
    break;
  case H3D_RATE_STEP:
    for (int i = 0; i < r->steps && r->at[i] <= x; i++) {
      lr = r->base * r->factor[i];
    }
    break;
  }
  if (x < r->warmup) {
    lr *= r->from + (1 - r->from) * x / r->warmup;
  }
  return lr;
}
