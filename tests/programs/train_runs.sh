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
# Batches added up are one large batch: weights, dropout, a smaller last one.
spread ()
{
  paste -d, "$1/history.csv" "$2/history.csv" | awk -F, '
    NR > 1 { n++; for (i = 2; i <= 7; i++) { d = $i - $(i + 9)
             if (d < 0) d = -d; if (d > most) most = d } }
    END { exit !(n > 2 && most < 1e-8) }'
}
sum () { n=$1; shift; train $n -e 3 --precision=fp64 --clip=1 "$@"; }
sed '/^norm/d; s/  n1  /  c1  /' "$top_srcdir/tests/programs/tiny.net" \
  >drop.net
ok "batches of 12" sum 1 -m drop.net -o wide -b 12
ok "of 4, by three" sum 1 -m drop.net -o three -b 4 --accumulate=3
ok "have the same losses" spread wide three
ok "of 5, by 2 on two groups" sum 2 -m drop.net -o five -b 5 --accumulate=2 \
  --grid=1x1x1
ok "and of 10 on a space" sum 2 -m drop.net -o ten -b 10 --grid=1x1x2
ok "have the same losses, too" spread five ten
ok "a line per step" test "`wc -l <five/steps.jsonl`" = \
  "`wc -l <ten/steps.jsonl`"
ok "which counts all its samples" grep -q '"samples": 10' five/steps.jsonl
ok "more batches than there are" sum 1 -m drop.net -o all -b 4 \
  --accumulate=9223372036854775807
ok "are one step" grep -q "^3,3," all/history.csv
refuses 2 "accumulate.*at least 1" "no batches" train 1 -o x --accumulate=0
# First weights from another run; a head of another size stays out.
ok "another head" train 1 -o head -e 1 --targets=width_a --lr=0 \
  --init=wide/best.h5 -m drop.net --precision=fp64
ok "is said" grep -q "init .* took c1, c2, f1; anew: y (weight is 2x16 there, \
1x16 here)" head/log.txt
ok "the weights are those of that run" h5diff wide/best.h5 head/best.h5 \
  /model/c2
ok "the path is in run.ini" grep -q "^init = wide/best.h5" head/run.ini
for n in 1 2; do
  ok "the same network, $n" train $n -o same$n -e 1 --lr=0 -m drop.net -b 12 \
    --init=wide/best.h5 --precision=fp64
  ok "takes all, $n" h5diff wide/best.h5 same$n/best.h5 /model
done
ok "a norm the file lacks" train 1 -o norm -e 1 -m \
  "$top_srcdir/tests/programs/tiny.net" --init=wide/best.h5
ok "is made anew" grep -q "anew: n1 (no scale there)" norm/log.txt
ok "going on needs no such file" sh -c \
  "mv wide wide2 && '$prog' -o norm --resume -e 2; rc=\$?; mv wide2 wide
   exit \$rc"
sed 's/ c1 / e1 /; s/ c2 / e2 /; s/ f1 / g1 /; s/ y / z /; s/ y$/ z/' \
  plain.net >names.net
for n in 1 2; do
  refuses 1 "no layer of this network.*e1 .no weight" "no name fits, $n" \
    train $n -o x -m names.net --init=wide/best.h5
  refuses 1 "nothere.h5" "no file, $n" train $n -o x --init=nothere.h5
done
refuses 1 "run.ini" "no checkpoint" train 1 -o x --init=wide/run.ini
refuses 2 "leave one of the two out" "init and resume" \
  train 1 -o wide --resume --init=wide/best.h5
ok "nothing was left of what was refused" test ! -e x
finish
