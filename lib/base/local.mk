# The base floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/base/agree.c lib/base/agree.h \
  lib/base/check.c lib/base/check.h \
  lib/base/clock.c lib/base/clock.h \
  lib/base/conf.c lib/base/conf.h \
  lib/base/conf_ini.c lib/base/conf_impl.h \
  lib/base/log.c lib/base/log.h \
  lib/base/mem.c lib/base/mem.h \
  lib/base/opt.c lib/base/opt.h \
  lib/base/opt_help.c \
  lib/base/opt_text.c \
  lib/base/progress.c lib/base/progress.h \
  lib/base/rng.c lib/base/rng.h \
  lib/base/status.c lib/base/status.h \
  lib/base/torture.c lib/base/torture.h
