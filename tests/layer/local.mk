# Tests of lib/layer.
h3d_tests += \
  tests/layer/gradients \
  tests/layer/grids \
  tests/layer/mse \
  tests/layer/norm \
  tests/layer/options
EXTRA_DIST += tests/layer/small.h
