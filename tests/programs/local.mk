# Tests of whole programs, as a user starts them.
h3d_scripts += \
  tests/programs/simulate.sh \
  tests/programs/slice.sh
