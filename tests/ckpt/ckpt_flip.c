/* No byte of a checkpoint changes unnoticed. */
#include "config.h"

#include "base/mem.h"
#include "rig.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

TAP_RANKS("1 2")

enum { FLIPS = 300 };

static char folder[64];

static long
size_of(const char *path)
{
  FILE *f = fopen(path, "rb");
  long size;

  fseek(f, 0, SEEK_END);
  size = ftell(f);
  fclose(f);
  return size;
}

/* Turn bits over; twice is none.  Rank 0 works, others wait. */
static void
flip(const char *path, long at, int bits)
{
  if (tap_rank == 0) {
    FILE *f = fopen(path, "r+b");
    int c;

    fseek(f, at, SEEK_SET);
    c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ bits, f);
    fclose(f);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* 1: refused, by the file's name. */
static int
refused(const h3d_grid *g, const char *path)
{
  h3d_ckpt *c = NULL;
  h3d_status st = h3d_ckpt_read(g, path, &c);
  int well = st == H3D_ERR_FILE && c == NULL && strstr(h3d_why(), path);

  h3d_ckpt_free(&c);
  return well;
}

static void
test_flips(void)
{
  char path[H3D_CKPT_PATH_MAX];
  h3d_ckpt *c;
  long size, missed = 0, last = 0;
  rig r;

  ok(rig_init(&r, 1, 1, H3D_F32, 1), "a model");
  c = rig_about(&r);
  h3d_ckpt_name(folder, 1, path);
  ok(h3d_ckpt_write(path, c, r.model, r.optim) == H3D_OK, "written");
  h3d_ckpt_free(&c);
  size = size_of(path);
  for (int i = 0; i < FLIPS; i++) {
    /* The first bytes, the last one, and all over the file. */
    long at = i < 40 ? i * 13 : (size - 1) * (i - 39) / (FLIPS - 40);
    int bits = i % 9 == 8 ? 0xff : 1 << i % 9;

    flip(path, at, bits);
    if (!refused(r.grid, path)) {
      missed++;
      last = at;
    }
    flip(path, at, bits);
  }
  ok(missed == 0, "%d flips in %ld bytes: %ld unnoticed, one at %ld", FLIPS,
     size, missed, last);
  ok(strstr(h3d_why(), "damaged"), "%s", h3d_why());
  ok(h3d_ckpt_read(r.grid, path, &c) == H3D_OK, "whole again");
  h3d_ckpt_free(&c);
  rig_free(&r);
}

void
tap_main(void)
{
  rig_folder(folder);
  test_flips();
  rig_remove(folder);
}
