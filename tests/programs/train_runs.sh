# h3d-train: runs that end early, add up batches or begin with others' weights.
. "$top_srcdir/tests/tap.sh"

prog=$top_builddir/train/h3d-train
"$top_builddir/tests/programs/tiny_data" data 24 || exit 99
# Without norm, whose batches see each other, and without dropout.
sed '/^norm/d; /^dropout/d; s/  n1  /  c1  /; s/  d1 /  a2 /' \
  "$top_srcdir/tests/programs/tiny.net" >plain.net
train ()
{
  n=$1
  shift
  ranks "$n" "$prog" --device=ref -d data -m plain.net "$@"
}
rows () { expr `wc -l <"$1/history.csv"` - 1; }
losses () { cut -d, -f1-7 "$1/history.csv"; }

# Nothing is learnt, so the first epoch stays the best.
for n in 1 2; do
  ok "patience, $n" train $n -o still$n -e 9 --lr=0 --patience=2 \
    --checkpoint-every=9
  ok "ends two epochs behind the best, $n" test "`rows still$n`" = 3
  ok "says so, $n" grep -q "no lower validation loss since epoch 1" \
    still$n/log.txt
  ok "and saves its end, $n" test -s still$n/checkpoint-000003.h5
done
ok "going on" ranks 1 "$prog" -o still1 --resume
ok "adds nothing" test "`rows still1`" = 3
ok "but with more patience" ranks 1 "$prog" -o still1 --resume --patience=4
ok "adds two epochs" test "`rows still1`" = 5
ok "stopped before" train 1 -o part -e 9 --lr=0 --patience=3 --stop-after=2
ok "going on keeps the count" ranks 1 "$prog" -o part --resume
ok "of the epochs before" test "`rows part`" = 4
ok "a network that learns" train 1 -o learns -e 4 --patience=1 --lr=1e-4
ok "has all its epochs" test "`rows learns`" = 4
refuses 2 "patience.*at least 0" "patience below 0" \
  train 1 -o x --patience=-1
ok "nothing was left of what was refused" test ! -e x
finish
