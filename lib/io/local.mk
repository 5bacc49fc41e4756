# The io floor of libh3d: one line per source, its header beside it.
lib_libh3d_la_SOURCES += \
  lib/io/colormap.c lib/io/colormap.h \
  lib/io/cosmoflow.c lib/io/cosmoflow.h \
  lib/io/csv.c lib/io/csv.h \
  lib/io/csv_write.c \
  lib/io/dataset.c lib/io/dataset.h lib/io/dataset_impl.h \
  lib/io/dataset_check.c \
  lib/io/dataset_chunk.c \
  lib/io/dataset_file.c \
  lib/io/dataset_index.c \
  lib/io/dataset_shard.c lib/io/dataset_shard.h \
  lib/io/dataset_together.c \
  lib/io/dataset_resume.c \
  lib/io/dataset_write.c lib/io/dataset_write.h lib/io/dataset_write_impl.h \
  lib/io/folder.c lib/io/folder.h \
  lib/io/h5.c lib/io/h5.h lib/io/h5_impl.h \
  lib/io/h5_attr.c \
  lib/io/h5_data.c \
  lib/io/h5_object.c \
  lib/io/h5_seal.c \
  lib/io/h5_text.c \
  lib/io/h5_together.c \
  lib/io/h5_type.c \
  lib/io/h5_why.c \
  lib/io/json.c lib/io/json.h \
  lib/io/npy.c lib/io/npy.h lib/io/npy_impl.h \
  lib/io/npy_head.c \
  lib/io/npy_write.c \
  lib/io/npz.c \
  lib/io/plot.h \
  lib/io/plot_axes.c lib/io/plot_axes.h \
  lib/io/plot_canvas.c lib/io/plot_canvas.h \
  lib/io/plot_curves.c \
  lib/io/plot_scatter.c \
  lib/io/plot_ticks.c lib/io/plot_ticks.h \
  lib/io/png.c lib/io/png.h \
  lib/io/publish.c lib/io/publish.h \
  lib/io/table.c lib/io/table.h \
  lib/io/zip.c lib/io/zip.h lib/io/zip_impl.h \
  lib/io/zip_head.c
