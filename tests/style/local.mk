# Tests that read the sources.
h3d_scripts += \
  tests/style/banned.sh \
  tests/style/fences.sh \
  tests/style/floors.sh \
  tests/style/long.sh \
  tests/style/mirror.sh
EXTRA_DIST += \
  tests/style/code.awk tests/style/mirror.exceptions tests/style/sources.sh
