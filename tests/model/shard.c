/* Shares of a weight: each number of the whole has one place. */
#include "config.h"

#include "model/shard.h"

#include "base/mem.h"
#include "tap.h"

TAP_RANKS("1")

enum { ROWS = 3, CHANNELS = 2, D = 5, H = 4, W = 3 };
enum { TOTAL = ROWS * CHANNELS * D * H * W };

static h3d_param
share(const h3d_dist *d, const int at[H3D_AXES])
{
  h3d_param p = { .dims = 2,
                  .n = { ROWS, CHANNELS * D * H * W },
                  .sharded = 1,
                  .rows = ROWS,
                  .box = h3d_dist_box(d, at),
                  .extent = { D, H, W } };

  p.size = ROWS * p.box.len[H3D_AXIS_C] * h3d_box_voxels(&p.box);
  return p;
}

/* Walk a share in the order of memory, [row][d][h][w][c]. */
static int
check_share(const h3d_param *p, int seen[TOTAL])
{
  const int64_t *s = p->box.start, *n = p->box.len;
  int64_t j = 0;
  int bad = 0;

  for (int64_t r = 0; r < ROWS; r++) {
    for (int64_t d = s[2]; d < s[2] + n[2]; d++) {
      for (int64_t h = s[3]; h < s[3] + n[3]; h++) {
        for (int64_t w = s[4]; w < s[4] + n[4]; w++) {
          for (int64_t c = 0; c < CHANNELS; c++, j++) {
            int64_t want = (((r * CHANNELS + c) * D + d) * H + h) * W + w;

            bad += h3d_shard_index(p, j) != want;
            seen[want]++;
          }
        }
      }
    }
  }
  return bad + (j != p->size);
}

static void
test_index(int pd, int ph, int pw)
{
  const int64_t n[H3D_AXES] = { 1, CHANNELS, D, H, W };
  const int parts[H3D_AXES] = { 1, 1, pd, ph, pw };
  int seen[TOTAL] = { 0 }, bad = 0, once = 1, at[H3D_AXES] = { 0 };
  h3d_dist dist;

  for (int a = 0; a < H3D_AXES; a++) {
    dist.cut[a] = h3d_cut_init(n[a], parts[a], 1);
  }
  for (at[2] = 0; at[2] < pd; at[2]++) {
    for (at[3] = 0; at[3] < ph; at[3]++) {
      for (at[4] = 0; at[4] < pw; at[4]++) {
        h3d_param p = share(&dist, at);

        bad += check_share(&p, seen);
        bad += h3d_shard_total(&p) != TOTAL;
      }
    }
  }
  for (int i = 0; i < TOTAL; i++) {
    once = once && seen[i] == 1;
  }
  ok(bad == 0 && once, "%dx%dx%d shares hold each number once, in order", pd,
     ph, pw);
}

static void
test_plain(void)
{
  h3d_param p = { .dims = 5, .n = { 2, 3, 4, 5, 6 }, .size = 720 };
  int same = 1;

  for (int64_t j = 0; j < p.size; j++) {
    same = same && h3d_shard_index(&p, j) == j;
  }
  ok(same && h3d_shard_total(&p) == 720, "what is not sharded is as it is");
}

static void
test_types(h3d_type type)
{
  enum { N = 1001 };
  double *x = h3d_new(N, sizeof *x), *y = h3d_new(N, sizeof *y);
  h3d_device dev;
  void *mem;
  int same = 1;

  h3d_device_open("ref", type, &dev);
  dev.be->alloc(&dev, N * h3d_type_size(type), &mem);
  for (int i = 0; i < N; i++) {
    x[i] = i / 3.0;
  }
  h3d_shard_put(&dev, N, x, mem);
  h3d_shard_get(&dev, N, mem, y);
  for (int i = 0; i < N; i++) {
    same = same && y[i] == (type == H3D_F64 ? x[i] : (double)(float)x[i]);
  }
  ok(same, "%s there and back", h3d_type_name(type));
  dev.be->release(&dev, mem);
  h3d_device_close(&dev);
  h3d_free(x);
  h3d_free(y);
}

void
tap_main(void)
{
  test_plain();
  test_index(1, 1, 1);
  test_index(2, 1, 1);
  test_index(5, 4, 3);
  test_index(2, 3, 2);
  test_index(8, 1, 4); /* some of them empty */
  test_types(H3D_F32);
  test_types(H3D_F64);
}
