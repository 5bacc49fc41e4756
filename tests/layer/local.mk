# Tests of lib/layer.
h3d_tests += \
  tests/layer/options
