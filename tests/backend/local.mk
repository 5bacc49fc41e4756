# Tests of lib/backend.
h3d_tests += \
  tests/backend/conv
