# The io floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/io/colormap.c lib/io/colormap.h \
  lib/io/dataset.h \
  lib/io/h5.c lib/io/h5.h lib/io/h5_impl.h \
  lib/io/h5_attr.c \
  lib/io/h5_data.c \
  lib/io/h5_object.c \
  lib/io/h5_text.c \
  lib/io/h5_type.c \
  lib/io/h5_why.c \
  lib/io/plot_canvas.c lib/io/plot_canvas.h \
  lib/io/plot_ticks.c lib/io/plot_ticks.h \
  lib/io/png.c lib/io/png.h
