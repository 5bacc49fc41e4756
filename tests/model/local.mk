# Tests of lib/model.
h3d_tests += \
  tests/model/arena \
  tests/model/model \
  tests/model/model_dry \
  tests/model/model_parts \
  tests/model/model_share \
  tests/model/model_step \
  tests/model/model_torture \
  tests/model/net \
  tests/model/net_find \
  tests/model/optim \
  tests/model/plan \
  tests/model/rate \
  tests/model/shard \
  tests/model/weights
EXTRA_DIST += tests/model/parts.h tests/model/some_model.h

# Training on any grid, for tests that compare grids.
check_LTLIBRARIES += tests/librun_net.la
tests_librun_net_la_SOURCES = tests/model/run_net.c tests/model/run_net.h
h3d_tests += tests/model/eval_norm tests/model/grids tests/model/grids_fp32
tests_model_eval_norm_LDADD = tests/librun_net.la $(LDADD)
tests_model_grids_LDADD = tests/librun_net.la $(LDADD)
tests_model_grids_fp32_LDADD = tests/librun_net.la $(LDADD)
