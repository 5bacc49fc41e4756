# The memory of a run: planned, refused, measured.
. "$top_srcdir/tests/tap.sh"

prog=$top_builddir/train/h3d-train
"$top_builddir/tests/programs/tiny_data" data 8 || exit 99
cat >wide.net <<'EOF'
input x - channels=data
conv c x out=512
dense y c out=targets
mse loss y
EOF
train ()
{
  n=$1
  shift
  ranks "$n" "$prog" -d data -m wide.net -b 1 -e 1 "$@"
}
# Number N of the line that a log has of a run's memory.
number () { sed -n 's/.*memory  *\([0-9.]* MiB a rank.*\)/\1/p' "$1" |
  tr -c '0-9.\n' ' ' | awk '{ print $'"$2"' }'; }
# A part of plan.txt.
part () { awk -v k="$2" '$1 == k { v = $2 } END { print v }' "$1"; }
true_that () { awk "BEGIN { exit !($1) }"; }

ok "a dry run" sh -c "`echo "$prog"` -n -d data -m wide.net -b 1 >dry 2>&1"
ok "says what is planned" grep -q "^memory planned" dry
ok "part by part" true_that "`part dry weights` > 15 && \
  `part dry optimizer` > `part dry gradients`"
ok "the run" train 1 -o run
ok "plans the same" true_that "`part run/plan.txt activations` == \
  `part dry activations` && `part run/plan.txt samples` == `part dry samples`"
ok "and measures its peak" grep -q "memory .*peak" run/log.txt
sed -n 's/.*memory .*peak \([0-9.]*\) MiB .*planned \([0-9.]*\) .*/\1 \2/p' \
  run/log.txt >peak
# Sanitizers keep shadows of all memory, which no plan knows.
if grep -q '^CFLAGS = .*-fsanitize' "$top_builddir/Makefile"; then
  ok "a peak beside the plan: `cat peak`" test -s peak
else
  ok "which is near the plan: `cat peak`" awk \
    '{ d = $1 - $2; near = d * d < 0.02 * $2 * $2 } END { exit !near }' peak
fi
ok "h3d-info knows both" sh -c "'$top_builddir/tools/h3d-info' run >info &&
  grep -q 'together' info && grep -q 'peak' info"

# Two ranks, each with a whole sample or each with half of one.
train 2 -n --grid=1x1x1 >whole 2>&1
train 2 -n --grid=2x1x1 >half 2>&1
limit=`echo "\`number whole 3\`" "\`number half 3\`" |
  awk '{ print ($1 + $2) / 2 }'`
ok "a cut takes less" true_that "`number half 3` < `number whole 3`"
refuses 1 "run.memory is .* use --grid 2x1x1" "too much, and what would fit" \
  train 2 -o x --grid=1x1x1 --set run.memory=$limit
refuses 1 "more nodes or a smaller --batch" "too much on any grid" \
  train 2 -o x --grid=2x1x1 --set run.memory=0.001
refuses 1 "would take" "and when planning only" \
  train 1 -n --set run.memory=0.001
refuses 2 "run.memory = -1" "no memory" train 1 -o x --set run.memory=-1
ok "nothing is left of what was refused" test ! -e x
ok "the user may know better" train 1 -n --set run.memory=1000000
finish
