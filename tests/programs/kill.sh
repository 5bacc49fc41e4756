# Runs that SIGKILL ends at random times, one rank of them or all, go on on the
# same grid with the bits of the run that nobody killed.  H3D_KILLS is their
# number (make check-long: 20), H3D_SEED gives the same times again.
. "$top_srcdir/tests/tap.sh"

if ! command -v pgrep >/dev/null; then
  echo "1..0 # SKIP no pgrep (package procps)"
  exit 0
fi
kills=${H3D_KILLS-3}
seed=${H3D_SEED-$$}
echo "# seed $seed"
prog="$top_builddir/train/h3d-train --device=ref"
"$top_builddir/tests/programs/tiny_data" data 24 || exit 99
begin="-q -d data -m $top_srcdir/tests/programs/tiny.net -e 12
  --augment=cube+shift --warmup=1 --optimizer=adamw --decay=1e-2 --keep=2"

# grid RANKS: what these runs are cut by.
grid () { if test "$1" = 1; then echo 1x1x1; else echo 2x1x1; fi; }
losses () { cut -d, -f1-7 "$1/history.csv"; }
now () { date +%s%N; }

for n in 1 2; do
  start=`now`
  ok "a run that nobody kills, $n" ranks $n $prog $begin -g `grid $n` -o ref$n
  ms=$(( ($(now) - start) / 1000000 ))
  if test $n = 1; then time1=$ms; else time2=$ms; fi
  losses ref$n >ref$n.csv
done

# An end between the last checkpoint and the files of its epoch.
cp -r ref1 late
sed -i '$d' late/history.csv
: >late/curves.png.part
rm late/curves.png
ok "a last row that was not written" ranks 1 $prog -q -o late --resume
losses late >late.csv
ok "comes back" cmp ref1.csv late.csv
ok "with its picture" test -s late/curves.png -a ! -e late/curves.png.part

# children PID...: processes that these started.
children () { for p in "$@"; do pgrep -P "$p"; done; }

# end RANKS K: a run, killed at a time of its own; prints what was killed.
end ()
{
  if test $1 = 1; then ms=$time1; else ms=$time2; fi
  set -- "$1" "$2" `awk -v seed="$seed" -v k="$2" -v ms="$ms" 'BEGIN {
    srand(seed * 1000 + k); rand()
    printf "%.3f %d\n", (0.1 + 0.8 * rand()) * ms / 1000, 3 * rand() }'`
  ranks $1 $prog $begin -g `grid $1` -o run >killed.log 2>&1 &
  job=$!
  sleep $3
  # A subshell, timeout, with more ranks mpirun, and these.
  all=`children $(children $job)`
  test $1 = 1 || all=`children $all`
  case $1$4 in
  20) all=`echo "$all" | head -n 1` who="the first rank" ;;
  21) all=`echo "$all" | tail -n 1` who="the last rank" ;;
  *) who="all ranks" ;;
  esac
  for p in $all; do kill -KILL $p 2>/dev/null; done
  wait $job
  echo "$who after $3 s: status $?" >what
}

resumed=0 anew=0 done=0
for k in `seq $kills`; do
  n=`expr $k % 2 + 1`
  rm -rf run
  end $n $k
  last=`ls run/checkpoint-??????.h5 2>/dev/null | tail -n 1`
  if test -e run/checkpoint-000012.h5; then
    done=`expr $done + 1`
  fi
  if test -n "$last"; then
    resumed=`expr $resumed + 1`
    ok "goes on on $n ranks: `cat what`, $last" \
      ranks $n $prog -q -g `grid $n` -o run --resume
  else
    anew=`expr $anew + 1`
    ok "begins again on $n ranks: `cat what`" \
      ranks $n $prog $begin -g `grid $n` -o run --force
  fi
  losses run >run.csv
  ok "and has every loss of the other run" cmp ref$n.csv run.csv
  ok "its weights" h5diff ref$n/checkpoint-000012.h5 \
    run/checkpoint-000012.h5 /model
  ok "and its optimizer" h5diff ref$n/checkpoint-000012.h5 \
    run/checkpoint-000012.h5 /optim
  nothing "nothing half-written stays" "`find run -name '*.part' -type f`"
done
echo "# $kills kills: $resumed resumed ($done at their end), $anew anew"
finish
