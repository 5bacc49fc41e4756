#include "config.h"

#include "inputs.h"

#include "base/agree.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Paths found so far. */
struct found {
  const h3d_source_kind *kind;
  char **path;
  int64_t n, room;
};

static void
keep(struct found *f, const char *path)
{
  if (f->n == f->room) {
    f->room = 2 * f->room + 64;
    f->path = h3d_grow(f->path, (size_t)f->room, sizeof *f->path);
  }
  f->path[f->n++] = h3d_strdup(path);
}

/* The first file decides when the user did not. */
static h3d_status
keep_file(struct found *f, const char *path, const h3d_source_kind *kind)
{
  if (f->kind == NULL) {
    f->kind = kind;
  }
  if (kind != NULL && f->kind != kind) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s is a %s file, but %s is a %s file; say with --from "
                    "which to take",
                    f->path[0], f->kind->name, path, kind->name);
  }
  keep(f, path);
  return H3D_OK;
}

static h3d_status
search(struct found *f, int is_chosen, const char *folder)
{
  DIR *dir = opendir(folder);
  struct dirent *e;
  h3d_status st = H3D_OK;

  if (dir == NULL) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s", folder, strerror(errno));
  }
  while (st == H3D_OK && (e = readdir(dir)) != NULL) {
    char *path = h3d_sprintf("%s/%s", folder, e->d_name);
    const h3d_source_kind *kind = h3d_source_guess(path);
    struct stat info;

    if (e->d_name[0] != '.' && stat(path, &info) == 0) {
      if (S_ISDIR(info.st_mode)) {
        st = search(f, is_chosen, path);
      } else if (kind != NULL && (!is_chosen || kind == f->kind)) {
        st = keep_file(f, path, kind);
      }
    }
    h3d_free(path);
  }
  closedir(dir);
  return st;
}

static h3d_status
look_at(struct found *f, int is_chosen, const char *operand)
{
  const h3d_source_kind *kind = h3d_source_guess(operand);
  int64_t before = f->n;
  struct stat info;
  h3d_status st;

  if (stat(operand, &info) != 0) {
    return h3d_fail(H3D_ERR_FILE, "%s: %s", operand, strerror(errno));
  }
  if (!S_ISDIR(info.st_mode)) {
    if (is_chosen) {
      keep(f, operand);
      return H3D_OK;
    }
    return kind != NULL ? keep_file(f, operand, kind)
                        : h3d_fail(H3D_ERR_USAGE,
                                   "%s: its name tells no kind; say with "
                                   "--from what it is",
                                   operand);
  }
  st = search(f, is_chosen, operand);
  if (st == H3D_OK && f->n == before) {
    st = h3d_fail(H3D_ERR_FILE, "%s: no files %s%s in it, or below", operand,
                  f->kind != NULL ? "of kind " : "that are known",
                  f->kind != NULL ? f->kind->name : "");
  }
  return st;
}

static char *
id_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *id = h3d_strdup(slash != NULL ? slash + 1 : path);
  char *dot = strrchr(id, '.');

  if (dot != NULL && dot != id) {
    *dot = '\0';
  }
  return id;
}

struct entry {
  char *path, *id;
};

static int
by_id(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  int order = strcmp(x->id, y->id);

  return order != 0 ? order : strcmp(x->path, y->path);
}

/* From sorted paths, on every rank. */
static h3d_status
fill(h3d_inputs *in, struct entry *e, int64_t n)
{
  in->n = n;
  in->path = h3d_new((size_t)n, sizeof *in->path);
  in->id = h3d_new((size_t)n, sizeof *in->id);
  qsort(e, (size_t)n, sizeof *e, by_id);
  for (int64_t i = 0; i < n; i++) {
    in->path[i] = e[i].path;
    in->id[i] = e[i].id;
  }
  for (int64_t i = 1; i < n; i++) {
    if (strcmp(in->id[i - 1], in->id[i]) == 0) {
      return h3d_fail(H3D_ERR_USAGE,
                      "%s and %s would both be sample %s; rename one, or give "
                      "it once",
                      in->path[i - 1], in->path[i], in->id[i]);
    }
  }
  return H3D_OK;
}

/* Rank 0's paths, one text after the other, to all. */
static h3d_status
share(MPI_Comm comm, const struct found *f, h3d_inputs *in)
{
  size_t bytes = 0;
  int64_t n = f->n;
  char *text, *at;
  struct entry *e;
  h3d_status st;

  for (int64_t i = 0; i < f->n; i++) {
    bytes += strlen(f->path[i]) + 1;
  }
  h3d_broadcast(comm, 0, &n, sizeof n);
  h3d_broadcast(comm, 0, &bytes, sizeof bytes);
  text = at = h3d_new(bytes, 1);
  for (int64_t i = 0; i < f->n; i++) {
    size_t m = strlen(f->path[i]) + 1;

    memcpy(at, f->path[i], m);
    at += m;
  }
  h3d_broadcast(comm, 0, text, bytes);
  e = h3d_new((size_t)n, sizeof *e);
  at = text;
  for (int64_t i = 0; i < n; i++) {
    e[i].path = h3d_strdup(at);
    e[i].id = id_of(at);
    at += strlen(at) + 1;
  }
  st = fill(in, e, n);
  h3d_free(e);
  h3d_free(text);
  return st;
}

h3d_status
h3d_inputs_find(MPI_Comm comm, const h3d_source_kind *kind,
                const char *const *operand, int operands, h3d_inputs *in)
{
  struct found f = { .kind = kind };
  int which = 0;
  h3d_status st = H3D_OK;

  memset(in, 0, sizeof *in);
  if (h3d_comm_rank(comm) == 0) {
    for (int i = 0; i < operands && st == H3D_OK; i++) {
      st = look_at(&f, kind != NULL, operand[i]);
    }
  }
  st = h3d_agree(comm, st);
  if (st == H3D_OK) {
    while (h3d_source_kinds[which] != NULL
           && h3d_source_kinds[which] != f.kind) {
      which++;
    }
    h3d_broadcast(comm, 0, &which, sizeof which);
    in->kind = h3d_source_kinds[which];
    st = share(comm, &f, in); /* pure from here: the same on all ranks */
  }
  for (int64_t i = 0; i < f.n; i++) {
    h3d_free(f.path[i]);
  }
  h3d_free(f.path);
  return st;
}

void
h3d_inputs_release(h3d_inputs *in)
{
  for (int64_t i = 0; i < in->n; i++) {
    h3d_free(in->path[i]);
    h3d_free(in->id[i]);
  }
  h3d_free(in->path);
  h3d_free(in->id);
  memset(in, 0, sizeof *in);
}
