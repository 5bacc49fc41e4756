# Tests of lib/tensor.
h3d_tests += \
  tests/tensor/halo \
  tests/tensor/halo_conv \
  tests/tensor/redist
EXTRA_DIST += tests/tensor/some.h tests/tensor/trial.h
