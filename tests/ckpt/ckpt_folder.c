/* Damage is seen, and the checkpoint before it is picked. */
#include "config.h"

#include "base/mem.h"
#include "rig.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

TAP_RANKS("1 2 4")

static char folder[64];

/* Flip a byte of a file, counted from its end. */
static void
flip(const char *path, long from_end)
{
  FILE *f = fopen(path, "r+b");
  int c;

  fseek(f, -from_end, SEEK_END);
  c = fgetc(f);
  fseek(f, -from_end, SEEK_END);
  fputc(c ^ 0x40, f);
  fclose(f);
}

/* Find the bytes of a weight in the file, so that the flip hits it. */
static long
where(const char *path, const void *bytes, size_t n)
{
  FILE *f = fopen(path, "rb");
  char *all;
  long size, at = 0;

  fseek(f, 0, SEEK_END);
  size = ftell(f);
  rewind(f);
  all = h3d_new((size_t)size, 1);
  if (fread(all, 1, (size_t)size, f) == (size_t)size) {
    while (at + (long)n <= size && memcmp(all + at, bytes, n) != 0) {
      at++;
    }
  }
  fclose(f);
  h3d_free(all);
  return size - at;
}

static void
test_damage(void)
{
  char path[H3D_CKPT_PATH_MAX], newest[H3D_CKPT_PATH_MAX];
  float mark[4] = { 1.25f, 2.5f, 3.75f, 5 };
  double *whole = NULL;
  const h3d_model_param *list;
  h3d_ckpt *c;
  rig r;

  ok(rig_init(&r, 1, 1, H3D_F32, 1), "a model");
  h3d_model_params(r.model, &list);
  if (tap_rank == 0) {
    whole = h3d_new((size_t)3 * 2 * 27, sizeof *whole);
    for (int i = 0; i < 4; i++) {
      whole[i] = (double)mark[i];
    }
  }
  for (int i = 0; i < h3d_model_params(r.model, &list); i++) {
    if (strcmp(list[i].layer, "c") == 0
        && strcmp(list[i].param->name, "weight") == 0) {
      h3d_model_scatter(r.model, i, whole, h3d_model_base(r.model, i));
    }
  }
  h3d_free(whole);
  c = rig_about(&r);
  for (int64_t epoch = 3; epoch <= 5; epoch++) {
    h3d_ckpt_name(folder, epoch, newest);
    ok(h3d_ckpt_write(newest, c, r.model, r.optim) == H3D_OK, "epoch %d",
       (int)epoch);
  }
  ok(h3d_ckpt_pick(r.grid, folder, path) == H3D_OK && !strcmp(path, newest),
     "the newest is picked");
  if (tap_rank == 0) {
    flip(newest, where(newest, mark, sizeof mark));
  }
  ok(h3d_ckpt_pick(r.grid, folder, path) == H3D_OK
       && strstr(path, "checkpoint-000004.h5"),
     "a flipped bit in a weight: the one before it");
  ok(h3d_ckpt_load(newest, r.model, r.optim) == H3D_ERR_FILE, "%s", h3d_why());
  h3d_ckpt_name(folder, 4, path);
  if (tap_rank == 0) {
    ok(truncate(path, 3000) == 0, "cut off");
  } else {
    ok(1, "cut off");
  }
  ok(h3d_ckpt_pick(r.grid, folder, path) == H3D_OK
       && strstr(path, "checkpoint-000003.h5"),
     "a file cut off: the one before that");
  h3d_ckpt_prune(folder, 1);
  ok(h3d_ckpt_pick(r.grid, folder, path) == H3D_ERR_FILE, "%s", h3d_why());
  h3d_ckpt_free(&c);
  rig_free(&r);
}

void
tap_main(void)
{
  rig_folder(folder);
  test_damage();
  rig_remove(folder);
}
