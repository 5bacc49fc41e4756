# Tests of lib/ckpt.
h3d_tests += \
  tests/ckpt/ckpt \
  tests/ckpt/ckpt_flip \
  tests/ckpt/ckpt_folder \
  tests/ckpt/resume

# A network to save and load.
check_LTLIBRARIES += tests/librig.la
tests_librig_la_SOURCES = tests/ckpt/rig.c tests/ckpt/rig.h
tests_ckpt_ckpt_LDADD = tests/librig.la $(LDADD)
tests_ckpt_ckpt_flip_LDADD = tests/librig.la $(LDADD)
tests_ckpt_ckpt_folder_LDADD = tests/librig.la $(LDADD)
tests_ckpt_resume_LDADD = tests/librun_net.la $(LDADD)
