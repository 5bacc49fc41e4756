#include "config.h"

#include "prior.h"

#include "base/opt.h"
#include "base/rng.h"

#include <stdio.h>
#include <string.h>

enum { OMEGA_M, SIGMA_8, N_SPEC, H_0, OMEGA_B, PARAMETERS };

/* As the public data spell them; n_s is what everyone else writes. */
static const char *const names[]
  = { "Omega_m", "sigma_8", "N_spec", "H_0", "Omega_b", "n_s", NULL };

static int
find(const char *name)
{
  for (int i = 0; names[i]; i++) {
    if (strcmp(names[i], name) == 0) {
      return i == PARAMETERS ? N_SPEC : i;
    }
  }
  return -1;
}

static void
assign(h3d_cosmology *c, int which, double value)
{
  switch (which) {
  case OMEGA_M:
    c->omega_m = value;
    break;
  case SIGMA_8:
    c->sigma_8 = value;
    break;
  case N_SPEC:
    c->n_s = value;
    break;
  case H_0:
    c->h = value / 100;
    break;
  default:
    c->omega_b = value;
  }
}

static void
vary(h3d_prior *p, int which, double low, double high)
{
  snprintf(p->name[p->n], H3D_PRIOR_NAME, "%s", names[which]);
  p->which[p->n] = which;
  p->low[p->n] = low;
  p->high[p->n] = high;
  p->n++;
}

/* One line of a prior file; seen says which parameters came before. */
static h3d_status
read_line(h3d_prior *p, const char *where, char *line, int *seen)
{
  char name[32] = "", first[32] = "", second[32] = "", junk[2] = "";
  double low = 0, high = 0;

  line[strcspn(line, "#\r\n")] = 0;
  const int words
    = sscanf(line, "%31s %31s %31s %1s", name, first, second, junk);
  if (words <= 0) {
    return H3D_OK;
  }
  const int which = find(name);
  if (which < 0) {
    const char *near = h3d_nearest(name, names);

    return h3d_fail(H3D_ERR_USAGE,
                    "%s: parameter \"%s\" is not known%s%s: use Omega_m, "
                    "sigma_8, N_spec, H_0 or Omega_b",
                    where, name, near ? ", did you mean " : "",
                    near ? near : "");
  }
  if (words < 2 || words > 3) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s: %d words: write \"NAME LOW HIGH\" or \"NAME VALUE\"",
                    where, words);
  }
  if (seen[which]++) {
    return h3d_fail(H3D_ERR_USAGE, "%s: %s comes twice: remove one", where,
                    name);
  }
  h3d_status st = h3d_parse_real(where, first, &low);
  if (st == H3D_OK && words == 3) {
    st = h3d_parse_real(where, second, &high);
  }
  if (st == H3D_OK && words == 3 && !(low < high)) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "%s: %s from %g to %g: LOW must be below "
                  "HIGH",
                  where, name, low, high);
  }
  if (st == H3D_OK && words == 3) {
    vary(p, which, low, high);
  } else if (st == H3D_OK) {
    assign(&p->fixed, which, low);
  }
  return st;
}

static h3d_status
read_file(h3d_prior *p, const char *path)
{
  int seen[PARAMETERS] = { 0 };
  char line[256], where[512];
  h3d_status st = H3D_OK;
  FILE *f = fopen(path, "r");

  if (!f) {
    return h3d_fail(H3D_ERR_FILE,
                    "%s: no such prior: use wide, cosmoflow or a readable "
                    "file of \"NAME LOW HIGH\" lines",
                    path);
  }
  for (int n = 1; st == H3D_OK && fgets(line, sizeof line, f); n++) {
    snprintf(where, sizeof where, "%s:%d", path, n);
    st = read_line(p, where, line, seen);
  }
  if (st == H3D_OK && ferror(f)) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be read to its end", path);
  }
  fclose(f);
  if (st == H3D_OK && p->n == 0) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "%s: no parameter varies: give at least one line "
                  "\"NAME LOW HIGH\"",
                  path);
  }
  return st;
}

/* What is a universe at all corners of the box is one everywhere inside:
 * the conditions are one-sided bounds and Omega_b < Omega_m.
 */
static h3d_status
check_corners(const h3d_prior *p)
{
  for (int corner = 0; corner < 1 << p->n; corner++) {
    h3d_cosmology c = p->fixed;
    h3d_spectrum s;

    for (int j = 0; j < p->n; j++) {
      assign(&c, p->which[j], corner >> j & 1 ? p->high[j] : p->low[j]);
    }
    const h3d_status st = h3d_spectrum_init(&s, &c, 1);
    if (st != H3D_OK) {
      return st;
    }
  }
  return H3D_OK;
}

h3d_status
h3d_prior_read(const char *word, h3d_prior *p)
{
  h3d_status st = H3D_OK;

  *p = (h3d_prior){ .fixed = { .omega_m = 0.3,
                               .omega_b = 0.045,
                               .h = 0.7,
                               .n_s = 0.96,
                               .sigma_8 = 0.8,
                               .t_cmb = 2.7255 } };
  if (strcmp(word, "wide") == 0) {
    vary(p, OMEGA_M, 0.1, 0.5);
    vary(p, SIGMA_8, 0.6, 1.0);
  } else if (strcmp(word, "cosmoflow") == 0) {
    vary(p, OMEGA_M, 0.27, 0.33);
    vary(p, SIGMA_8, 0.72, 0.88);
    vary(p, N_SPEC, 0.864, 1.056);
    vary(p, H_0, 63, 77);
  } else {
    st = read_file(p, word);
  }
  if (st == H3D_OK) {
    st = check_corners(p);
    if (st != H3D_OK) {
      char why[300];

      snprintf(why, sizeof why, "%s", h3d_why());
      st = h3d_fail(st, "prior %.200s: %s", word, why);
    }
  }
  return st;
}

void
h3d_prior_draw(const h3d_prior *p, uint64_t seed, uint64_t u, double *unit,
               double *phys, h3d_cosmology *c)
{
  /* The field of the same universe takes stream b = 0. */
  const h3d_rng r = h3d_rng_init(seed, H3D_RNG_SIMULATE, u, 1);

  *c = p->fixed;
  for (int j = 0; j < p->n; j++) {
    const double centre = (p->low[j] + p->high[j]) / 2;

    /* By parameter, not by place: fixing one leaves the others' numbers. */
    unit[j] = 2 * h3d_rng_uniform(&r, (uint64_t)p->which[j]) - 1;
    phys[j] = centre + (p->high[j] - p->low[j]) / 2 * unit[j];
    assign(c, p->which[j], phys[j]);
  }
}
