#! /bin/sh
# mirror.sh: each source of the library has its test, NAME.c or NAME.sh in the
# same folder of tests/, or a line "FILE: REASON" in mirror.exceptions that
# names the test which covers it; and every test is run by make check.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 99
list=tests/style/mirror.exceptions

nothing "each source has its test" "`
  for f in lib/*/*.c; do
    t=tests/\`expr "$f" : 'lib/\(.*\)\.c'\`
    test -f $t.c || test -f $t.sh || grep -q "^$f: tests/" $list || echo "$f"
  done`"
nothing "each exception names a source and a test that are there" "`
  grep -v '^#' $list | while IFS=': ' read -r f t rest; do
    { test -f "$f" && { test -f $t.c || test -f $t.sh || test -f $t; }; } ||
      echo "$f: $t"
  done`"
nothing "no exception for what has its own test" "`
  grep -v '^#' $list | while IFS=': ' read -r f rest; do
    t=tests/\`expr "$f" : 'lib/\(.*\)\.c'\`
    test ! -f $t.c && test ! -f $t.sh || echo "$f"
  done`"
# Unlisted, a header is missing from the archive and a source from the build.
nothing "each source and header is listed" "`
  for f in lib/*/*.[ch] preprocess/*.[ch] train/*.[ch] infer/*.[ch] \
      tools/*.[ch]; do
    test -f "$f" || continue
    grep -qE "(^|[ /=])\${f%.c}( |$|\.c)" lib/*/local.mk */local.mk ||
      echo "$f"
  done`"
nothing "each test is listed" "`
  for f in tests/*/*.c tests/*/*.sh; do
    test $f = tests/style/sources.sh && continue
    grep -qE "(^|[ /=])\${f%.c}( |$|\.c)" tests/*/local.mk || echo "$f"
  done`"
finish
