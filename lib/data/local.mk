# The data floor of libh3d: one line per source, its header beside it.
#lib_libh3d_la_SOURCES += \
#  lib/data/NAME.c lib/data/NAME.h
