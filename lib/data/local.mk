# The data floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/data/augment.c lib/data/augment.h \
  lib/data/cast.c lib/data/cast.h \
  lib/data/loader.c lib/data/loader.h lib/data/loader_impl.h \
  lib/data/loader_read.c \
  lib/data/order.c lib/data/order.h \
  lib/data/store.c lib/data/store.h lib/data/store_impl.h \
  lib/data/store_move.c \
  lib/data/target.c lib/data/target.h
