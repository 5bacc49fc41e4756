/* h3d-simulate: small universes with known parameters. */
#include "config.h"

#include "backend/build.h"
#include "base/agree.h"
#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/progress.h"
#include "simulate_lpt.h"
#include "universe.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct options {
  int64_t count, first, size, particles, seed;
  double box;
  const char *redshifts, *prior, *method, *compress, *progress, *out;
  int force, dry_run;
} options;

#define AT(member) offsetof(options, member)
static const h3d_opt table[] = {
  { "Universes", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "count", 0, H3D_OPT_INT, AT(count), "100", "N", "how many to make" },
  { "first", 0, H3D_OPT_INT, AT(first), "0", "I",
    "number of the first one: a set can grow later" },
  { "prior", 0, H3D_OPT_TEXT, AT(prior), "wide", "WORD|FILE",
    "wide: Omega_m 0.1-0.5, sigma_8 0.6-1.0; cosmoflow: Omega_m, sigma_8, "
    "N_spec, H_0 within 10 per cent; or a file of \"NAME LOW HIGH\" lines. "
    "Values are uniform and independent" },
  { "seed", 0, H3D_OPT_INT, AT(seed), "1", "S",
    "the same seed gives the same files on any number of ranks" },
  { "Volumes", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "size", 0, H3D_OPT_INT, AT(size), "64", "CELLS", "cells per axis" },
  { "box", 0, H3D_OPT_REAL, AT(box), "256", "L", "side of the box in Mpc/h" },
  { "particles", 0, H3D_OPT_INT, AT(particles), "0", "N",
    "particles per axis; 0: twice the cells, 8 per cell" },
  { "redshifts", 0, H3D_OPT_TEXT, AT(redshifts), "0,0.5,1.5,3", "Z,...",
    "a channel for each" },
  { "method", 0, H3D_OPT_TEXT, AT(method), "2lpt", "2lpt|zeldovich",
    "order of the perturbation theory" },
  { "Output", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "output", 'o', H3D_OPT_TEXT, AT(out), NULL, "DIR",
    "folder for universe_NNN.hdf5" },
  { "compress", 0, H3D_OPT_TEXT, AT(compress), "none", "none|deflate",
    "half the size, slower to read" },
  { "force", 0, H3D_OPT_FLAG, AT(force), NULL, NULL,
    "replace the files that this run makes" },
  { "dry-run", 'n', H3D_OPT_FLAG, AT(dry_run), NULL, NULL,
    "say what would be made, and the memory and disk it takes" },
  { "progress", 0, H3D_OPT_TEXT, AT(progress), "auto", "auto|bar|lines|none",
    "how to show progress" },
  { NULL, 0, H3D_OPT_FLAG, 0, NULL, NULL, NULL },
};
#undef AT

static const h3d_opts program = {
  "h3d-simulate",
  "[OPTION]... -o DIR",
  "Make universes of particles in cells by Lagrangian perturbation theory, "
  "with known parameters, in the layout of the public CosmoFlow data.",
  table,
};

static h3d_status
read_redshifts(const char *text, h3d_universe_plan *p)
{
  for (const char *at = text;; at++) {
    const size_t n = strcspn(at, ",");
    char word[32];
    double z;

    if (n >= sizeof word || p->channels == H3D_UNIVERSE_REDSHIFTS) {
      return h3d_fail(H3D_ERR_USAGE,
                      "--redshifts %s: give 1 to %d short numbers", text,
                      H3D_UNIVERSE_REDSHIFTS);
    }
    memcpy(word, at, n);
    word[n] = 0;
    const h3d_status st = h3d_parse_real("--redshifts", word, &z);
    if (st != H3D_OK) {
      return st;
    }
    if (z < 0 || z > 1000) {
      return h3d_fail(H3D_ERR_USAGE,
                      "--redshifts %s: %g is not between 0 and 1000", text, z);
    }
    p->redshift[p->channels++] = z;
    at += n;
    if (!*at) {
      return H3D_OK;
    }
  }
}

/* One of two words: 0 or 1 in *which. */
static h3d_status
choose(const char *key, const char *word, const char *zero, const char *one,
       int *which)
{
  *which = strcmp(word, one) == 0;
  if (!*which && strcmp(word, zero) != 0) {
    return h3d_fail(H3D_ERR_USAGE, "--%s %s: choose %s or %s", key, word, zero,
                    one);
  }
  return H3D_OK;
}

static h3d_status
check_numbers(const options *o)
{
  if (!o->out || !*o->out) {
    return h3d_fail(H3D_ERR_USAGE,
                    "no output: say where with -o DIR, or see --help");
  }
  if (o->count < 1 || o->first < 0 || o->first >= UINT32_MAX
      || o->count > UINT32_MAX - o->first) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--count %lld --first %lld: count must be 1 or more, "
                    "first 0 or more, their sum at most %lld",
                    (long long)o->count, (long long)o->first,
                    (long long)UINT32_MAX);
  }
  if (o->seed < 0) {
    return h3d_fail(H3D_ERR_USAGE, "--seed %lld: choose 0 or more",
                    (long long)o->seed);
  }
  if (o->size < 2 || o->size > 4096) {
    return h3d_fail(H3D_ERR_USAGE, "--size %lld: choose 2 to 4096 cells",
                    (long long)o->size);
  }
  if (!(o->box >= 1e-3 && o->box <= 1e6)) {
    return h3d_fail(H3D_ERR_USAGE, "--box %g: choose 0.001 to 1000000 Mpc/h",
                    o->box);
  }
  return H3D_OK;
}

static h3d_status
make_plan(const options *o, h3d_universe_plan *p)
{
  h3d_progress_style style;
  int second = 0;
  h3d_status st = H3D_OK;

  *p = (h3d_universe_plan){ .cells = o->size,
                            .particles
                            = o->particles ? o->particles : 2 * o->size,
                            .box = o->box,
                            .seed = (uint64_t)o->seed };
  H3D_TRY(check_numbers(o));
  H3D_TRY(h3d_lpt_check(p->particles));
  H3D_TRY(read_redshifts(o->redshifts, p));
  H3D_TRY(choose("method", o->method, "zeldovich", "2lpt", &second));
  H3D_TRY(choose("compress", o->compress, "none", "deflate", &p->deflate));
  H3D_TRY(h3d_progress_parse(o->progress, &style));
  H3D_TRY(h3d_prior_read(o->prior, &p->prior));
  p->order = second ? 2 : 1;
  h3d_progress_set_style(style);
done:
  return st;
}

/* Digits of the greatest number, so that names sort; at least 3. */
static char *
path_of(const options *o, int64_t index)
{
  int width = 1;

  for (int64_t last = o->first + o->count - 1; last >= 10; last /= 10) {
    width++;
  }
  return h3d_sprintf("%s/universe_%0*lld.hdf5", o->out, width < 3 ? 3 : width,
                     (long long)index);
}

/* Old universes beside new ones would be taken for one set: without --force
 * there may be none, except below a --first that extends the set.
 */
static h3d_status
check_folder(const options *o)
{
  h3d_status st = H3D_OK;
  DIR *d = opendir(o->out);
  struct dirent *e;

  if (!d) {
    return errno == ENOENT ? H3D_OK
                           : h3d_fail(H3D_ERR_FILE, "%s: %s: choose a folder",
                                      o->out, strerror(errno));
  }
  while (st == H3D_OK && !o->force && (e = readdir(d))) {
    long long number;
    int end = 0;

    if (sscanf(e->d_name, "universe_%lld.hdf5%n", &number, &end) == 1 && end
        && !e->d_name[end] && number >= o->first) {
      st = h3d_fail(H3D_ERR_FILE,
                    "%s/%s exists: choose another folder, --force to replace "
                    "it, or --first beyond the last to add to the set",
                    o->out, e->d_name);
    }
  }
  closedir(d);
  return st;
}

static h3d_status
make_folder(const char *path)
{
  if (mkdir(path, 0777) != 0 && errno != EEXIST) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot make this folder: %s", path,
                    strerror(errno));
  }
  return H3D_OK;
}

static void
say_plan(const options *o, const h3d_universe_plan *p)
{
  const double mib = 1024 * 1024;

  h3d_log("%lld universes, %lld^3 cells x %d redshifts, %lld^3 particles, "
          "box %g Mpc/h, %s",
          (long long)o->count, (long long)p->cells, p->channels,
          (long long)p->particles, p->box, o->method);
  for (int j = 0; j < p->prior.n; j++) {
    h3d_log("  %-8s %g to %g", p->prior.name[j], p->prior.low[j],
            p->prior.high[j]);
  }
  h3d_log("memory %.0f MiB per rank, disk %.0f MiB%s",
          (double)h3d_universe_memory(p) / mib,
          (double)(h3d_universe_disk(p) * o->count) / mib,
          p->deflate ? " before compression" : "");
}

/* Every rank takes each size-th universe.  All agree after each round, so
 * that nobody works on when the disk is full.
 */
static h3d_status
make_all(const options *o, const h3d_universe_plan *p)
{
  const int64_t ranks = h3d_size();
  h3d_universe *u = NULL;
  h3d_progress bar;
  h3d_status st = h3d_agree(MPI_COMM_WORLD, h3d_universe_new(p, &u));

  h3d_progress_begin(&bar, "simulate", "universes", o->count);
  for (int64_t done = 0; done < o->count && st == H3D_OK; done += ranks) {
    const int64_t mine = done + h3d_rank();

    if (mine < o->count) {
      char *path = path_of(o, o->first + mine);

      st = h3d_universe_make(u, o->first + mine);
      if (st == H3D_OK) {
        st = h3d_universe_write(u, path);
      }
      h3d_free(path);
    }
    st = h3d_agree(MPI_COMM_WORLD, st);
    h3d_progress_set(&bar, done + ranks < o->count ? done + ranks : o->count);
  }
  h3d_progress_end(&bar);
  h3d_universe_free(&u);
  return st;
}

static h3d_status
simulate(int argc, char **argv)
{
  options o;
  h3d_universe_plan plan;
  const char *operand;
  int operands, done;
  h3d_status st = h3d_opts_parse(&program, argc, argv, &o, NULL, &operand, 0,
                                 &operands, &done);

  if (st == H3D_OK && done) {
    h3d_build_answer(&program, done);
  }
  if (st != H3D_OK || done) {
    return st;
  }
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, make_plan(&o, &plan)));
  H3D_TRY(
    h3d_agree(MPI_COMM_WORLD, h3d_rank() == 0 ? check_folder(&o) : H3D_OK));
  say_plan(&o, &plan);
  if (!o.dry_run) {
    H3D_TRY(h3d_agree(MPI_COMM_WORLD,
                      h3d_rank() == 0 ? make_folder(o.out) : H3D_OK));
    H3D_TRY(make_all(&o, &plan));
  }
done:
  return st;
}

int
main(int argc, char **argv)
{
  h3d_start(&argc, &argv);
  return h3d_finish(h3d_exit_status(program.program, simulate(argc, argv)));
}
