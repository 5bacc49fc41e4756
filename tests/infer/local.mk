# Tests of what the programs in infer/ compute.
h3d_tests += \
  tests/infer/slice

tests_infer_slice_LDADD = tests/libtap.la infer/libslice.la
tests_infer_slice_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
