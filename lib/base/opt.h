/* opt.h: command lines, by a table.
 *
 * GNU long options; `--key=value` or `--key value`; a short letter for the
 * everyday few; options and operands in any order; `--` ends options.  Every
 * program has --help and --version.  An unknown option is refused with the
 * nearest known one.
 */
#ifndef H3D_BASE_OPT_H
#define H3D_BASE_OPT_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum h3d_opt_type {
  H3D_OPT_FLAG,  /* int: 1 when given; --no-KEY sets 0 */
  H3D_OPT_INT,   /* int64_t; K, M, G suffixes (1024) allowed */
  H3D_OPT_REAL,  /* double, finite */
  H3D_OPT_TEXT,  /* const char *, borrowed from argv */
  H3D_OPT_TEXTS, /* h3d_opt_texts: every one given, in order; no preset */
  H3D_OPT_GROUP, /* a heading for --help; key is its text */
} h3d_opt_type;

/* What an option gave that may be given again and again. */
enum { H3D_OPT_TEXTS_MAX = 64 };
typedef struct h3d_opt_texts {
  int n;
  const char *at[H3D_OPT_TEXTS_MAX]; /* borrowed from argv */
} h3d_opt_texts;

typedef struct h3d_opt {
  const char *key; /* "epochs"; ends the table when NULL */
  char letter;     /* 'e', or 0 */
  h3d_opt_type type;
  size_t offset;      /* of the member in the options struct */
  const char *preset; /* as text; NULL: zero/NULL */
  const char *arg;    /* "N" in --help; NULL for flags */
  const char *help;
} h3d_opt;

typedef struct h3d_opts {
  const char *program; /* "h3d-train" */
  const char *usage;   /* what follows the program in the usage line */
  const char *about;   /* one or two sentences */
  const h3d_opt *table;
} h3d_opts;

/* Presets, then argv, into the struct at out; operands (borrowed from argv)
 * to operand[0 .. *n), at most max.  Pure: prints nothing.  H3D_ERR_USAGE with
 * a sentence that names the option, the value and what is wanted.  *given
 * (NULL allowed), one char per table row, is 1 where the user gave the option.
 * Otherwise *done is 0; on --help or -h it is 1, on --version 2, nothing else
 * matters then: programs call h3d_build_answer.
 *
 * An option given twice keeps the later value (H3D_OPT_TEXTS keeps all).  A
 * value that begins with "--" must be written --key=value.
 */
h3d_status h3d_opts_parse(const h3d_opts *o, int argc, char **argv, void *out,
                          char *given, const char **operand, int max, int *n,
                          int *done);
/* To stdout, from rank 0. */
void h3d_opts_print_help(const h3d_opts *o);
/* "h3d-train (h3d) 0.1.0", then build, a line per library, given by the
 * caller (NULL: none).
 */
void h3d_opts_print_version(const h3d_opts *o, const char *build);

/* The known word nearest to word (Damerau-Levenshtein distance at most a
 * third of its length, at least 1), or NULL.  known ends with NULL.
 */
const char *h3d_nearest(const char *word, const char *const *known);

/* Whole text as a number; H3D_ERR_USAGE (what names it in the sentence) on
 * junk, overflow, NaN or Inf.
 */
h3d_status h3d_parse_int(const char *what, const char *text, int64_t *out);
h3d_status h3d_parse_real(const char *what, const char *text, double *out);

#endif /* H3D_BASE_OPT_H */
