# libh3d.  Its floors, lowest first.  A file includes its own floor and lower
# ones, never higher.
noinst_LTLIBRARIES += lib/libh3d.la
lib_libh3d_la_LIBADD = $(H3D_LIBS)
lib_libh3d_la_SOURCES =
nodist_lib_libh3d_la_SOURCES =

include lib/base/local.mk
include lib/dist/local.mk
include lib/io/local.mk
include lib/backend/local.mk
include lib/tensor/local.mk
include lib/data/local.mk
include lib/layer/local.mk
include lib/model/local.mk
include lib/ckpt/local.mk
