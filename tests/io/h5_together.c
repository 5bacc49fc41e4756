/* Files that ranks begin together: every voxel is its index; no room. */
#include "config.h"

#include "base/agree.h"
#include "base/mem.h"
#include "io/h5.h"
#include "tap.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

TAP_RANKS("1 2 3")

static const char path[] = "test-io-h5-together.h5";
enum { D = 10, H = 6, CHUNK = 4 };

/* Ranks take turns with slabs of whole chunks; in the last turn some have
 * none.
 */
static h3d_status
write_slabs(h3d_h5 *f)
{
  h3d_status st = H3D_OK;

  for (int64_t turn = 0; turn * tap_size * CHUNK < D; turn++) {
    const int64_t at = (turn * tap_size + tap_rank) * CHUNK;
    const int64_t left = D - at;
    const int64_t n = left < 0 ? 0 : left < CHUNK ? left : CHUNK;
    const int64_t start[2] = { n > 0 ? at : 0, 0 }, count[2] = { n, H };
    int32_t slab[CHUNK * H];

    for (int i = 0; i < CHUNK * H; i++) {
      slab[i] = (int32_t)(at * H + i);
    }
    H3D_TRY(h3d_h5_write_together(f, "/x", H3D_H5_I32, 2, start, count,
                                  n > 0 ? slab : NULL));
  }
done:
  return st;
}

static void
test_write(int deflate)
{
  const int64_t shape[2] = { D, H }, chunk[2] = { CHUNK, CHUNK }, one = 1;
  const h3d_h5_layout layout = { .chunk = chunk, .deflate = deflate };
  const int32_t more = 7;
  int32_t got[D * H];
  int right = 1;
  h3d_h5 *f = NULL;
  h3d_status st;

  ok(h3d_h5_create_together(MPI_COMM_WORLD, path, D * H * 4, &f) == H3D_OK
       && h3d_h5_new_data(f, "/x", H3D_H5_I32, 2, shape, &layout) == H3D_OK
       && write_slabs(f) == H3D_OK && h3d_h5_end_together(&f) == H3D_OK
       && f == NULL,
     "written together, deflate %d", deflate);
  ok(access(path, F_OK) != 0, "without its name");
  st = H3D_OK;
  if (tap_rank == 0) {
    st = h3d_h5_continue(path, &f);
    st = st == H3D_OK
           ? h3d_h5_write_all(f, "/more", H3D_H5_I32, 1, &one, NULL, &more)
           : st;
    st = st == H3D_OK ? h3d_h5_publish(&f) : st;
  }
  ok(h3d_agree(MPI_COMM_WORLD, st) == H3D_OK, "one rank goes on");
  ok(h3d_h5_open(path, &f) == H3D_OK
       && h3d_h5_read_all(f, "/x", H3D_H5_I32, 2, shape, got) == H3D_OK
       && h3d_h5_has(f, "/more"),
     "all is there");
  h3d_h5_close(&f);
  for (int i = 0; i < D * H; i++) {
    right = right && got[i] == i;
  }
  ok(right, "each in its place");
  unlink(path);
}

static void
test_refusals(void)
{
  struct rlimit limit, small = { 0 };
  h3d_h5 *f = NULL;

  ok(h3d_h5_create_together(MPI_COMM_WORLD, "no-such-folder/x.h5", 8, &f)
         == H3D_ERR_FILE
       && f == NULL && strstr(h3d_why(), "no-such-folder/x.h5") != NULL,
     "%s", h3d_why());
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 4 << 20;
  setrlimit(RLIMIT_FSIZE, &small);
  ok(h3d_h5_create_together(MPI_COMM_WORLD, path, 8 << 20, &f) == H3D_ERR_FILE
       && f == NULL && strstr(h3d_why(), "make room") != NULL,
     "%s", h3d_why());
  setrlimit(RLIMIT_FSIZE, &limit);
  ok(h3d_h5_create_together(MPI_COMM_WORLD, path, 8, &f) == H3D_OK, "begun");
  h3d_h5_close(&f);
  (void)h3d_agree(MPI_COMM_WORLD, H3D_OK);
  ok(access("test-io-h5-together.h5.part", F_OK) != 0 && access(path, F_OK),
     "nothing is left");
}

void
tap_main(void)
{
  const size_t blocks = h3d_mem_count();

  test_write(0);
  test_write(1);
  test_refusals();
  ok(h3d_mem_count() == blocks, "no memory is left");
}
