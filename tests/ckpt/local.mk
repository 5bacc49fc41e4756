# Tests of lib/ckpt.
h3d_tests += \
  tests/ckpt/ckpt
