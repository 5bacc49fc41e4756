# h3d-train.
bin_PROGRAMS += train/h3d-train
train_h3d_train_SOURCES = \
  train/main.c train/train.h \
  train/history.c \
  train/loop.c \
  train/memory.c \
  train/options.c \
  train/report.c \
  train/resume.c \
  train/run.c \
  train/setup.c
train_h3d_train_LDADD = lib/libh3d.la
