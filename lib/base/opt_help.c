#include "config.h"

#include "base/opt.h"

#include "base/check.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 79, TEXT_AT = 26 };

/* Print words from column at on, wrapping back to column indent. */
static void
print_wrapped(const char *text, int at, int indent)
{
  while (*text != '\0') {
    int length = (int)strcspn(text, " ");

    if (at > indent && at + 1 + length > COLUMNS) {
      fprintf(stdout, "\n%*s", indent, "");
      at = indent;
    } else if (at > indent) {
      fputc(' ', stdout);
      at++;
    }
    fprintf(stdout, "%.*s", length, text);
    at += length;
    text += length;
    text += strspn(text, " ");
  }
  fputc('\n', stdout);
}

static void
print_row(const h3d_opt *row)
{
  char left[96], help[512];

  snprintf(left, sizeof left, "  %c%c%c --%s%s%s", row->letter ? '-' : ' ',
           row->letter ? row->letter : ' ', row->letter ? ',' : ' ', row->key,
           row->arg != NULL ? "=" : "", row->arg != NULL ? row->arg : "");
  if (row->preset != NULL && row->type != H3D_OPT_FLAG) {
    snprintf(help, sizeof help, "%s [%s]", row->help, row->preset);
  } else if (row->preset != NULL) {
    snprintf(help, sizeof help, "%s [on; --no-%s]", row->help, row->key);
  } else {
    snprintf(help, sizeof help, "%s", row->help);
  }
  if ((int)strlen(left) > TEXT_AT - 2) {
    fprintf(stdout, "%s\n%*s", left, TEXT_AT, "");
  } else {
    fprintf(stdout, "%-*s", TEXT_AT, left);
  }
  print_wrapped(help, TEXT_AT, TEXT_AT);
}

void
h3d_opts_print_help(const h3d_opts *o)
{
  if (h3d_rank() != 0) {
    return;
  }
  fprintf(stdout, "Usage: %s", o->program);
  print_wrapped(o->usage, 7 + (int)strlen(o->program), 9);
  print_wrapped(o->about, 0, 0);
  for (const h3d_opt *row = o->table; row->key != NULL; row++) {
    if (row->type == H3D_OPT_GROUP) {
      fprintf(stdout, "\n%s:\n", row->key);
    } else {
      print_row(row);
    }
  }
  fprintf(stdout, "\nGeneral:\n");
  print_row(&(h3d_opt){ .key = "help",
                        .letter = 'h',
                        .type = H3D_OPT_FLAG,
                        .help = "say this and end" });
  print_row(&(h3d_opt){ .key = "version",
                        .type = H3D_OPT_FLAG,
                        .help = "say version and build and end" });
  fprintf(stdout,
          "\nPresets stand in brackets.  Exit status: 0 done, 1 refused"
          " or failed, 2 usage.\n");
}

void
h3d_opts_print_version(const h3d_opts *o, const char *build)
{
  if (h3d_rank() != 0) {
    return;
  }
  fprintf(stdout, "%s (h3d) %s\n", o->program, PACKAGE_VERSION);
  if (build != NULL && build[0] != '\0') {
    fprintf(stdout, "%s%s", build,
            build[strlen(build) - 1] == '\n' ? "" : "\n");
  }
}
