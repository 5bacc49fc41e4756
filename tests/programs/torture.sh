# Each program with a refusal at its n-th point (base/torture.h), on all ranks
# or on one: it ends in time, with status 1 and one sentence, or 0; nothing
# half-written stands under its name.  H3D_TORTURE=all tries every n (make
# check-torture), a number so many of them for each program and set of ranks.
. "$top_srcdir/tests/tap.sh"
few=${H3D_TORTURE-2}
# Ranks, and which of them refuse.
case $few in
2) sets="1-all 2-1" ;;
*) sets="1-all 2-all 2-0 2-1" ;;
esac
info=$top_builddir/tools/h3d-info
unset H3D_FAIL_AT H3D_FAIL_RANK

# same FILE...: as the run that nobody disturbed made them.
same ()
{
  for same_f; do
    test ! -e "$same_f" || cmp "$same_f" "ref${same_f#new}" || return 1
  done
}
whole_universes () { same new/*.hdf5; }
whole_dataset ()
{
  test ! -e new/index.h5 || same new/index.h5 new/shard-*.h5
}
whole_run ()
{
  for f in new/checkpoint-??????.h5 new/best.h5; do
    test ! -e "$f" || "$info" --check "$f" || return 1
  done
  same new/model.net
}
whole_predictions () { same new/predictions.csv new/summary.json; }
whole_picture () { same new/a.png; }

# judge STATUS WHOLE: what is wrong with a run that said said, or nothing.
judge ()
{
  case $1 in
  0) ;;
  1) test "`grep -c '^h3d-[a-z]*: ' said`" = 1 ||
       echo "`grep -c '^h3d-[a-z]*: ' said` sentences" ;;
  *) echo "status $1" ;;
  esac
  ! grep '^h3d: ' said
  find new -name '*.part' -type f 2>/dev/null | sed 's/$/ stays/'
  $2 >why 2>&1 || { echo "not whole:"; cat why; }
}

# numbers COUNT: which points to try.
numbers ()
{
  awk -v n="$1" -v few="$few" 'BEGIN {
    if (few == "all" || few >= n) few = n
    for (i = 1; i <= few; i++) print int((i - 0.5) * n / few) + 1 }'
}

# torture NAME RANKS WHO WHOLE COMMAND...: WHO is a rank or "all".
torture ()
{
  name=$1 np=$2 who=$3 whole=$4
  shift 4
  test "$who" = all || export H3D_FAIL_RANK=$who
  rm -rf new ref
  test "$whole" != whole_picture || mkdir new
  count=`H3D_FAIL_AT=0 ranks $np "$@" 2>&1 |
    sed -n 's/^h3d: \(.*\) points$/\1/p'`
  mv new ref
  wrong= refused=0 tried=0
  for n in `numbers ${count:-0}`; do
    rm -rf new
    test "$whole" != whole_picture || mkdir new
    H3D_FAIL_AT=$n ranks $np "$@" >said 2>&1
    rc=$?
    tried=`expr $tried + 1`
    test $rc != 1 || refused=`expr $refused + 1`
    bad=`judge $rc $whole`
    test -z "$bad" || wrong="$wrong
point $n: $bad
`grep '^h3d\|^warning' said`"
  done
  unset H3D_FAIL_RANK
  test "$refused" -gt 0 || wrong="$wrong
none of $tried refused"
  nothing "$name, $np ranks, $who: $refused of $tried points, $count in all" \
    "$wrong"
}

"$top_builddir/tests/programs/tiny_data" data 16 8 || exit 99
"$top_builddir/preprocess/h3d-simulate" --size 8 --box 64 --count 3 \
  -o raw >/dev/null 2>&1 || exit 99
cat >small.net <<'END'
input    x     -      channels=data
conv     c1    x      out=2 kernel=3 stride=2
norm     n1    c1     over=batch
act      a1    n1     fn=tanh
dense    y     a1     out=targets
mse      loss  y
END
train="$top_builddir/train/h3d-train --device=ref -q"
ranks 1 $train -d data -m small.net -e 1 -o run >/dev/null 2>&1 || exit 99

for set in $sets; do
  set -- ${set%-*} ${set#*-}
  torture simulate $1 $2 whole_universes \
    "$top_builddir/preprocess/h3d-simulate" --size 8 \
    --box 64 --count 2 --progress=none -o new
  torture preprocess $1 $2 whole_dataset \
    "$top_builddir/preprocess/h3d-preprocess" --progress=none --subsets 1,1,1 \
    --normalize none -o new raw
  torture train $1 $2 whole_run $train -d data -m small.net -e 2 -o new
  torture infer $1 $2 whole_predictions "$top_builddir/infer/h3d-infer" -q \
    --device=ref --run run --progress=none -o new
done
torture slice 1 all whole_picture "$top_builddir/infer/h3d-slice" \
  raw/universe_000.hdf5 -o new/a.png
finish
