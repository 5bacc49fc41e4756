# The dist floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/dist/dist.c lib/dist/dist.h \
  lib/dist/grid.c lib/dist/grid.h \
  lib/dist/threads.c \
  lib/dist/window.c lib/dist/window.h
