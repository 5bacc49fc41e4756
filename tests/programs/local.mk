# Tests of whole programs, as a user starts them.
h3d_scripts += \
  tests/programs/infer.sh \
  tests/programs/info.sh \
  tests/programs/kill.sh \
  tests/programs/install.sh \
  tests/programs/memory.sh \
  tests/programs/preprocess.sh \
  tests/programs/preprocess_arrays.sh \
  tests/programs/preprocess_resume.sh \
  tests/programs/preprocess_together.sh \
  tests/programs/simulate.sh \
  tests/programs/slice.sh \
  tests/programs/torture.sh \
  tests/programs/train.sh \
  tests/programs/train_odd.sh \
  tests/programs/train_runs.sh

# A dataset and a network that train in seconds.
check_PROGRAMS += tests/programs/tiny_data
tests_programs_tiny_data_LDADD = lib/libh3d.la
EXTRA_DIST += tests/programs/tiny.net

# Arrays for preprocess.sh, and a look at its datasets.
check_PROGRAMS += tests/programs/data
tests_programs_data_LDADD = lib/libh3d.la
