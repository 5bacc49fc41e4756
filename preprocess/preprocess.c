/* h3d-preprocess: raw samples into an h3d dataset. */
#include "config.h"

#include "backend/build.h"
#include "base/agree.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/progress.h"
#include "convert.h"
#include "inputs.h"
#include "options.h"
#include "record.h"
#include "subsets.h"
#include "survey.h"
#include "targets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(options, member)
static const h3d_opt table[] = {
  { "Input", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "from", 0, H3D_OPT_TEXT, AT(from), "auto", "auto|cosmoflow|npy|npz|raw",
    "what the files are: cosmoflow (HDF5 with full, unitPar), npy and npz "
    "(one "
    "array per sample), raw (numbers alone); auto looks at the names" },
  { "array", 0, H3D_OPT_TEXT, AT(array), NULL, "NAME",
    "which array of each .npz to take; preset: its only one" },
  { "axes", 0, H3D_OPT_TEXT, AT(axes), "auto", "auto|cdhw|dhwc",
    "where arrays of four axes have their channels; auto: the axis with the "
    "fewest entries" },
  { "dtype", 0, H3D_OPT_TEXT, AT(dtype), NULL, "int16|uint8|float32|...",
    "type of the numbers in raw files" },
  { "shape", 0, H3D_OPT_TEXT, AT(shape), NULL, "CxDxHxW|DxHxWxC|DxHxW",
    "extents of raw files, the last one fastest" },
  { "byte-order", 0, H3D_OPT_TEXT, AT(byte_order), "little", "little|big",
    "of raw files" },
  { "offset", 0, H3D_OPT_INT, AT(offset), "0", "BYTES",
    "before the first number of a raw file" },
  { "targets", 0, H3D_OPT_TEXT, AT(targets), NULL, "CSV",
    "what to learn, in physical units: a column id (file name without ending) "
    "and one per target; preset: what the files hold" },
  { "Samples", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "subvolume", 0, H3D_OPT_INT, AT(subvolume), "0", "S",
    "cut each volume into cubes of S voxels a side; 0: whole volumes" },
  { "normalize", 0, H3D_OPT_TEXT, AT(normalize), "auto",
    "auto|none|log1p|zscore",
    "what the network will see; voxels are stored as they are. log1p: log(1 + "
    "x), then mean 0 and deviation 1 over training; zscore: without the "
    "logarithm; auto: log1p for counts, none for others" },
  { "subsets", 0, H3D_OPT_TEXT, AT(subsets), "0.8,0.1,0.1", "T,V,T|FILE",
    "shares or counts of input files for training, validation and test, or a "
    "file of lines ID SUBSET; cubes of one file stay together" },
  { "seed", 0, H3D_OPT_INT, AT(seed), "1", "S", "of the deal into subsets" },
  { "Output", 0, H3D_OPT_GROUP, 0, NULL, NULL, NULL },
  { "output", 'o', H3D_OPT_TEXT, AT(out), NULL, "DATASET",
    "folder for the dataset" },
  { "chunk", 0, H3D_OPT_TEXT, AT(chunk), "auto", "auto|DxHxW",
    "voxels of a chunk; auto: so that 2, 4 and mostly 8 parts per axis read "
    "whole ones" },
  { "compress", 0, H3D_OPT_TEXT, AT(compress), "none", "none|deflate",
    "smaller, slower to read" },
  { "memory", 0, H3D_OPT_TEXT, AT(memory), "auto", "auto|GIB",
    "what a rank may take for a sample; larger ones are converted in pieces "
    "by "
    "all ranks together; auto: half of the machine's, over its ranks" },
  { "together", 0, H3D_OPT_FLAG, AT(together), NULL, NULL,
    "do so with samples of any size" },
  { "force", 0, H3D_OPT_FLAG, AT(force), NULL, NULL,
    "replace a dataset that is there" },
  { "resume", 0, H3D_OPT_FLAG, AT(resume), NULL, NULL,
    "go on with what was begun with the same options, inputs and ranks and "
    "did not end; begin, where nothing was" },
  { "dry-run", 'n', H3D_OPT_FLAG, AT(dry_run), NULL, NULL,
    "say what would be done, the memory and the disk it takes" },
  { "progress", 0, H3D_OPT_TEXT, AT(progress), "auto", "auto|bar|lines|none",
    "how to show progress" },
  { NULL, 0, H3D_OPT_FLAG, 0, NULL, NULL, NULL },
};
#undef AT

static const h3d_opts program = {
  "h3d-preprocess",
  "[OPTION]... -o DATASET INPUT...",
  "Prepare raw volumes (files, or folders of them) for training: a dataset in "
  "shards that every rank reads by blocks, with statistics and subsets.",
  table,
};

static h3d_status
parse_chunk(const char *text, int64_t chunk[3])
{
  const char *at = text;
  char word[24];

  memset(chunk, 0, 3 * sizeof *chunk);
  for (int a = 0; strcmp(text, "auto") != 0 && a < 3; a++) {
    size_t n = strcspn(at, "x");

    snprintf(word, sizeof word, "%.*s", (int)n, at);
    if ((a < 2) != (at[n] == 'x') || n >= sizeof word
        || h3d_parse_int("--chunk", word, &chunk[a]) != H3D_OK
        || chunk[a] < 1) {
      return h3d_fail(H3D_ERR_USAGE,
                      "--chunk %s: wanted is auto or DxHxW, like 16x16x16",
                      text);
    }
    at += n + 1;
  }
  return H3D_OK;
}

static h3d_status
check_options(const options *o, h3d_convert *c)
{
  h3d_progress_style style;
  h3d_status st;

  if (o->out == NULL || o->out[0] == '\0') {
    return h3d_fail(H3D_ERR_USAGE,
                    "no output: say where with -o DATASET, or see --help");
  }
  if (o->seed < 0) {
    return h3d_fail(H3D_ERR_USAGE, "--seed %" PRId64 ": choose 0 or more",
                    o->seed);
  }
  if (o->subvolume < 0) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--subvolume %" PRId64 ": wanted are 0 or more voxels",
                    o->subvolume);
  }
  if (strcmp(o->compress, "none") != 0
      && strcmp(o->compress, "deflate") != 0) {
    return h3d_fail(H3D_ERR_USAGE, "--compress %s: choose none or deflate",
                    o->compress);
  }
  if (o->resume && o->force) {
    return h3d_fail(H3D_ERR_USAGE,
                    "--resume goes on and --force begins anew: choose one");
  }
  c->options.deflate = strcmp(o->compress, "deflate") == 0;
  c->options.force = o->force;
  c->cube = o->subvolume;
  c->out = o->out;
  H3D_TRY(parse_chunk(o->chunk, c->chunk));
  H3D_TRY(h3d_normalize_parse(o->normalize, &c->normalize));
  H3D_TRY(h3d_progress_parse(o->progress, &style));
  h3d_progress_set_style(style);
done:
  return st;
}

/* Collective: ranks on one machine share its memory. */
static h3d_status
choose_pieces(const options *o, h3d_convert *c)
{
  const int ranks = h3d_comm_size(MPI_COMM_WORLD);
  double memory
    = (double)h3d_mem_machine() / 2 / h3d_comm_node_size(MPI_COMM_WORLD);
  double gib;
  h3d_status st = H3D_OK;

  if (strcmp(o->memory, "auto") != 0) {
    H3D_TRY(h3d_parse_real("--memory (GiB)", o->memory, &gib));
    if (!(gib > 0)) {
      return h3d_fail(H3D_ERR_USAGE,
                      "--memory %s: wanted is auto, or GiB "
                      "above 0",
                      o->memory);
    }
    memory = gib * (1 << 30);
  }
  memory = h3d_min_all(MPI_COMM_WORLD, memory);
  st = h3d_convert_choose_pieces(c, ranks, memory, o->together);
done:
  return st;
}

static h3d_status
get_targets(const options *o, const h3d_convert *c, h3d_targets *t)
{
  if (o->targets != NULL) {
    return h3d_targets_from_csv(o->targets, c->in, c->subset, t);
  }
  if (c->survey->about[0].params == 0) {
    h3d_warn("the files hold no targets and none are given (--targets CSV): "
             "the dataset has volumes only");
  }
  return h3d_targets_from_files(c->in, c->survey, t);
}

static void
say_plan(const h3d_convert *c)
{
  const double mib = 1024 * 1024;
  const h3d_source_about *a = &c->survey->about[0];

  h3d_log("%" PRId64 " %s files of %" PRId64 "x%" PRId64 "x%" PRId64
          " voxels, %d channels of %s",
          c->in->n, c->in->kind->name, a->extent[0], a->extent[1],
          a->extent[2], a->channels, h3d_h5_type_name((h3d_h5_type)a->type));
  h3d_log("memory %.0f MiB per rank, disk %.0f MiB%s",
          (double)h3d_convert_memory(c) / mib,
          (double)h3d_convert_disk(c) / mib,
          c->options.deflate ? " before compression" : "");
  if (c->pieces.n > 0) {
    h3d_log("all ranks write each sample together, in %" PRId64
            " pieces of %" PRId64 "x%" PRId64 "x%" PRId64 " voxels",
            c->pieces.n, c->pieces.box[0], c->pieces.box[1], c->pieces.box[2]);
  }
}

static void
say_amplification(const h3d_convert *c)
{
  char text[3][H3D_AMPLIFICATION_TEXT];
  const int64_t *chunk = c->chunk;
  int64_t extent[3];

  h3d_convert_extent(c, extent);
  for (int a = 0; a < 3; a++) {
    h3d_dataset_amplification_text(extent[a], chunk[a], text[a]);
  }
  h3d_log("chunks of %" PRId64 "x%" PRId64 "x%" PRId64
          " voxels; read amplification in 2 to 8 parts: D %s, H %s, W %s",
          chunk[0], chunk[1], chunk[2], text[0], text[1], text[2]);
}

/* What came out, for people and scripts. */
static void
print_summary(const h3d_convert *c, double seconds)
{
  int64_t count[H3D_SUBSETS] = { 0 }, extent[3];
  double bytes = (double)h3d_convert_disk(c);

  for (int64_t i = 0; i < c->in->n; i++) {
    count[c->subset[i]] += h3d_convert_cubes(c);
  }
  h3d_convert_extent(c, extent);
  printf("samples %" PRId64 "\n", h3d_convert_samples(c));
  for (int s = 0; s < H3D_SUBSETS; s++) {
    printf("%s %" PRId64 "\n", h3d_subset_name((h3d_subset)s), count[s]);
  }
  printf("extent %" PRId64 "x%" PRId64 "x%" PRId64 "\n", extent[0], extent[1],
         extent[2]);
  printf("channels %d\nvoxels %s\ntargets", c->survey->about[0].channels,
         h3d_elem_name(c->survey->elem));
  for (int k = 0; k < c->targets->n; k++) {
    printf(" %s", c->targets->name[k]);
  }
  printf("%s\nbytes %.0f\n", c->targets->n == 0 ? " none" : "", bytes);
  if (seconds > 0) {
    printf("MB/s %.1f\n", bytes / 1e6 / seconds);
  }
}

static char *
join_words(int argc, char **argv)
{
  char *line = h3d_strdup(program.program);

  for (int i = 1; i < argc; i++) {
    /* What goes on is what was begun. */
    if (strcmp(argv[i], "--resume") == 0) {
      continue;
    }
    char *longer = h3d_sprintf("%s %s", line, argv[i]);

    h3d_free(line);
    line = longer;
  }
  return line;
}

static h3d_status
work(const options *o, h3d_convert *c, h3d_targets *targets,
     h3d_subset *subset)
{
  char *record = NULL;
  h3d_resume what;
  double start;
  h3d_status st;

  st = h3d_subsets_assign(o->subsets, (uint64_t)o->seed, c->in->n, c->in->id,
                          subset);
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, st));
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, h3d_convert_check(c)));
  h3d_convert_choose_chunk(c);
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, choose_pieces(o, c)));
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, get_targets(o, c, targets)));
  say_plan(c);
  c->options.record = record = h3d_record_of(o, c);
  H3D_TRY(h3d_record_look(o, c, &what));
  start = h3d_clock();
  if (o->dry_run) {
    say_amplification(c);
  } else if (what != H3D_RESUME_WHOLE) {
    H3D_TRY(h3d_convert_run(MPI_COMM_WORLD, c));
  }
  if (h3d_rank() == 0) {
    print_summary(
      c, o->dry_run || what == H3D_RESUME_WHOLE ? 0 : h3d_clock() - start);
  }
done:
  h3d_free(record);
  return st;
}

static h3d_status
preprocess(const options *o, h3d_convert *c, const char *const *operand,
           int operands)
{
  const h3d_source_words words = { o->array,
                                   o->axes,
                                   o->dtype,
                                   o->shape,
                                   o->byte_order,
                                   o->offset,
                                   strcmp(o->from, "raw") == 0 };
  h3d_source_options source;
  const h3d_source_kind *kind;
  h3d_inputs in = { 0 };
  h3d_survey survey = { 0 };
  h3d_targets targets = { 0 };
  h3d_subset *subset = NULL;
  h3d_status st;

  c->in = &in;
  c->survey = &survey;
  c->targets = &targets;
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, check_options(o, c)));
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, h3d_source_find(o->from, &kind)));
  H3D_TRY(h3d_agree(MPI_COMM_WORLD, h3d_source_parse(&words, &source)));
  H3D_TRY(h3d_inputs_find(MPI_COMM_WORLD, kind, operand, operands, &in));
  in.options = &source;
  H3D_TRY(h3d_survey_make(MPI_COMM_WORLD, &in, &survey));
  c->subset = subset = h3d_new((size_t)in.n, sizeof *subset);
  st = work(o, c, &targets, subset);
done:
  h3d_free(subset);
  h3d_targets_release(&targets);
  h3d_survey_release(&survey);
  h3d_inputs_release(&in);
  return st;
}

static h3d_status
run(int argc, char **argv)
{
  const char **operand = h3d_new((size_t)argc, sizeof *operand);
  char *command = join_words(argc, argv);
  h3d_convert c = { .command = command };
  options o;
  int operands, done;
  h3d_status st = h3d_opts_parse(&program, argc, argv, &o, NULL, operand, argc,
                                 &operands, &done);

  if (st == H3D_OK && done) {
    h3d_build_answer(&program, done);
  } else if (st == H3D_OK && operands == 0) {
    st = h3d_fail(H3D_ERR_USAGE,
                  "no input: name files or folders, or see --help");
  } else if (st == H3D_OK) {
    st = preprocess(&o, &c, operand, operands);
  }
  h3d_free(command);
  h3d_free(operand);
  return st;
}

int
main(int argc, char **argv)
{
  h3d_start(&argc, &argv);
  return h3d_finish(h3d_exit_status(program.program, run(argc, argv)));
}
