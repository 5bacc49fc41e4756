# The ckpt floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/ckpt/ckpt.c lib/ckpt/ckpt.h lib/ckpt/ckpt_impl.h \
  lib/ckpt/ckpt_about.c \
  lib/ckpt/ckpt_folder.c \
  lib/ckpt/ckpt_init.c
