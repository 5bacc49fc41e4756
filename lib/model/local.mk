# The model floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/model/adam.c \
  lib/model/arena.c lib/model/arena.h \
  lib/model/model.c lib/model/model.h lib/model/model_impl.h \
  lib/model/model_memory.c \
  lib/model/model_param.c \
  lib/model/model_read.c \
  lib/model/model_share.c \
  lib/model/model_step.c \
  lib/model/net.c lib/model/net.h lib/model/net_impl.h \
  lib/model/net_find.c \
  lib/model/net_line.c \
  lib/model/optim.c lib/model/optim.h \
  lib/model/plan.c lib/model/plan.h \
  lib/model/plan_text.c \
  lib/model/rate.c lib/model/rate.h \
  lib/model/sgd.c \
  lib/model/shard.c lib/model/shard.h
