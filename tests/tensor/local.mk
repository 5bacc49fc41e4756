# Tests of lib/tensor.
#h3d_tests += \
#  tests/tensor/NAME
