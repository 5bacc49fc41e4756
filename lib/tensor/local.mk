# The tensor floor of libh3d.
lib_libh3d_la_SOURCES += \
  lib/tensor/halo.c lib/tensor/halo.h lib/tensor/halo_impl.h \
  lib/tensor/halo_move.c \
  lib/tensor/redist.c lib/tensor/redist.h lib/tensor/redist_impl.h \
  lib/tensor/redist_move.c
