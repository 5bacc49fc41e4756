# Tests against values that another framework made.
#h3d_tests += \
#  tests/golden/NAME
