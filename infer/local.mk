# Scores, apart for their tests.
noinst_LTLIBRARIES += infer/libscore.la
infer_libscore_la_LIBADD = lib/libh3d.la
infer_libscore_la_SOURCES = infer/score.c infer/score.h
bin_PROGRAMS += infer/h3d-infer
infer_h3d_infer_SOURCES = \
  infer/infer.c infer/infer.h \
  infer/pictures.c \
  infer/predict.c \
  infer/results.c \
  infer/setup.c
infer_h3d_infer_LDADD = infer/libscore.la

# What h3d-slice draws with, apart for its tests.
noinst_LTLIBRARIES += infer/libslice.la
infer_libslice_la_LIBADD = lib/libh3d.la
infer_libslice_la_SOURCES = \
  infer/render.c infer/render.h \
  infer/slice_plan.c infer/slice_plan.h \
  infer/slice_volume.c infer/slice_volume.h
bin_PROGRAMS += infer/h3d-slice
infer_h3d_slice_SOURCES = infer/slice.c
infer_h3d_slice_LDADD = infer/libslice.la
