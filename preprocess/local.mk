# Programs of this folder.
#bin_PROGRAMS += preprocess/h3d-preprocess
#preprocess_h3d_preprocess_SOURCES = preprocess/main.c
#preprocess_h3d_preprocess_LDADD = lib/libh3d.la

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
