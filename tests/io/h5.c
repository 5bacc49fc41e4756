/* HDF5 files: what goes in comes out, and what cannot is refused by name. */
#include "config.h"

#include "base/mem.h"
#include "io/h5.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TAP_RANKS("1")

static const char path[] = "test-io-h5.h5";
static const char part[] = "test-io-h5.h5.part";
enum { D = 5, H = 6, W = 7 };
static const int64_t shape[3] = { D, H, W };

static int
says(const char *words)
{
  return strstr(h3d_why(), words) != NULL && strstr(h3d_why(), path) != NULL;
}

/* The value of a voxel is its global index. */
static void
write_one(int deflate, int fletcher)
{
  static const int64_t chunk[3] = { 2, 3, 7 };
  static const char *const texts[3] = { "alpha", "", "gr\303\266\303\237e" };
  const h3d_h5_layout layout
    = { .chunk = chunk, .deflate = deflate, .fletcher = fletcher };
  const int64_t ints[3] = { -1, INT64_MAX, 0 }, three = 3;
  const double reals[2] = { 0.1, -1e300 };
  int16_t data[D * H * W];
  h3d_h5 *f;
  int good;

  for (int i = 0; i < D * H * W; i++) {
    data[i] = (int16_t)i;
  }
  unlink(path);
  good = h3d_h5_create(path, &f) == H3D_OK;
  good = good && access(path, F_OK) != 0;
  good
    = good
      && h3d_h5_write_all(f, "/a/b/v", H3D_H5_I16, 3, shape, &layout, data)
           == H3D_OK
      && h3d_h5_write_all(f, "/n", H3D_H5_I64, 1, &three, NULL, ints) == H3D_OK
      && h3d_h5_write_all(f, "/scalar", H3D_H5_F64, 0, NULL, NULL, reals)
           == H3D_OK
      && h3d_h5_write_texts(f, "/words", 3, texts) == H3D_OK
      && h3d_h5_write_text(f, "/word", "one\ntwo") == H3D_OK
      && h3d_h5_write_ints(f, "/", "ints", 3, ints) == H3D_OK
      && h3d_h5_write_reals(f, "/a/b/v", "reals", 2, reals) == H3D_OK
      && h3d_h5_write_attr_text(f, "/new", "text", "hello") == H3D_OK
      && h3d_h5_write_attr_texts(f, "/new", "texts", 3, texts) == H3D_OK;
  ok(good, "a file is filled: %s", good ? "" : h3d_why());
  ok(h3d_h5_publish(&f) == H3D_OK && f == NULL && access(path, F_OK) == 0
       && access(part, F_OK) != 0,
     "it has its name once published");
}

static void
test_boxes(size_t request)
{
  static const int64_t start[3] = { 1, 2, 3 }, count[3] = { 3, 4, 3 };
  int16_t box[3 * 4 * 3];
  double wide[3 * 4 * 3];
  int right = 1, exact = 1;
  h3d_h5 *f;

  h3d_h5_open(path, &f);
  h3d_h5_set_request(request);
  ok(h3d_h5_read(f, "/a/b/v", H3D_H5_I16, 3, start, count, box) == H3D_OK
       && h3d_h5_read(f, "/a/b/v", H3D_H5_F64, 3, start, count, wide)
            == H3D_OK,
     "a box is read, %zu bytes at a time", request);
  h3d_h5_set_request(0);
  for (int d = 0; d < 3; d++) {
    for (int h = 0; h < 4; h++) {
      for (int w = 0; w < 3; w++) {
        int want = ((1 + d) * H + 2 + h) * W + 3 + w, i = (d * 4 + h) * 3 + w;

        right = right && box[i] == want;
        exact = exact && wide[i] == want;
      }
    }
  }
  ok(right, "every voxel is in its place");
  ok(exact, "and as float64 too");
  h3d_h5_close(&f);
}

static void
test_words(void)
{
  int64_t n, ints[3];
  char **texts, *text;
  double reals[2], scalar;
  h3d_h5 *f;

  h3d_h5_open(path, &f);
  ok(h3d_h5_read_texts(f, "/words", &n, &texts) == H3D_OK && n == 3
       && strcmp(texts[0], "alpha") == 0 && texts[1][0] == '\0'
       && strcmp(texts[2], "gr\303\266\303\237e") == 0,
     "texts come back");
  h3d_free(texts);
  ok(h3d_h5_read_text(f, "/word", &text) == H3D_OK
       && strcmp(text, "one\ntwo") == 0,
     "and one text");
  h3d_free(text);
  ok(h3d_h5_read_attr_text(f, "/new", "text", &text) == H3D_OK
       && strcmp(text, "hello") == 0,
     "and one of an attribute");
  h3d_free(text);
  ok(h3d_h5_read_attr_texts(f, "/new", "texts", &n, &texts) == H3D_OK && n == 3
       && strcmp(texts[2], "gr\303\266\303\237e") == 0,
     "and several");
  h3d_free(texts);
  ok(h3d_h5_read_ints(f, "/", "ints", 3, ints) == H3D_OK && ints[0] == -1
       && ints[1] == INT64_MAX && ints[2] == 0,
     "and integers");
  ok(h3d_h5_read_reals(f, "/a/b/v", "reals", 2, reals) == H3D_OK
       && reals[0] == 0.1 && reals[1] == -1e300,
     "and reals");
  ok(h3d_h5_read(f, "/scalar", H3D_H5_F64, 0, NULL, NULL, &scalar) == H3D_OK
       && scalar == 0.1,
     "and a scalar");
  h3d_h5_close(&f);
}

static void
test_questions(void)
{
  h3d_h5_about a;
  char **names;
  int64_t n;
  h3d_h5 *f;

  h3d_h5_open(path, &f);
  ok(h3d_h5_has(f, "/a/b/v") && h3d_h5_has(f, "a") && !h3d_h5_has(f, "/a/x/v")
       && !h3d_h5_has(f, "/x") && h3d_h5_has(f, "/"),
     "it knows what it has");
  ok(h3d_h5_has_attr(f, "/new", "text") && !h3d_h5_has_attr(f, "/new", "x")
       && !h3d_h5_has_attr(f, "/x", "x"),
     "and which attributes");
  ok(h3d_h5_ask(f, "/a/b/v", &a) == H3D_OK && a.type == H3D_H5_I16
       && a.ndims == 3 && memcmp(a.shape, shape, sizeof shape) == 0
       && a.chunk[0] == 2 && a.chunk[1] == 3 && a.chunk[2] == 7,
     "type, shape and chunks of a dataset");
  ok(h3d_h5_list(f, "/", &n, &names) == H3D_OK && n == 6
       && strcmp(names[0], "a") == 0 && strcmp(names[5], "words") == 0,
     "names in a group");
  h3d_free(names);
  h3d_h5_close(&f);
}

static void
test_refusals(void)
{
  int64_t start[3] = { 3, 0, 0 }, count[3] = { 3, 1, 1 }, ints[2];
  unsigned char out[8 * D * H * W];
  char *text;
  h3d_h5 *f;

  h3d_h5_open(path, &f);
  ok(h3d_h5_read(f, "/a/b/v", H3D_H5_I16, 3, start, count, out) == H3D_ERR_FILE
       && says("3 to 6"),
     "a box outside: %s", h3d_why());
  ok(h3d_h5_read(f, "/a/b/v", H3D_H5_U8, 3, NULL, shape, out) == H3D_ERR_FILE
       && says("int16, which uint8"),
     "a type too narrow: %s", h3d_why());
  ok(h3d_h5_read(f, "/scalar", H3D_H5_F32, 0, NULL, NULL, out) == H3D_ERR_FILE,
     "no rounding by accident: %s", h3d_why());
  ok(h3d_h5_read(f, "/a/b/v", H3D_H5_I16, 2, NULL, shape, out) == H3D_ERR_FILE
       && says("3 axes"),
     "other axes: %s", h3d_why());
  ok(h3d_h5_read_all(f, "/a/b/v", H3D_H5_I16, 3, count, out) == H3D_ERR_FILE,
     "another shape: %s", h3d_why());
  ok(h3d_h5_read(f, "/a/q/v", H3D_H5_I16, 3, NULL, shape, out) == H3D_ERR_FILE
       && says("/a/q/v"),
     "no dataset: %s", h3d_why());
  ok(h3d_h5_read(f, "/a", H3D_H5_I16, 3, NULL, shape, out) == H3D_ERR_FILE,
     "a group is none: %s", h3d_why());
  ok(h3d_h5_read(f, "/words", H3D_H5_I16, 1, NULL, shape, out) == H3D_ERR_FILE,
     "text is no number: %s", h3d_why());
  ok(h3d_h5_read_text(f, "/n", &text) == H3D_ERR_FILE && text == NULL,
     "a number is no text: %s", h3d_why());
  ok(h3d_h5_read_ints(f, "/", "ints", 2, ints) == H3D_ERR_FILE
       && says("holds 3"),
     "another length: %s", h3d_why());
  ok(h3d_h5_read_ints(f, "/", "none", 2, ints) == H3D_ERR_FILE,
     "no attribute: %s", h3d_why());
  h3d_h5_close(&f);
}

static void
change_byte(long at)
{
  int fd = open(path, O_RDWR);
  unsigned char byte;

  if (pread(fd, &byte, 1, at) == 1) {
    byte ^= 16;
    (void)!pwrite(fd, &byte, 1, at);
  }
  close(fd);
}

static void
write_junk(const char *text)
{
  FILE *f = fopen(path, "w");

  fputs(text, f);
  fclose(f);
}

/* A byte in the middle of a chunk with a checksum. */
static void
test_damage(void)
{
  int16_t data[D * H * W];
  struct stat info;
  h3d_h5 *f;
  int caught = 0;

  stat(path, &info);
  for (long at = 0; at < (long)info.st_size && !caught; at += 13) {
    change_byte(at);
    if (h3d_h5_open(path, &f) == H3D_OK) {
      caught
        = h3d_h5_read(f, "/a/b/v", H3D_H5_I16, 3, NULL, shape, data) != H3D_OK
          && strstr(h3d_why(), "letcher") != NULL;
      h3d_h5_close(&f);
    }
    change_byte(at);
  }
  ok(caught, "a flipped byte is seen: %s", h3d_why());
}

static void
test_broken_files(void)
{
  struct stat info;
  h3d_h5 *f;

  stat(path, &info);
  ok(truncate(path, info.st_size / 2) == 0
       && h3d_h5_open(path, &f) == H3D_ERR_FILE && says("truncated")
       && f == NULL,
     "truncated: %s", h3d_why());
  write_junk("this is no HDF5 file, but long enough to hold a signature\n");
  ok(h3d_h5_open(path, &f) == H3D_ERR_FILE && says("not an HDF5 file"), "%s",
     h3d_why());
  write_junk("");
  ok(h3d_h5_open(path, &f) == H3D_ERR_FILE && says("empty"), "%s", h3d_why());
  chmod(path, 0);
  ok(geteuid() == 0
       || (h3d_h5_open(path, &f) == H3D_ERR_FILE && says("permission")),
     "no permission (root has it always)");
  unlink(path);
  ok(mkdir(path, 0777) == 0 && h3d_h5_open(path, &f) == H3D_ERR_FILE
       && says("a folder") && rmdir(path) == 0,
     "%s", h3d_why());
  ok(mkfifo(path, 0666) == 0 && h3d_h5_open(path, &f) == H3D_ERR_FILE
       && says("no plain file") && unlink(path) == 0,
     "%s", h3d_why());
  ok(h3d_h5_open(path, &f) == H3D_ERR_FILE && says("no such file"), "%s",
     h3d_why());
  ok(h3d_h5_create("test-io-none/x.h5", &f) == H3D_ERR_FILE && f == NULL, "%s",
     h3d_why());
}

/* A full disk, played by a limit on file sizes; HDF5 1.10 crashes in
 * MPI_Finalize if one of its files could not be closed. */
static void
test_full_disk(void)
{
  struct rlimit was, small;
  int16_t data[D * H * W] = { 0 };
  int refused = 0, tries = 0;
  h3d_h5 *f;

  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &was);
  small = was;
  for (small.rlim_cur = 8192; small.rlim_cur < 65536; small.rlim_cur += 8192) {
    setrlimit(RLIMIT_FSIZE, &small);
    tries++;
    if (h3d_h5_create(path, &f) != H3D_OK) {
      refused++;
      continue;
    }
    if (h3d_h5_write_all(f, "/v", H3D_H5_I16, 3, shape, NULL, data)
        != H3D_OK) {
      refused++;
      h3d_h5_close(&f);
    } else {
      refused += h3d_h5_publish(&f) == H3D_ERR_FILE && says("cannot be");
    }
  }
  setrlimit(RLIMIT_FSIZE, &was);
  ok(refused == tries && access(path, F_OK) != 0 && access(part, F_OK) != 0,
     "%d of %d files that do not fit: %s", refused, tries, h3d_why());
}

static void
test_dropped(void)
{
  h3d_h5 *f;

  h3d_h5_create(path, &f);
  h3d_h5_close(&f);
  ok(access(path, F_OK) != 0 && access(part, F_OK) != 0,
     "what is not published is removed");
}

void
tap_main(void)
{
  const size_t blocks = h3d_mem_count();

  write_one(0, 0);
  test_boxes(0);
  test_boxes(2);
  test_boxes(50);
  test_words();
  test_questions();
  test_refusals();
  write_one(4, 1);
  test_boxes(0);
  test_damage();
  test_broken_files();
  test_full_disk();
  test_dropped();
  ok(h3d_mem_count() == blocks, "no memory is left");
}
