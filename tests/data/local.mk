# Tests of lib/data.
h3d_tests += \
  tests/data/augment \
  tests/data/cast \
  tests/data/loader \
  tests/data/order \
  tests/data/store \
  tests/data/store_refuse \
  tests/data/target
