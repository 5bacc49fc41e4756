# Programs of this folder.
#bin_PROGRAMS += preprocess/h3d-preprocess
#preprocess_h3d_preprocess_SOURCES = preprocess/main.c
#preprocess_h3d_preprocess_LDADD = lib/libh3d.la
