# The backend floor of libh3d: one line per source, its header beside it.
#lib_libh3d_la_SOURCES += \
#  lib/backend/NAME.c lib/backend/NAME.h
