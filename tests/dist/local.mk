# Tests of lib/dist.
h3d_tests += \
  tests/dist/dist \
  tests/dist/grid \
  tests/dist/window
