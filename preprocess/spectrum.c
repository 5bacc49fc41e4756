/* The names follow the paper; its equation numbers stand beside them. */
#include "config.h"

#include "spectrum.h"

#include <math.h>

static const double euler = 2.718281828459045;
static const double pi = 3.141592653589793;

/* (2)-(7): equality, the drag epoch, the sound horizon, Silk damping. */
static void
scales(h3d_spectrum *s)
{
  const h3d_cosmology *c = &s->cosmology;
  const double om = c->omega_m * c->h * c->h, ob = c->omega_b * c->h * c->h;
  const double theta = c->t_cmb / 2.7, theta4 = pow(theta, 4);
  const double b1 = 0.313 * pow(om, -0.419) * (1 + 0.607 * pow(om, 0.674));
  const double b2 = 0.238 * pow(om, 0.223);

  s->z_eq = 2.5e4 * om / theta4;
  s->k_eq = 0.0746 * om / (theta * theta);
  s->z_drag = 1291 * pow(om, 0.251) / (1 + 0.659 * pow(om, 0.828))
              * (1 + b1 * pow(ob, b2));
  /* The paper writes R(z); released codes take 1 + z here, as we do. */
  s->r_drag = 31.5 * ob / theta4 * 1000 / (1 + s->z_drag);
  s->r_eq = 31.5 * ob / theta4 * 1000 / s->z_eq;
  s->sound = 2 / (3 * s->k_eq) * sqrt(6 / s->r_eq)
             * log((sqrt(1 + s->r_drag) + sqrt(s->r_drag + s->r_eq))
                   / (1 + sqrt(s->r_eq)));
  s->k_silk
    = 1.6 * pow(ob, 0.52) * pow(om, 0.73) * (1 + pow(10.4 * om, -0.95));
  /* (26), (31) */
  s->sound_fit = 44.5 * log(9.83 / om) / sqrt(1 + 10 * pow(ob, 0.75));
  s->alpha_gamma = 1 - 0.328 * log(431 * om) * ob / om
                   + 0.38 * log(22.3 * om) * (ob / om) * (ob / om);
}

/* (11), (12), (14), (15), (23), (24): suppression and shifts. */
static void
shapes(h3d_spectrum *s)
{
  const h3d_cosmology *c = &s->cosmology;
  const double om = c->omega_m * c->h * c->h, fb = c->omega_b / c->omega_m;
  const double a1 = pow(46.9 * om, 0.670) * (1 + pow(32.1 * om, -0.532));
  const double a2 = pow(12 * om, 0.424) * (1 + pow(45 * om, -0.582));
  const double b1 = 0.944 / (1 + pow(458 * om, -0.708));
  const double b2 = pow(0.395 * om, -0.0266);
  const double y = s->z_eq / (1 + s->z_drag), root = sqrt(1 + y);
  const double g
    = y * (-6 * root + (2 + 3 * y) * log((root + 1) / (root - 1)));

  s->alpha_c = pow(a1, -fb) * pow(a2, -fb * fb * fb);
  s->beta_c = 1 / (1 + b1 * (pow(1 - fb, b2) - 1));
  s->alpha_b = 2.07 * s->k_eq * s->sound * pow(1 + s->r_drag, -0.75) * g;
  s->beta_b = 0.5 + fb + (3 - 2 * fb) * sqrt(17.2 * om * 17.2 * om + 1);
  s->beta_node = 8.41 * pow(om, 0.435);
}

/* (17)-(20): pressureless, with or without the baryons' suppression. */
static double
t_pressureless(double q, double alpha, double beta)
{
  const double l = log(euler + 1.8 * beta * q);
  const double c = 14.2 / alpha + 386 / (1 + 69.9 * pow(q, 1.08));

  return l / (l + c * q * q);
}

/* (8)-(24) */
static double
transfer_full(const h3d_spectrum *s, double k)
{
  const h3d_cosmology *c = &s->cosmology;
  const double fb = c->omega_b / c->omega_m;
  const double km = k * c->h, ks = km * s->sound, q = km / (13.41 * s->k_eq);
  const double f = 1 / (1 + pow(ks / 5.4, 4));
  const double cold = f * t_pressureless(q, 1, s->beta_c)
                      + (1 - f) * t_pressureless(q, s->alpha_c, s->beta_c);
  const double x = ks / cbrt(1 + pow(s->beta_node / ks, 3));
  const double baryon
    = (t_pressureless(q, 1, 1) / (1 + (ks / 5.2) * (ks / 5.2))
       + s->alpha_b / (1 + pow(s->beta_b / ks, 3))
           * exp(-pow(km / s->k_silk, 1.4)))
      * (x < 1e-4 ? 1 : sin(x) / x);

  return fb * baryon + (1 - fb) * cold;
}

/* (28)-(31) */
static double
transfer_smooth(const h3d_spectrum *s, double k)
{
  const h3d_cosmology *c = &s->cosmology;
  const double theta = c->t_cmb / 2.7, a = s->alpha_gamma;
  const double x = 0.43 * k * c->h * s->sound_fit;
  const double gamma = c->omega_m * c->h * (a + (1 - a) / (1 + x * x * x * x));
  const double q = k * theta * theta / gamma;
  const double l = log(2 * euler + 1.8 * q);

  return l / (l + (14.2 + 731 / (1 + 62.5 * q)) * q * q);
}

double
h3d_spectrum_transfer(const h3d_spectrum *s, double k)
{
  if (k <= 0) {
    return 1;
  }
  return s->wiggles ? transfer_full(s, k) : transfer_smooth(s, k);
}

double
h3d_spectrum_power(const h3d_spectrum *s, double k)
{
  const double t = h3d_spectrum_transfer(s, k);

  return k <= 0 ? 0 : s->amplitude * pow(k, s->cosmology.n_s) * t * t;
}

/* Fourier transform of a ball; the series avoids cancellation. */
static double
ball(double x)
{
  if (x < 0.01) {
    return 1 - x * x / 10;
  }
  return 3 * (sin(x) - x * cos(x)) / (x * x * x);
}

double
h3d_spectrum_sigma(const h3d_spectrum *s, double r)
{
  enum { STEPS = 6000 }; /* with these limits good to 1e-4 or better */
  const double low = log(1e-5), step = (log(50.) - low) / STEPS;
  double sum = 0;

  for (int i = 0; i <= STEPS; i++) {
    const double k = exp(low + i * step), w = ball(k * r);
    const double end = i == 0 || i == STEPS ? 0.5 : 1;

    sum += end * k * k * k * h3d_spectrum_power(s, k) * w * w;
  }
  return sqrt(sum * step / (2 * pi * pi));
}

h3d_status
h3d_spectrum_init(h3d_spectrum *s, const h3d_cosmology *c, int wiggles)
{
  /* Written so that a NaN is refused too. */
  if (!(c->omega_b > 0 && c->omega_b < c->omega_m && c->omega_m <= 1)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "Omega_m %g with Omega_b %g is no flat universe with "
                    "matter: choose 0 < Omega_b < Omega_m <= 1",
                    c->omega_m, c->omega_b);
  }
  if (!(c->h > 0 && c->sigma_8 > 0 && c->t_cmb > 0 && isfinite(c->n_s))) {
    return h3d_fail(H3D_ERR_USAGE,
                    "h %g, sigma_8 %g, T_cmb %g K, n_s %g: choose finite "
                    "numbers, the first three positive",
                    c->h, c->sigma_8, c->t_cmb, c->n_s);
  }
  *s = (h3d_spectrum){ .cosmology = *c, .wiggles = wiggles };
  scales(s);
  shapes(s);
  s->amplitude = 1;
  const double unit = h3d_spectrum_sigma(s, 8);
  s->amplitude = c->sigma_8 * c->sigma_8 / (unit * unit);
  return H3D_OK;
}
