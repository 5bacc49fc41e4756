#include "config.h"

#include "tap.h"

#include "backend/devices.h"

TAP_RANKS("1")

/* Cell i of a buffer holds i: any misplaced cell is seen. */
static double *
numbers(int64_t n)
{
  double *x = h3d_new((size_t)n, sizeof *x);
  int64_t i;

  for (i = 0; i < n; i++) {
    x[i] = (double)i;
  }
  return x;
}

static int64_t
size(const h3d_cells *b, int64_t c)
{
  return b->ext[0] * b->ext[1] * b->ext[2] * b->ext[3] * c;
}

static int64_t
index_of(const h3d_cells *b, const int64_t i[4], int64_t c, int64_t j)
{
  int64_t at = 0;
  int a;

  for (a = 0; a < 4; a++) {
    at = at * b->ext[a] + b->at[a] + i[a];
  }
  return at * c + j;
}

static int
is_box_right(h3d_device *dev, const int64_t len[4], int64_t c,
             const h3d_cells *from, const h3d_cells *to, int add)
{
  double *x = numbers(size(from, c)), *y = numbers(size(to, c)), *got;
  void *mx = to_device(dev, size(from, c), x);
  void *my = to_device(dev, size(to, c), y);
  int64_t i[4], j;
  int good;

  for (i[0] = 0; i[0] < len[0]; i[0]++) {
    for (i[1] = 0; i[1] < len[1]; i[1]++) {
      for (i[2] = 0; i[2] < len[2]; i[2]++) {
        for (i[3] = 0; i[3] < len[3]; i[3]++) {
          for (j = 0; j < c; j++) {
            double *t = &y[index_of(to, i, c, j)];

            *t = x[index_of(from, i, c, j)] + (add ? *t : 0);
          }
        }
      }
    }
  }
  if (add) {
    dev->be->add_box(dev, len, c, mx, from, my, to);
  } else {
    dev->be->copy_box(dev, len, (size_t)c * h3d_type_size(dev->type), mx, from,
                      my, to);
  }
  got = from_device(dev, size(to, c), my);
  good = is_near(size(to, c), got, y, NULL, 0);
  dev->be->release(dev, mx);
  h3d_free(x);
  h3d_free(y);
  h3d_free(got);
  return good;
}

static void
test_boxes(h3d_device *dev)
{
  h3d_rng rng = h3d_rng_init(9, H3D_RNG_TEST, 0, 0);
  int bad = 0, i, a;
  char name[32];

  for (i = 0; i < 200; i++) {
    h3d_cells from, to;
    int64_t len[4];

    for (a = 0; a < 4; a++) {
      len[a] = draw(&rng, 0, 4);
      from.at[a] = draw(&rng, 0, 2);
      to.at[a] = draw(&rng, 0, 2);
      from.ext[a] = len[a] + from.at[a] + draw(&rng, 0, 1);
      to.ext[a] = len[a] + to.at[a] + draw(&rng, 0, 1);
    }
    bad += !is_box_right(dev, len, draw(&rng, 1, 5), &from, &to, i % 2);
  }
  ok(bad == 0, "%s: 200 random boxes copied and added exactly",
     device_name(dev, name));
}

static void
test_memory(h3d_device *dev)
{
  char host[100], zero[100] = { 0 };
  size_t before = h3d_mem_count();
  void *m = NULL, *none = NULL;
  char name[32];
  int i;

  ok(dev->be->alloc(dev, sizeof host, &m) == H3D_OK
       && dev->be->alloc(dev, 0, &none) == H3D_OK,
     "%s: memory is there", device_name(dev, name));
  dev->be->get(dev, host, m, sizeof host);
  ok(memcmp(host, zero, sizeof host) == 0 && (uintptr_t)m % 64 == 0,
     "%s: it is zeroed and aligned", device_name(dev, name));
  for (i = 0; i < 100; i++) {
    host[i] = (char)i;
  }
  dev->be->put(dev, m, host, sizeof host);
  dev->be->zero(dev, m, 50);
  dev->be->sync(dev);
  memset(zero, 1, sizeof zero);
  dev->be->get(dev, zero, m, sizeof zero);
  memset(host, 0, 50);
  ok(memcmp(host, zero, sizeof host) == 0, "%s: put, zero and get",
     device_name(dev, name));
  dev->be->release(dev, m);
  dev->be->release(dev, none);
  ok(h3d_mem_count() == before, "%s: released", device_name(dev, name));
  ok(dev->be->alloc(dev, SIZE_MAX - 100, &m) == H3D_ERR_MEMORY && m == NULL,
     "%s: more memory than there is, is refused", device_name(dev, name));
}

void
tap_main(void)
{
  h3d_device dev[DEVICES_MAX];
  int n = open_devices(dev), i;

  for (i = 0; i < n; i++) {
    test_boxes(&dev[i]);
    test_memory(&dev[i]);
  }
  close_devices(dev, n);
}
