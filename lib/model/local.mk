# The model floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/model/adam.c \
  lib/model/optim.c lib/model/optim.h \
  lib/model/rate.c lib/model/rate.h \
  lib/model/sgd.c
