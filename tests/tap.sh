# tap.sh: what shell tests share.  Source it:
#
#     . "$top_srcdir/tests/tap.sh"
#     ranks 2 "$top_builddir/train/h3d-train" ... >log 2>&1
#     ok "training ends well" test $? = 0
#     finish
#
# The test runs in an empty folder of its own, removed at the end.  Folders
# come as absolute names: $top_srcdir, $top_builddir.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_hwloc_base_binding_policy=none
export OMP_NUM_THREADS="${OMP_NUM_THREADS-1}" OMP_WAIT_POLICY=passive
tap_n=0
tap_dir=`mktemp -d "${TMPDIR-/tmp}/h3d-test.XXXXXX"` || exit 99
trap 'cd / && rm -rf "$tap_dir"' EXIT
trap 'exit 99' HUP INT TERM
cd "$tap_dir" || exit 99

# ranks N COMMAND...: on N ranks; 1 means without a launcher.
ranks ()
{
  tap_np=$1
  shift
  if test "$tap_np" = 1; then
    timeout "${H3D_TEST_TIMEOUT-60}" "$@"
  else
    timeout "${H3D_TEST_TIMEOUT-60}" \
      `echo "$MPIRUN" | sed "s/\<NP\>/$tap_np/"` "$@"
  fi
}

# ok NAME COMMAND...: the claim holds if the command does.  What the command
# prints is shown when it fails.
ok ()
{
  tap_name=$1
  shift
  tap_n=`expr $tap_n + 1`
  if "$@" >tap.out 2>&1; then
    echo "ok $tap_n - $tap_name"
  else
    echo "not ok $tap_n - $tap_name"
    echo "# failed: $*"
    sed 's/^/# /' tap.out
  fi
}

# nothing NAME TEXT: the claim holds if TEXT is empty; else TEXT is shown.
nothing ()
{
  tap_n=`expr $tap_n + 1`
  if test -z "$2"; then
    echo "ok $tap_n - $1"
  else
    echo "not ok $tap_n - $1"
    echo "$2" | sed 's/^/# /'
  fi
}

# refuses STATUS PATTERN NAME COMMAND...: the command must end with STATUS and
# say something that matches PATTERN (grep -E; empty: anything or nothing).
refuses ()
{
  tap_want=$1
  tap_pattern=$2
  tap_name=$3
  shift 3
  "$@" >tap.said 2>&1
  tap_got=$?
  if test "$tap_got" = "$tap_want" &&
     { test -z "$tap_pattern" || grep -qE -- "$tap_pattern" tap.said; }; then
    ok "$tap_name" true
  else
    ok "$tap_name" sh -c 'echo "exit status $1, wanted $2 and: $3"
      cat tap.said; exit 1' sh "$tap_got" "$tap_want" "$tap_pattern"
  fi
}

# on_small_disk SIZE COMMAND...: with the folder small on a disk of its own of
# SIZE bytes.  Fails where one may not be made.
on_small_disk ()
{
  mkdir -p small
  unshare -m sh -c 'mount -t tmpfs -o size="$1" none small || exit 77
    shift; "$@"' sh "$@"
}

# finish: the plan; must be the last line.  Who reads it judges.
finish ()
{
  echo "1..$tap_n"
  exit 0
}
