# Tests of lib/base.
h3d_tests += \
  tests/base/agree
