# h3d-info.
bin_PROGRAMS += tools/h3d-info
tools_h3d_info_SOURCES = \
  tools/info.c tools/info.h \
  tools/info_check.c \
  tools/info_files.c \
  tools/info_h3d.c \
  tools/info_say.c tools/info_say.h
tools_h3d_info_LDADD = lib/libh3d.la

# h3d-bench.
bin_PROGRAMS += tools/h3d-bench
tools_h3d_bench_SOURCES = tools/bench.c
tools_h3d_bench_LDADD = lib/libh3d.la
