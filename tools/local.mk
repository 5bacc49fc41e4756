# Programs of this folder.
#bin_PROGRAMS += tools/h3d-info
#tools_h3d_info_SOURCES = tools/main.c
#tools_h3d_info_LDADD = lib/libh3d.la
