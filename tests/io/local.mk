# Tests of lib/io.
#h3d_tests += \
#  tests/io/NAME
