# Tests of lib/dist.
#h3d_tests += \
#  tests/dist/NAME
