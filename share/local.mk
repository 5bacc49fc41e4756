# What is installed beside the programs, and the documents.
modeldir = $(pkgdatadir)/models
dist_model_DATA = \
  share/models/cosmoflow-32.net share/models/cosmoflow-64.net \
  share/models/cosmoflow-128.net share/models/cosmoflow-256.net \
  share/models/cosmoflow-512.net share/models/cosmoflow-bn-32.net \
  share/models/cosmoflow-bn-64.net share/models/cosmoflow-bn-128.net \
  share/models/cosmoflow-bn-256.net share/models/cosmoflow-bn-512.net \
  share/models/cosmoflow-mlperf.net
dist_doc_DATA += \
  share/doc/commands.md share/doc/design.md share/doc/format.md \
  share/doc/performance.md \
  share/doc/testing.md share/doc/words.md CHANGES.md LICENSE README.md

# The scripts work in an unpacked archive as in a clone.
EXTRA_DIST += \
  share/check share/install-packages share/prepare share/quickstart \
  share/bench/torch_step.py
