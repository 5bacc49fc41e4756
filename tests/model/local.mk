# Tests of lib/model.
h3d_tests += \
  tests/model/rate
