/* The public CosmoFlow layout, made here and read by box. */
#include "config.h"

#include "base/mem.h"
#include "io/cosmoflow.h"
#include "tap.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

TAP_RANKS("1")

static const char path[] = "test-io-cosmoflow.hdf5";
enum { D = 6, H = 5, W = 7, C = 3 };

/* A voxel's value says where it is: c, d, h, w in the decimal digits. */
static int16_t
value(int64_t c, int64_t d, int64_t h, int64_t w)
{
  return (int16_t)(((c * 10 + d) * 10 + h) * 10 + w);
}

static void
write_one(int channel_first, int with_all)
{
  static const double unit[2] = { -0.5, 0.25 }, phys[2] = { 0.2, 0.85 };
  static const double redshift[C] = { 0, 0.5, 3 };
  static const char *const names[2] = { "Omega_m", "sigma_8" };
  const int64_t shape[2][4] = { { D, H, W, C }, { C, D, H, W } };
  const int64_t two = 2, channels = C, box = 256;
  int16_t full[D * H * W * C];
  int good;
  h3d_h5 *f;

  for (int64_t i = 0; i < D * H * W * C; i++) {
    int64_t c = channel_first ? i / (D * H * W) : i % C;
    int64_t v = channel_first ? i % (D * H * W) : i / C;

    full[i] = value(c, v / (H * W), v / W % H, v % W);
  }
  good = h3d_h5_create(path, &f) == H3D_OK
         && h3d_h5_write_all(f, "/full", H3D_H5_I16, 4, shape[channel_first],
                             NULL, full)
              == H3D_OK
         && h3d_h5_write_all(f, "/unitPar", H3D_H5_F64, 1, &two, NULL, unit)
              == H3D_OK;
  if (with_all) {
    good
      = good
        && h3d_h5_write_all(f, "/physPar", H3D_H5_F64, 1, &two, NULL, phys)
             == H3D_OK
        && h3d_h5_write_texts(f, "/namePar", 2, names) == H3D_OK
        && h3d_h5_write_all(f, "/redshifts", H3D_H5_F64, 1, &channels, NULL,
                            redshift)
             == H3D_OK
        && h3d_h5_write_ints(f, "/", "boxsize", 1, &box) == H3D_OK
        && h3d_h5_write_attr_text(f, "/", "boxsize_unit", "Mpc/h") == H3D_OK;
  }
  ok(good && h3d_h5_publish(&f) == H3D_OK, "a universe, channel %s",
     channel_first ? "first" : "last");
}

static void
test_boxes(int channel_first)
{
  static const int64_t boxes[3][6]
    = { { 0, 0, 0, D, H, W }, { 2, 1, 3, 3, 2, 4 }, { 5, 4, 6, 1, 1, 1 } };
  int16_t out[D * H * W * C];
  h3d_cosmoflow *f;

  write_one(channel_first, 1);
  ok(h3d_cosmoflow_open(path, &f) == H3D_OK && f->channels == C
       && f->channel_first == channel_first && f->extent[0] == D
       && f->extent[1] == H && f->extent[2] == W && f->type == H3D_H5_I16,
     "its extents are seen");
  for (int b = 0; b < 3; b++) {
    const int64_t *s = boxes[b], *n = boxes[b] + 3;
    int right = h3d_cosmoflow_read(f, s, n, out) == H3D_OK;
    int64_t i = 0;

    for (int64_t c = 0; c < C; c++) {
      for (int64_t d = s[0]; d < s[0] + n[0]; d++) {
        for (int64_t h = s[1]; h < s[1] + n[1]; h++) {
          for (int64_t w = s[2]; w < s[2] + n[2]; w++) {
            right = right && out[i++] == value(c, d, h, w);
          }
        }
      }
    }
    ok(right, "box %d is [c][d][h][w]", b);
  }
  ok(f->params == 2 && f->unit[1] == 0.25 && f->phys[0] == 0.2
       && strcmp(f->name[1], "sigma_8") == 0 && f->redshift[2] == 3
       && f->box == 256 && strcmp(f->box_unit, "Mpc/h") == 0,
     "and all that comes with them");
  h3d_cosmoflow_close(&f);
}

static void
test_optional(void)
{
  h3d_cosmoflow *f;

  write_one(0, 0);
  ok(h3d_cosmoflow_open(path, &f) == H3D_OK && f->params == 2
       && f->phys == NULL && f->name == NULL && f->redshift == NULL
       && f->box == 0 && f->box_unit[0] == '\0',
     "only what is needed");
  h3d_cosmoflow_close(&f);
}

static void
test_fit(void)
{
  const double unit[4] = { 0.1, -0.7, 0.9, 0.3 };
  double phys[4], offset, scale, error;

  for (int i = 0; i < 4; i++) {
    phys[i] = 0.3 + 0.2 * unit[i];
  }
  ok(h3d_affine_fit(4, unit, phys, &offset, &scale, &error)
       && fabs(offset - 0.3) < 1e-14 && fabs(scale - 0.2) < 1e-14
       && error < 1e-14,
     "the affine map is found");
  phys[0] += 0.02;
  ok(h3d_affine_fit(4, unit, phys, &offset, &scale, &error)
       && fabs(error - 0.1) < 1e-12,
     "and what does not fit it is seen");
  ok(!h3d_affine_fit(1, unit, phys, &offset, &scale, &error) && offset == 0
       && scale == 1,
     "one point makes no map");
}

static void
test_refusals(void)
{
  const int64_t cube[4] = { 4, 4, 4, 4 }, flat[2] = { 4, 4 };
  int16_t zeros[256] = { 0 };
  h3d_cosmoflow *f;
  h3d_h5 *h;

  h3d_h5_create(path, &h);
  h3d_h5_publish(&h);
  ok(h3d_cosmoflow_open(path, &f) == H3D_ERR_FILE && f == NULL, "%s",
     h3d_why());
  h3d_h5_create(path, &h);
  h3d_h5_write_all(h, "/full", H3D_H5_I16, 4, cube, NULL, zeros);
  h3d_h5_publish(&h);
  ok(h3d_cosmoflow_open(path, &f) == H3D_ERR_FILE
       && strstr(h3d_why(), "axes") != NULL,
     "%s", h3d_why());
  h3d_h5_create(path, &h);
  h3d_h5_write_all(h, "/full", H3D_H5_I16, 2, flat, NULL, zeros);
  h3d_h5_publish(&h);
  ok(h3d_cosmoflow_open(path, &f) == H3D_ERR_FILE, "%s", h3d_why());
  h3d_h5_create(path, &h);
  h3d_h5_write_all(h, "/full", H3D_H5_I16, 4, cube, NULL, zeros);
  h3d_h5_write_attr_text(h, "/full", "axes", "c d h w");
  h3d_h5_publish(&h);
  ok(h3d_cosmoflow_open(path, &f) == H3D_OK && f->channel_first == 1,
     "an attribute tells");
  h3d_cosmoflow_close(&f);
  unlink(path);
  ok(h3d_cosmoflow_open(path, &f) == H3D_ERR_FILE
       && strstr(h3d_why(), path) != NULL,
     "%s", h3d_why());
}

void
tap_main(void)
{
  const size_t blocks = h3d_mem_count();

  test_boxes(0);
  test_boxes(1);
  test_optional();
  test_fit();
  test_refusals();
  ok(h3d_mem_count() == blocks, "no memory is left");
}
