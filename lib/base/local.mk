# The base floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/base/agree.c lib/base/agree.h \
  lib/base/status.c lib/base/status.h
