#! /bin/sh
# long.sh: small files, short functions.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 99
. tests/style/sources.sh
nothing "files have at most 400 lines" "`
  c_files lib $programs tests |
  xargs awk 'FNR == 401 { print FILENAME }'`"
# .clang-format puts a function's braces alone at the start of a line.
nothing "functions have at most 80 lines" "`
  c_files lib $programs tests | xargs awk '
    FNR == 1 { open = 0 }
    /^{$/ { open = FNR }
    /^}$/ && open {
      if (FNR - open - 1 > 80)
        print FILENAME ":" open ": " FNR - open - 1 " lines"
      open = 0
    }'`"
finish
