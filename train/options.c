#include "config.h"

#include "train.h"

#include "backend/build.h"
#include "base/agree.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* A row is an option, a key of a run, or both: one table says all of it. */
typedef struct row {
  const char *option;
  char letter;
  const char *key; /* NULL: not part of a run */
  h3d_conf_type type;
  const char *preset, *arg, *help;
} row;

#define GROUP(name)                                \
  {                                                \
    name, 0, NULL, H3D_CONF_TEXT, NULL, NULL, NULL \
  }
static const row rows[] = {
  GROUP("Data"),
  { "data", 'd', "data.path", H3D_CONF_TEXT, "", "DATASET",
    "folder that h3d-preprocess made" },
  { "targets", 0, "data.targets", H3D_CONF_TEXT, "all", "NAME,...",
    "which of its targets to learn" },
  { "augment", 0, "data.augment", H3D_CONF_TEXT, "none",
    "none|cube|shift|cube+shift",
    "random moves: the 48 symmetries of the cube, shifts of whole periodic "
    "boxes" },
  { "normalize", 0, "data.normalize", H3D_CONF_TEXT, "dataset",
    "dataset|none|raw",
    "dataset: as its index says; none: log1p where it says so, but no "
    "standardization, as MLPerf HPC does; raw: the numbers as stored" },
  { "memory-limit", 0, "data.memory", H3D_CONF_TEXT, "auto", "GIB|auto",
    "memory of a rank for samples that were read; auto: a quarter of the "
    "machine's, shared by its ranks" },
  GROUP("Network"),
  { "model", 'm', "model.net", H3D_CONF_TEXT, "cosmoflow", "WORD|FILE.net",
    "network file, or a word for one of the shipped ones" },
  { "init", 0, "model.init", H3D_CONF_TEXT, "", "CHECKPOINT",
    "first weights of the layers whose names and shapes are the same" },
  { "seed", 's', "train.seed", H3D_CONF_INT, "1", "S",
    "of weights, order, moves and dropout" },
  GROUP("Training"),
  { "epochs", 'e', "train.epochs", H3D_CONF_INT, "20", "N",
    "passes over the training samples" },
  { "patience", 0, "train.patience", H3D_CONF_INT, "0", "EPOCHS",
    "end after so many epochs without a lower validation loss; 0: never" },
  { "batch", 'b', "train.batch", H3D_CONF_INT, "8", "N",
    "samples in a batch, over all groups" },
  { "accumulate", 0, "train.accumulate", H3D_CONF_INT, "1", "N",
    "batches whose gradients are added up for one step" },
  { "optimizer", 0, "optim.kind", H3D_CONF_TEXT, "adam", "adam|adamw|sgd",
    "how weights follow gradients" },
  { "lr", 0, "optim.lr", H3D_CONF_REAL, "1e-3", "X", "learning rate" },
  { "schedule", 0, "optim.schedule", H3D_CONF_TEXT, "constant", "WORD",
    "constant, linear[:END], cosine[:END] or step:EPOCH=FACTOR,..." },
  { "warmup", 0, "optim.warmup", H3D_CONF_REAL, "0", "EPOCHS",
    "the rate rises in a line over so many epochs" },
  { NULL, 0, "optim.warmup_from", H3D_CONF_REAL, "0.1", NULL,
    "from this part of it" },
  { "momentum", 0, "optim.momentum", H3D_CONF_REAL, "0.9", "X", "of sgd" },
  { "nesterov", 0, "optim.nesterov", H3D_CONF_FLAG, "no", NULL,
    "sgd looks one step ahead" },
  { NULL, 0, "optim.beta1", H3D_CONF_REAL, "0.9", NULL, "of adam, adamw" },
  { NULL, 0, "optim.beta2", H3D_CONF_REAL, "0.999", NULL, "of adam, adamw" },
  { NULL, 0, "optim.eps", H3D_CONF_REAL, "1e-8", NULL, "of adam, adamw" },
  { "decay", 0, "optim.decay", H3D_CONF_REAL, "0", "X",
    "weight decay; adam and sgd add it to the gradient" },
  { NULL, 0, "optim.decay_on", H3D_CONF_TEXT, "weights", NULL,
    "weights, or all: biases, scales and shifts too" },
  { "clip", 0, "optim.clip", H3D_CONF_REAL, "0", "X",
    "largest norm of the gradient; 0: any" },
  GROUP("Machine"),
  { "grid", 'g', "run.grid", H3D_CONF_TEXT, "auto", "DxHxW|auto",
    "ranks that share a sample along depth, height, width; the ranks that "
    "remain form groups" },
  { "device", 0, "run.device", H3D_CONF_TEXT, "auto", "auto|ref|cpu",
    "where the network is computed" },
  { "precision", 0, "run.precision", H3D_CONF_TEXT, "fp32", "fp32|fp64",
    "type of all reals; fp64 is for tests" },
  { NULL, 0, "run.memory", H3D_CONF_TEXT, "auto", NULL,
    "GiB of a node that its ranks may take; auto: all that it has" },
  GROUP("Run"),
  { "output", 'o', NULL, H3D_CONF_TEXT, NULL, "RUN", "folder of the run" },
  { "config", 'c', NULL, H3D_CONF_TEXT, NULL, "FILE.ini",
    "keys of a run, as in its run.ini" },
  { "set", 0, NULL, H3D_CONF_TEXT, NULL, "KEY=VALUE",
    "one key, stronger than --config; may be given again" },
  { "checkpoint-every", 0, "run.checkpoint_every", H3D_CONF_INT, "1", "N",
    "epochs between checkpoints" },
  { "keep", 0, "run.keep", H3D_CONF_INT, "3", "K",
    "checkpoints that stay, beside best.h5" },
  { "resume", 'r', NULL, H3D_CONF_FLAG, NULL, NULL,
    "go on from the newest whole checkpoint of RUN, on any grid" },
  { "stop-after", 0, NULL, H3D_CONF_INT, "0", "N",
    "end after so many epochs of this call; 0: at the last one" },
  { "force", 'f', NULL, H3D_CONF_FLAG, NULL, NULL, "replace an old RUN" },
  { "dry-run", 'n', NULL, H3D_CONF_FLAG, NULL, NULL,
    "say the plan and its memory, do nothing" },
  { "progress", 0, NULL, H3D_CONF_TEXT, "auto", "auto|bar|lines|none",
    "how an epoch's progress shows" },
  { "quiet", 'q', NULL, H3D_CONF_FLAG, NULL, NULL, "warnings only" },
  { "verbose", 'v', NULL, H3D_CONF_FLAG, NULL, NULL, "more" },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* What the command line gave, by row. */
typedef struct values {
  const char *text[ROWS];
  int flag[ROWS];
  h3d_opt_texts set;
} values;

static h3d_opt table[ROWS + 1];
static int row_of[ROWS + 1]; /* of a line of table */
static h3d_conf_key keys[ROWS + 1];
static const h3d_opts program
  = { "h3d-train", "[OPTION]... --data=DATASET -o RUN",
      "Train a 3D convolutional network on samples split in space over MPI "
      "ranks.  What is not given is in brackets; keys without an option "
      "(optim.beta1, ...) are set with --set.",
      table };

static void
make_tables(void)
{
  int n = 0, k = 0;

  for (int i = 0; i < ROWS; i++) {
    const row *r = &rows[i];

    if (r->key) {
      keys[k++] = (h3d_conf_key){ r->key, r->type, r->preset, r->help };
    }
    if (!r->option) {
      continue;
    }
    row_of[n] = i;
    table[n] = (h3d_opt){ .key = r->option,
                          .letter = r->letter,
                          .type = H3D_OPT_TEXT,
                          .offset = offsetof(values, text)
                                    + (size_t)i * sizeof(char *),
                          .preset = r->preset && *r->preset ? r->preset : NULL,
                          .arg = r->arg,
                          .help = r->help };
    if (!r->help) {
      table[n].type = H3D_OPT_GROUP;
    } else if (strcmp(r->option, "set") == 0) {
      table[n].type = H3D_OPT_TEXTS;
      table[n].offset = offsetof(values, set);
    } else if (r->type == H3D_CONF_FLAG) {
      table[n].type = H3D_OPT_FLAG;
      table[n].offset = offsetof(values, flag) + (size_t)i * sizeof(int);
      table[n].preset = NULL;
    }
    n++;
  }
}

/* Value of an option that is no key of a run. */
static const char *
text_of(const values *v, const char *option)
{
  for (int i = 0; i < ROWS; i++) {
    if (rows[i].option && strcmp(rows[i].option, option) == 0) {
      return v->text[i];
    }
  }
  return NULL;
}

static int
flag_of(const values *v, const char *option)
{
  for (int i = 0; i < ROWS; i++) {
    if (rows[i].option && strcmp(rows[i].option, option) == 0) {
      return v->flag[i];
    }
  }
  return 0;
}

/* The weakest come first. */
static h3d_status
fill_conf(train_options *o, const values *v, const char *given)
{
  const char *config = text_of(v, "config");
  h3d_status st = H3D_OK;

  if (o->resume) {
    char *path = h3d_sprintf("%s/run.ini", o->run);

    st = h3d_conf_read_file(o->conf, path);
    if (st != H3D_OK && access(path, F_OK) != 0) {
      st = h3d_fail(st,
                    "%s: %s: --resume reads the run's keys there; name a "
                    "folder that h3d-train wrote, or start a run without it",
                    path, strerror(errno));
    }
    h3d_free(path);
    H3D_TRY(st);
  }
  if (config) {
    H3D_TRY(h3d_conf_read_file(o->conf, config));
  }
  for (int i = 0; i < v->set.n; i++) {
    H3D_TRY(h3d_conf_set_pair(o->conf, v->set.at[i], "--set"));
  }
  for (int i = 0; table[i].key; i++) {
    const row *r = &rows[row_of[i]];
    char *from;

    if (!given[i] || !r->key) {
      continue;
    }
    from = h3d_sprintf("--%s", r->option);
    st = h3d_conf_set(o->conf, r->key,
                      r->type == H3D_CONF_FLAG
                        ? (v->flag[row_of[i]] ? "yes" : "no")
                        : v->text[row_of[i]],
                      from);
    h3d_free(from);
    H3D_TRY(st);
  }
done:
  return st;
}

/* Numbers that no training can work with; the rest is refused by its owner. */
static h3d_status
check(const train_options *o)
{
  static const struct {
    const char *key;
    double least;
    int real;
  } floor[] = { { "train.epochs", 1, 0 }, { "train.patience", 0, 0 },
                { "train.batch", 1, 0 },  { "train.accumulate", 1, 0 },
                { "train.seed", 0, 0 },   { "run.checkpoint_every", 1, 0 },
                { "run.keep", 1, 0 },     { "optim.lr", 0, 1 },
                { "optim.warmup", 0, 1 }, { "optim.warmup_from", 0, 1 } };

  if (!*h3d_conf_text(o->conf, "data.path")) {
    return h3d_fail(H3D_ERR_USAGE,
                    "no dataset: name one with --data=DATASET (h3d-preprocess "
                    "makes them)");
  }
  for (unsigned i = 0; i < sizeof floor / sizeof floor[0]; i++) {
    double x = floor[i].real ? h3d_conf_real(o->conf, floor[i].key)
                             : (double)h3d_conf_int(o->conf, floor[i].key);

    if (x < floor[i].least) {
      return h3d_fail(H3D_ERR_USAGE, "%s = %g (from %s) must be at least %g",
                      floor[i].key, x, h3d_conf_from(o->conf, floor[i].key),
                      floor[i].least);
    }
  }
  if (o->stop_after < 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--stop-after=%lld: give a number of epochs, or 0 for all",
                    (long long)o->stop_after);
  }
  return H3D_OK;
}

static h3d_status
take(train_options *o, const values *v, const char *given)
{
  h3d_progress_style style = H3D_PROGRESS_AUTO;
  h3d_status st = H3D_OK;

  o->run = text_of(v, "output");
  o->resume = flag_of(v, "resume");
  o->force = flag_of(v, "force");
  o->dry_run = flag_of(v, "dry-run");
  if (!o->dry_run && (!o->run || !*o->run)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "no folder for the run: name one with -o RUN");
  }
  if (o->resume && (o->force || !o->run)) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--resume goes on with the run in -o RUN, --force throws "
                    "it away; give -o RUN and one of the two");
  }
  if (o->resume && text_of(v, "init")) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--init=%s gives a new run its first weights, --resume "
                    "goes on with those of %s; leave one of the two out",
                    text_of(v, "init"), o->run);
  }
  H3D_TRY(
    h3d_parse_int("--stop-after", text_of(v, "stop-after"), &o->stop_after));
  H3D_TRY(h3d_progress_parse(text_of(v, "progress"), &style));
  h3d_progress_set_style(style);
  /* A log with ten lines an epoch hides the epochs. */
  o->progress = style == H3D_PROGRESS_AUTO ? isatty(2) : 1;
  h3d_log_set_level(flag_of(v, "quiet")     ? H3D_LOG_QUIET
                    : flag_of(v, "verbose") ? H3D_LOG_VERBOSE
                                            : H3D_LOG_NORMAL);
  H3D_TRY(fill_conf(o, v, given));
  H3D_TRY(check(o));
done:
  return st;
}

h3d_status
train_options_parse(int argc, char **argv, train_options *o, int *done)
{
  const char *operand[1];
  char given[ROWS + 1] = { 0 };
  values v = { .set = { 0 } };
  int n = 0;
  h3d_status st;

  make_tables();
  st = h3d_opts_parse(&program, argc, argv, &v, given, operand, 1, &n, done);
  if (st == H3D_OK && !*done) {
    o->conf = h3d_conf_new(keys);
    st = n > 0 ? h3d_fail(H3D_ERR_USAGE,
                          "\"%s\" is no option; the dataset is named by "
                          "--data, the run by -o",
                          operand[0])
               : take(o, &v, given);
  }
  /* Files are read here, and they may be missing on one node only. */
  return h3d_agree(MPI_COMM_WORLD, st);
}

void
train_options_free(train_options *o)
{
  h3d_conf_free(&o->conf);
}

void
train_options_answer(int done)
{
  h3d_build_answer(&program, done);
}
