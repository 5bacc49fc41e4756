#! /bin/sh
# banned.sh: calls, words and shapes that no source has.
. "$top_srcdir/tests/tap.sh"
code=$tap_dir/code
cd "$top_srcdir" || exit 99
. tests/style/sources.sh
code lib $programs tests >"$code"

calls='sprintf|vsprintf|strcpy|strcat|gets|strtok|rand|srand|atoi|atol|atof'\
'|system|alloca|popen|tmpnam|mktemp'
nothing "no dangerous calls" "`
  grep -E "(^|[^A-Za-z0-9_])($calls)[[:space:]]*\(" "$code"`"
word='printf|vprintf|puts|putchar|stdout'
nothing "the library does not write to stdout" "`
  grep -E '^lib/' "$code" | grep -E "[^A-Za-z0-9_]($word)[^A-Za-z0-9_]" |
  grep -vE '^lib/base/(opt_help|check)\.c:|__attribute__|format\('`"
# Whatever make check reads: no word that says "later".
nothing "nothing is put off" "`
  grep -rnE 'TO[D]O|FIX[M]E|(^|[^X])XX[X]([^X]|$)' lib $programs tests \
    share/doc share/models configure.ac Makefile.am README.md`"
nothing "nothing names the place where it was written" "`
  grep -rnE '[.][.]/share[d]|[.]librar[y]|/work/mai[n]' lib $programs tests \
    share/doc share/models configure.ac Makefile.am README.md`"
nothing "no tabs in C" "`
  c_files lib $programs tests | xargs grep -n '	'`"
nothing "lines have at most 79 columns" "`
  { c_files lib $programs tests; find tests -name '*.sh'; } |
  xargs awk 'length > 79 { print FILENAME ":" FNR ": " length }'`"
nothing "guards are named after their headers" "`
  for f in lib/*/*.h; do
    case $f in *_loops.h) continue ;; esac # included once per type
    guard=H3D_\`echo "$f" | sed 's|^lib/||; y|/.|__|' | tr a-z A-Z\`
    grep -q "^#ifndef $guard$" $f && grep -q "^#define $guard$" $f || echo $f
  done`"
finish
