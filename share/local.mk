# What is installed beside the programs, and the documents.
modeldir = $(pkgdatadir)/models
dist_model_DATA =
dist_doc_DATA += \
  share/doc/commands.md share/doc/design.md share/doc/format.md \
  share/doc/words.md
