# Programs of this folder.

# What h3d-preprocess does, apart for its tests.
noinst_LTLIBRARIES += preprocess/libpreprocess.la
preprocess_libpreprocess_la_LIBADD = lib/libh3d.la
preprocess_libpreprocess_la_SOURCES = \
  preprocess/convert.c preprocess/convert.h preprocess/convert_impl.h \
  preprocess/convert_plan.c \
  preprocess/convert_together.c \
  preprocess/inputs.c preprocess/inputs.h \
  preprocess/record.c preprocess/record.h preprocess/options.h \
  preprocess/scale.c preprocess/scale.h \
  preprocess/source.c preprocess/source.h \
  preprocess/source_cosmoflow.c \
  preprocess/source_npy.c \
  preprocess/source_options.c \
  preprocess/stats.c \
  preprocess/subsets.c preprocess/subsets.h \
  preprocess/survey.c preprocess/survey.h \
  preprocess/targets.c preprocess/targets.h
bin_PROGRAMS += preprocess/h3d-preprocess
preprocess_h3d_preprocess_SOURCES = preprocess/preprocess.c
preprocess_h3d_preprocess_LDADD = preprocess/libpreprocess.la

# What h3d-simulate computes, apart for its tests.
noinst_LTLIBRARIES += preprocess/libsimulate.la
preprocess_libsimulate_la_LIBADD = lib/libh3d.la
preprocess_libsimulate_la_SOURCES = \
  preprocess/growth.c preprocess/growth.h \
  preprocess/prior.c preprocess/prior.h \
  preprocess/simulate_lpt.c preprocess/simulate_lpt.h \
  preprocess/spectrum.c preprocess/spectrum.h \
  preprocess/universe.c preprocess/universe.h
bin_PROGRAMS += preprocess/h3d-simulate
preprocess_h3d_simulate_SOURCES = preprocess/simulate.c
preprocess_h3d_simulate_LDADD = preprocess/libsimulate.la
