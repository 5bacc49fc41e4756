#include "config.h"

#include "info_say.h"

#include "base/check.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>

/* Values stand in one column at every depth. */
enum { VALUE_AT = 22 };

void
info_begin(info_say *s, int json)
{
  *s = (info_say){ .json = json ? h3d_json_new() : NULL };
  s->at[0] = s->json;
}

void
info_end(info_say *s)
{
  if (s->json) {
    char *text = h3d_json_text(s->json);

    printf("%s\n", text);
    h3d_free(text);
    h3d_json_free(&s->json);
  }
}

static void
key_of(const info_say *s, const char *key)
{
  int indent = 2 * s->depth;

  printf("%*s%-*s ", indent, "", VALUE_AT - indent, key);
}

void
info_text(info_say *s, const char *key, const char *value)
{
  if (s->json) {
    h3d_json_set_text(s->at[s->depth], key, value);
  } else {
    key_of(s, key);
    printf("%s\n", value);
  }
}

void
info_int(info_say *s, const char *key, int64_t value)
{
  if (s->json) {
    h3d_json_set_int(s->at[s->depth], key, value);
  } else {
    key_of(s, key);
    printf("%" PRId64 "\n", value);
  }
}

void
info_real(info_say *s, const char *key, double value)
{
  if (s->json) {
    h3d_json_set_real(s->at[s->depth], key, value);
  } else {
    key_of(s, key);
    printf("%.6g\n", value);
  }
}

void
info_extents(info_say *s, const char *key, int n, const int64_t *value)
{
  double *v;

  if (s->json) {
    v = h3d_new((size_t)n, sizeof *v);
    for (int i = 0; i < n; i++) {
      v[i] = (double)value[i];
    }
    h3d_json_set_reals(s->at[s->depth], key, n, v);
    h3d_free(v);
    return;
  }
  key_of(s, key);
  for (int i = 0; i < n; i++) {
    printf("%s%" PRId64, i > 0 ? " x " : "", value[i]);
  }
  printf("%s\n", n == 0 ? "one number" : "");
}

void
info_texts(info_say *s, const char *key, int64_t n, const char *const *value)
{
  if (s->json) {
    h3d_json_set_texts(s->at[s->depth], key, n, value);
    return;
  }
  key_of(s, key);
  for (int64_t i = 0; i < n; i++) {
    printf("%s%s", i > 0 ? ", " : "", value[i]);
  }
  printf("\n");
}

void
info_open(info_say *s, const char *key)
{
  H3D_ASSERT(s->depth + 1 < INFO_DEPTH);
  if (s->json) {
    s->at[s->depth + 1] = h3d_json_set_object(s->at[s->depth], key);
  } else {
    printf("%*s%s\n", 2 * s->depth, "", key);
  }
  s->depth++;
}

void
info_close(info_say *s)
{
  s->depth--;
}
