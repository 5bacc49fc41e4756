#include "config.h"

#include "universe.h"

#include "base/mem.h"
#include "growth.h"
#include "io/h5.h"
#include "simulate_lpt.h"

struct h3d_universe {
  const h3d_universe_plan *plan;
  h3d_lpt *lpt;
  int32_t *counts; /* [d][h][w] of one channel */
  int16_t *voxels; /* [d][h][w][c] */
  int64_t index;
  double unit[H3D_PRIOR_MAX], phys[H3D_PRIOR_MAX];
};

static int64_t
mesh(const h3d_universe_plan *p)
{
  return p->cells * p->cells * p->cells;
}

size_t
h3d_universe_memory(const h3d_universe_plan *p)
{
  return h3d_lpt_bytes(p->particles, p->order)
         + (size_t)mesh(p)
             * (sizeof(int32_t) + (size_t)p->channels * sizeof(int16_t));
}

int64_t
h3d_universe_disk(const h3d_universe_plan *p)
{
  return mesh(p) * p->channels * (int64_t)sizeof(int16_t);
}

h3d_status
h3d_universe_new(const h3d_universe_plan *plan, h3d_universe **out)
{
  h3d_status st = H3D_OK;
  h3d_universe *u = h3d_new(1, sizeof *u);
  const size_t cells = (size_t)mesh(plan);

  *out = NULL;
  u->plan = plan;
  H3D_TRY(h3d_lpt_new(plan->particles, plan->order, &u->lpt));
  H3D_TRY(h3d_alloc(cells, sizeof *u->counts, (void **)&u->counts));
  H3D_TRY(h3d_alloc(cells * (size_t)plan->channels, sizeof *u->voxels,
                    (void **)&u->voxels));
  *out = u;
  return H3D_OK;
done:
  h3d_universe_free(&u);
  return st;
}

void
h3d_universe_free(h3d_universe **u)
{
  if (*u) {
    h3d_lpt_free(&(*u)->lpt);
    h3d_free((*u)->counts);
    h3d_free((*u)->voxels);
    h3d_free(*u);
    *u = NULL;
  }
}

/* Counts into channel c.  A wrapped count would look like any other voxel,
 * so too many particles end the run instead.
 */
static h3d_status
keep(h3d_universe *u, int c)
{
  const h3d_universe_plan *p = u->plan;
  int32_t most = 0;

  for (int64_t i = 0; i < mesh(p); i++) {
    most = u->counts[i] > most ? u->counts[i] : most;
    u->voxels[i * p->channels + c] = (int16_t)u->counts[i];
  }
  if (most > INT16_MAX) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "universe %lld: %d particles in one cell at z = %g, more "
                    "than int16 holds (%d): lower --particles (%lld) or raise "
                    "--size (%lld)",
                    (long long)u->index, most, p->redshift[c], INT16_MAX,
                    (long long)p->particles, (long long)p->cells);
  }
  return H3D_OK;
}

h3d_status
h3d_universe_make(h3d_universe *u, int64_t index)
{
  const h3d_universe_plan *p = u->plan;
  const h3d_rng noise
    = h3d_rng_init(p->seed, H3D_RNG_SIMULATE, (uint64_t)index, 0);
  h3d_cosmology c;
  h3d_spectrum s;
  h3d_status st;

  u->index = index;
  h3d_prior_draw(&p->prior, p->seed, (uint64_t)index, u->unit, u->phys, &c);
  st = h3d_spectrum_init(&s, &c, 1);
  if (st == H3D_OK) {
    h3d_lpt_make(u->lpt, &s, p->box, &noise);
  }
  for (int i = 0; i < p->channels && st == H3D_OK; i++) {
    const double z = p->redshift[i];

    h3d_lpt_count(u->lpt, h3d_growth(c.omega_m, z),
                  h3d_growth_second(c.omega_m, z), p->cells, u->counts);
    st = keep(u, i);
  }
  return st;
}

/* Everything but the voxels. */
static h3d_status
write_facts(const h3d_universe *u, h3d_h5 *f)
{
  const h3d_universe_plan *p = u->plan;
  const int64_t n = p->prior.n, channels = p->channels;
  const int64_t seed = (int64_t)p->seed;
  const char *name[H3D_PRIOR_MAX];
  const char *method = p->order == 2 ? "2lpt" : "zeldovich";
  h3d_status st = H3D_OK;

  for (int j = 0; j < p->prior.n; j++) {
    name[j] = p->prior.name[j];
  }
  float unit[H3D_PRIOR_MAX], phys[H3D_PRIOR_MAX];
  float redshift[H3D_UNIVERSE_REDSHIFTS];
  for (int j = 0; j < p->prior.n; j++) {
    unit[j] = (float)u->unit[j];
    phys[j] = (float)u->phys[j];
  }
  for (int c = 0; c < p->channels; c++) {
    redshift[c] = (float)p->redshift[c];
  }
  H3D_TRY(h3d_h5_write_all(f, "unitPar", H3D_H5_F32, 1, &n, NULL, unit));
  H3D_TRY(h3d_h5_write_all(f, "physPar", H3D_H5_F32, 1, &n, NULL, phys));
  H3D_TRY(h3d_h5_write_texts(f, "namePar", n, name));
  H3D_TRY(h3d_h5_write_all(f, "redshifts", H3D_H5_F32, 1, &channels, NULL,
                           redshift));
  H3D_TRY(h3d_h5_write_reals(f, "/", "boxsize", 1, &p->box));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "boxsize_unit", "Mpc/h"));
  H3D_TRY(h3d_h5_write_ints(f, "/", "seed", 1, &seed));
  H3D_TRY(h3d_h5_write_ints(f, "/", "universe", 1, &u->index));
  H3D_TRY(h3d_h5_write_ints(f, "/", "particles", 1, &p->particles));
  H3D_TRY(h3d_h5_write_reals(f, "/", "Omega_b", 1, &p->prior.fixed.omega_b));
  H3D_TRY(h3d_h5_write_reals(f, "/", "T_cmb", 1, &p->prior.fixed.t_cmb));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "method", method));
  H3D_TRY(h3d_h5_write_attr_text(f, "/", "version", PACKAGE_STRING));
done:
  return st;
}

h3d_status
h3d_universe_write(const h3d_universe *u, const char *path)
{
  const h3d_universe_plan *p = u->plan;
  const int64_t n = p->cells, side = n < 64 ? n : 64;
  const int64_t shape[4] = { n, n, n, p->channels };
  const int64_t chunk[4] = { side, side, side, p->channels };
  const h3d_h5_layout layout = { .chunk = chunk, .deflate = p->deflate };
  h3d_status st = H3D_OK;
  h3d_h5 *f = NULL;

  H3D_TRY(h3d_h5_create(path, &f));
  /* Contiguous like the public data, unless a filter needs chunks. */
  H3D_TRY(h3d_h5_write_all(f, "full", H3D_H5_I16, 4, shape,
                           p->deflate ? &layout : NULL, u->voxels));
  H3D_TRY(write_facts(u, f));
  st = h3d_h5_publish(&f);
done:
  h3d_h5_close(&f);
  return st;
}
