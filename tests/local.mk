# make check.  A test is one word in its folder's local.mk and one file, whose
# source says on how many ranks it runs.  Shell tests (NAME.sh) print TAP too;
# tests/tap.sh helps them.
h3d_tests =
h3d_scripts =

include tests/base/local.mk
include tests/dist/local.mk
include tests/io/local.mk
include tests/backend/local.mk
include tests/tensor/local.mk
include tests/data/local.mk
include tests/layer/local.mk
include tests/model/local.mk
include tests/ckpt/local.mk
include tests/infer/local.mk
include tests/preprocess/local.mk
include tests/programs/local.mk
include tests/golden/local.mk
include tests/style/local.mk

TESTS += $(h3d_tests) $(h3d_scripts)
TEST_EXTENSIONS = .sh
check_PROGRAMS += $(h3d_tests)
check_LTLIBRARIES += tests/libtap.la
dist_check_SCRIPTS += tests/run.sh $(h3d_scripts)
EXTRA_DIST += tests/tap.sh
tests_libtap_la_SOURCES = \
  tests/capture.c tests/capture.h tests/tap.c tests/tap.h
# For tests; a program says PROGRAM_LDADD = lib/libh3d.la.
LDADD = tests/libtap.la lib/libh3d.la

# Open MPI keeps memory that LeakSanitizer reports; h3d counts its own.
AM_TESTS_ENVIRONMENT = \
  MPIRUN='$(MPIRUN)'; ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1; \
  top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; \
  export MPIRUN ASAN_OPTIONS top_srcdir top_builddir;
# All points of all programs: an hour.  Many kills: minutes.
check-torture: $(bin_PROGRAMS) $(check_PROGRAMS)
	@$(AM_TESTS_ENVIRONMENT) H3D_TORTURE=all $(SHELL) \
	  $(srcdir)/tests/programs/torture.sh | $(h3d_verdict)
check-long: $(bin_PROGRAMS) $(check_PROGRAMS)
	@$(AM_TESTS_ENVIRONMENT) H3D_KILLS=20 $(SHELL) \
	  $(srcdir)/tests/programs/kill.sh | $(h3d_verdict)
.PHONY: check-long check-torture
h3d_verdict = $(AWK) '{ print } /^not ok/ { bad = 1 } /^1\.\./ { whole = 1 } \
  END { exit bad || !whole }'
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' \
  $(SHELL) $(top_srcdir)/share/build-aux/tap-driver.sh
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
