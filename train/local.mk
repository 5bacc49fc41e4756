# Programs of this folder.
#bin_PROGRAMS += train/h3d-train
#train_h3d_train_SOURCES = train/main.c
#train_h3d_train_LDADD = lib/libh3d.la
