/* Tables come back as they went. */
#include "config.h"

#include "base/mem.h"
#include "io/csv.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

TAP_RANKS("1")

static const char path[] = "test-io-csv.csv";

static void
write_text(const char *text)
{
  FILE *f = fopen(path, "wb");

  fputs(text, f);
  fclose(f);
}

static void
test_round_trip(void)
{
  static const char *const cells[]
    = { "plain",  "with, comma", "say \"hello\"", "two\nlines", "",
        " space", "\"",          "m\303\274ller" };
  enum { N = sizeof cells / sizeof cells[0] };
  const double real = 0.1 + 0.2;
  h3d_csv_writer *w;
  h3d_csv *t;
  double back;
  int same;

  same = h3d_csv_create(path, &w) == H3D_OK;
  for (int i = 0; i < N; i++) {
    h3d_csv_put(w, cells[i]);
  }
  h3d_csv_end_row(w);
  for (int i = 0; i < N; i++) {
    h3d_csv_put(w, cells[N - 1 - i]);
  }
  h3d_csv_end_row(w);
  h3d_csv_put_int(w, INT64_MIN);
  h3d_csv_put_real(w, real);
  h3d_csv_put_float(w, 0.1f);
  for (int i = 3; i < N; i++) {
    h3d_csv_put(w, "");
  }
  h3d_csv_end_row(w);
  ok(same && access(path, F_OK) != 0, "no file before it is published");
  ok(h3d_csv_publish(&w, 0) == H3D_OK && w == NULL
       && h3d_csv_read(path, &t) == H3D_OK,
     "a table is written and read");
  same = h3d_csv_columns(t) == N && h3d_csv_rows(t) == 2;
  for (int i = 0; same && i < N; i++) {
    same = strcmp(h3d_csv_name(t, i), cells[i]) == 0
           && h3d_csv_find(t, cells[i]) == i
           && strcmp(h3d_csv_at(t, 0, i), cells[N - 1 - i]) == 0;
  }
  ok(same, "every cell is the same");
  ok(strcmp(h3d_csv_at(t, 1, 0), "-9223372036854775808") == 0
       && h3d_csv_real(t, 1, 1, &back) == H3D_OK && back == real
       && strcmp(h3d_csv_at(t, 1, 2), "0.1") == 0,
     "numbers too, with no more digits than they need");
  h3d_csv_free(&t);
}

static void
test_foreign(void)
{
  h3d_csv *t;
  double x;

  write_text("\357\273\277id,value\r\n\r\n\"a\",1.5 \r\nb,2");
  ok(h3d_csv_read(path, &t) == H3D_OK && h3d_csv_rows(t) == 2
       && strcmp(h3d_csv_name(t, 0), "id") == 0
       && strcmp(h3d_csv_at(t, 0, 0), "a") == 0
       && h3d_csv_real(t, 0, 1, &x) == H3D_OK && x == 1.5
       && strcmp(h3d_csv_at(t, 1, 1), "2") == 0,
     "byte order mark, carriage returns, empty lines, no last line end");
  ok(h3d_csv_real(t, 1, 0, &x) == H3D_ERR_FILE
       && strstr(h3d_why(), "line 4, column id") != NULL,
     "%s", h3d_why());
  ok(h3d_csv_find(t, "none") == -1, "no such column");
  h3d_csv_free(&t);
}

static void
refuse(const char *text, const char *words)
{
  h3d_csv *t;

  write_text(text);
  ok(h3d_csv_read(path, &t) == H3D_ERR_FILE && t == NULL
       && strstr(h3d_why(), words) != NULL && strstr(h3d_why(), path) != NULL,
     "%s", h3d_why());
}

void
tap_main(void)
{
  const size_t blocks = h3d_mem_count();
  h3d_csv_writer *w;
  h3d_csv *t;

  test_round_trip();
  test_foreign();
  refuse("a,b\n1,2\n1\n", "line 3: 1 cells, the header has 2");
  refuse("a,b\n\"x\ny,2\n", "line 2: a quote");
  refuse("a,b,a\n", "two columns");
  refuse("", "no header");
  unlink(path);
  ok(h3d_csv_read(path, &t) == H3D_ERR_FILE && t == NULL, "%s", h3d_why());
  ok(h3d_csv_create("test-io-none/x.csv", &w) == H3D_ERR_FILE && w == NULL,
     "%s", h3d_why());
  h3d_csv_create(path, &w);
  ok(h3d_csv_publish(&w, 1) == H3D_OK && access(path, F_OK) != 0,
     "a dropped table leaves nothing");
  ok(h3d_mem_count() == blocks, "no memory is left");
}
