# Tests that read the sources.
h3d_scripts += \
  tests/style/floors.sh
