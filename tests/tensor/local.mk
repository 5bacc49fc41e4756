# Tests of lib/tensor.
h3d_tests += \
  tests/tensor/redist
EXTRA_DIST += tests/tensor/some.h
