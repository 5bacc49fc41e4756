# Tests of lib/base.
h3d_tests += \
  tests/base/agree \
  tests/base/clock \
  tests/base/conf \
  tests/base/log \
  tests/base/mem \
  tests/base/opt \
  tests/base/opt_text \
  tests/base/progress \
  tests/base/rng \
  tests/base/status \
  tests/base/torture
h3d_scripts += \
  tests/base/breaks.sh
# What breaks.sh runs.
check_PROGRAMS += tests/base/breaks
tests_base_breaks_LDADD = lib/libh3d.la
