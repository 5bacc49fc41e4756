# Tests of lib/backend.
h3d_tests += \
  tests/backend/act \
  tests/backend/backend \
  tests/backend/boxes \
  tests/backend/conv \
  tests/backend/dense \
  tests/backend/dropout \
  tests/backend/mpi \
  tests/backend/norm \
  tests/backend/optim \
  tests/backend/pool
EXTRA_DIST += tests/backend/conv_brute.h tests/backend/devices.h
