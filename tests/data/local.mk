# Tests of lib/data.
h3d_tests += \
  tests/data/augment \
  tests/data/order
