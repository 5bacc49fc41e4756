# The backend floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/backend/backend.c lib/backend/backend.h \
  lib/backend/build.c lib/backend/build.h \
  lib/backend/list.c \
  lib/backend/mpi.c lib/backend/transport.h \
  lib/backend/ref.c lib/backend/ref.h \
  lib/backend/ref_conv.c lib/backend/ref_conv_loops.h \
  lib/backend/ref_point.c lib/backend/ref_point_loops.h \
  lib/backend/ref_pool.c lib/backend/ref_pool_loops.h \
  lib/backend/ref_vec.c lib/backend/ref_vec_loops.h

if HAVE_CPU
lib_libh3d_la_SOURCES += \
  lib/backend/cpu.c lib/backend/cpu.h \
  lib/backend/cpu_act.c \
  lib/backend/cpu_conv.c \
  lib/backend/cpu_dense.c \
  lib/backend/cpu_dnnl.c lib/backend/cpu_dnnl.h \
  lib/backend/cpu_dnnl_make.c lib/backend/cpu_dnnl_impl.h \
  lib/backend/cpu_norm.c \
  lib/backend/cpu_pool.c \
  lib/backend/cpu_pool_max.c \
  lib/backend/cpu_vec.c \
  lib/backend/cpu_wgrad.c
endif
