# Tests of lib/io.
h3d_tests += \
  tests/io/colormap \
  tests/io/plot \
  tests/io/png
