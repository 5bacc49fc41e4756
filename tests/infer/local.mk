# Tests of what the programs in infer/ compute.
h3d_tests += \
  tests/infer/score \
  tests/infer/slice

tests_infer_slice_LDADD = tests/libtap.la infer/libslice.la
tests_infer_slice_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)

tests_infer_score_LDADD = tests/libtap.la infer/libscore.la
tests_infer_score_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
