# Programs of this folder.
#bin_PROGRAMS += infer/h3d-infer
#infer_h3d_infer_SOURCES = infer/main.c
#infer_h3d_infer_LDADD = lib/libh3d.la
