# The backend floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/backend/backend.c lib/backend/backend.h \
  lib/backend/list.c \
  lib/backend/mpi.c lib/backend/transport.h \
  lib/backend/ref.c lib/backend/ref.h \
  lib/backend/ref_conv.c lib/backend/ref_conv_loops.h \
  lib/backend/ref_point.c lib/backend/ref_point_loops.h \
  lib/backend/ref_pool.c lib/backend/ref_pool_loops.h \
  lib/backend/ref_vec.c lib/backend/ref_vec_loops.h
