#! /bin/sh
# breaks.sh: how programs end, and with what exit status.
. "$top_srcdir/tests/tap.sh"
breaks=$top_builddir/tests/base/breaks

# status NAME N WORD STATUS PATTERN: on N ranks.
status ()
{
  refuses "$4" "$5" "$1" ranks "$2" "$breaks" "$3"
}

status "done is 0" 1 well 0 ''
status "done is 0 on 2 ranks" 2 well 0 ''
status "a refusal is 1" 1 file 1 '^breaks: no such file$'
status "usage is 2" 1 usage 2 '^breaks: no such option$'
status "on 2 ranks too" 2 usage 2 '^breaks: no such option$'
ranks 2 "$breaks" usage >said 2>&1
ok "the sentence is said once" test "`grep -c 'no such option' said`" = 1
status "a leak is 1" 1 leak 1 '100 bytes in 1 blocks'
status "leaks are summed over ranks" 2 leak 1 '200 bytes in 2 blocks'
status "one rank that breaks ends all" 2 late 1 \
  'h3d: rank 1: .*breaks.c:[0-9]*: rank 1 of 2 gives up'
status "an MPI call that fails" 1 mpi 1 'breaks.c:[0-9]*: MPI_Send.*rank'
"$breaks" early >said 2>&1
ok "breaking before MPI starts aborts" test $? -gt 1
ok "and says where" grep -q 'breaks.c:[0-9]*: before MPI, 7' said
if grep -q 'define H3D_DEBUG 1' "$top_builddir/config.h"; then
  status "assertions hold in debug builds" 1 assert 1 'broken: h3d_rank'
else
  status "assertions are left out otherwise" 1 assert 0 ''
fi
(ranks 1 "$breaks" talk; echo $? >rc) 2>said | head -n 1 >first
ok "a closed pipe is status 1" test "`cat rc`" = 1
ok "and silent" test ! -s said
(ranks 1 "$breaks" talk; echo $? >rc) 2>said >/dev/full
ok "a full disk under stdout is status 1" test "`cat rc`" = 1
ok "and said" grep -q 'cannot write to standard output' said
finish
