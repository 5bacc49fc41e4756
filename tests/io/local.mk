# Tests of lib/io.
h3d_tests += \
  tests/io/colormap \
  tests/io/cosmoflow \
  tests/io/csv \
  tests/io/dataset \
  tests/io/dataset_check \
  tests/io/dataset_chunk \
  tests/io/dataset_write \
  tests/io/folder \
  tests/io/h5 \
  tests/io/h5_together \
  tests/io/json \
  tests/io/npy \
  tests/io/plot \
  tests/io/png \
  tests/io/zip
