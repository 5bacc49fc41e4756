# The layer floor of libh3d.

# A layer kind is one word here and one file, lib/layer/WORD.c, which defines
# "const h3d_layer_kind h3d_layer_WORD".
h3d_layers = \
  lib/layer/input lib/layer/conv lib/layer/pool lib/layer/norm lib/layer/act \
  lib/layer/dense lib/layer/dropout lib/layer/mse lib/layer/redist

lib_libh3d_la_SOURCES += $(h3d_layers:=.c) lib/layer/layer.h \
  lib/layer/layer.c lib/layer/options.c lib/layer/slide.c
nodist_lib_libh3d_la_SOURCES += lib/layer/table.c

# The table of layer kinds, written from the list above.  Without a kind there
# is no layer.h to include either.
CLEANFILES += lib/layer/table.c
lib/layer/table.c: $(top_srcdir)/lib/layer/local.mk
	$(AM_V_at)$(MKDIR_P) lib/layer
	$(AM_V_GEN){ echo '/* Written by make from lib/layer/local.mk. */'; \
	  if test -z "$(h3d_layers)"; then \
	    echo 'typedef int h3d_no_layer_kinds;'; else \
	  echo '#include "config.h"'; \
	  echo '#include "layer/layer.h"'; \
	  for l in $(h3d_layers); do \
	    echo "extern const h3d_layer_kind h3d_layer_$${l##*/};"; done; \
	  echo 'const h3d_layer_kind *const h3d_layer_kinds[] = {'; \
	  for l in $(h3d_layers); do echo "  &h3d_layer_$${l##*/},"; done; \
	  echo "  0,"; echo "};"; fi; } >$@-t && mv $@-t $@
