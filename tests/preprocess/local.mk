# Tests of what the programs in preprocess/ compute.
h3d_tests += \
  tests/preprocess/growth \
  tests/preprocess/lpt \
  tests/preprocess/scale \
  tests/preprocess/spectrum \
  tests/preprocess/subsets

simulate_libs = tests/libtap.la preprocess/libsimulate.la
simulate_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_preprocess_growth_LDADD = $(simulate_libs)
tests_preprocess_growth_CPPFLAGS = $(simulate_cppflags)
tests_preprocess_lpt_LDADD = $(simulate_libs)
tests_preprocess_lpt_CPPFLAGS = $(simulate_cppflags)
tests_preprocess_spectrum_LDADD = $(simulate_libs)
tests_preprocess_spectrum_CPPFLAGS = $(simulate_cppflags)
preprocess_libs = tests/libtap.la preprocess/libpreprocess.la
tests_preprocess_scale_LDADD = $(preprocess_libs)
tests_preprocess_scale_CPPFLAGS = $(simulate_cppflags)
tests_preprocess_subsets_LDADD = $(preprocess_libs)
tests_preprocess_subsets_CPPFLAGS = $(simulate_cppflags)
