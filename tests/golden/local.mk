# Tests against values that another framework made.
h3d_tests += \
  tests/golden/cosmoflow
EXTRA_DIST += tests/golden/cosmoflow_values.h tests/golden/make_cosmoflow.py
