# h3d-train as a user starts it: runs, going on, grids, refusals.
. "$top_srcdir/tests/tap.sh"

net=$top_srcdir/tests/programs/tiny.net
prog=$top_builddir/train/h3d-train
"$top_builddir/tests/programs/tiny_data" data 24 || exit 99
train ()
{
  n=$1
  shift
  ranks "$n" "$prog" --device=ref -d data -m "$net" "$@"
}
# History without times; losses only.
losses () { cut -d, -f1-7 "$1/history.csv"; }
# Largest difference between the losses of two runs.
spread ()
{
  paste -d, "$1/history.csv" "$2/history.csv" | awk -F, '
    NR > 1 { for (i = 4; i <= 7; i++) { d = $i - $(i + 9); if (d < 0) d = -d
             if (d > most) most = d } }
    END { print most + 0, NR }'
}
close ()
{
  test "`spread "$1" "$2" | awk '{ print ($1 < '$3' && $2 > 3) }'`" = 1
}

ok "a run" train 1 -o whole -e 4 --augment=cube+shift --warmup=1
for f in run.ini model.net plan.txt history.csv steps.jsonl curves.png \
    log.txt best.h5 checkpoint-000004.h5; do
  ok "has $f" test -s whole/$f
done
ok "keeps three checkpoints" test ! -e whole/checkpoint-000001.h5
ok "a row per epoch" test "`wc -l <whole/history.csv`" = 5
ok "a line per step" test "`wc -l <whole/steps.jsonl`" = 12
ok "learns" awk -F, 'NR == 2 { a = $4 } END { exit !($4 < 0.7 * a) }' \
  whole/history.csv
ok "says the trivial predictor" grep -q "^.*trivial" whole/log.txt
ok "keeps the network" cmp "$net" whole/model.net

ok "trains on log1p alone" train 1 -o plain -e 1 --normalize=none
ok "trains on raw numbers" train 1 -o raw -e 1 --normalize=raw
first () { sed -n 2p "$1/history.csv" | cut -d, -f4; }
ok "these are not the same" test "`first plain`" != "`first raw`" -a \
  "`first plain`" != "`first whole`"

ok "half a run" train 1 -o half -e 4 --augment=cube+shift --warmup=1 \
  --stop-after=2
ok "goes on, by its own keys" ranks 1 "$prog" -o half --resume
losses whole >a
losses half >b
ok "the same losses to the last digit" cmp a b
ok "the same bits" h5diff whole/checkpoint-000004.h5 \
  half/checkpoint-000004.h5 /model
ok "the optimizer's too" h5diff whole/checkpoint-000004.h5 \
  half/checkpoint-000004.h5 /optim
ok "no step twice" test "`sort -u half/steps.jsonl | wc -l`" = 12

# A signal inside of an epoch: the step ends, all is saved, and goes on.
"$prog" --device=ref -d data -m "$net" -o cut -e 4 --augment=cube+shift \
  --warmup=1 >cut.log 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q '"step": 4' cut/steps.jsonl \
    2>/dev/null && ! test -e cut/checkpoint-000001.h5; do sleep 0.05; done
kill -TERM $pid 2>/dev/null
wait $pid
ok "a signal ends it or it was done" sh -c \
  'grep -q "stopped by a signal" cut.log || grep -q "4 epochs, 12" cut.log'
ok "and it goes on" ranks 1 "$prog" -o cut --resume
losses cut >b
ok "with the same losses" cmp a b

ok "fp64, one rank" train 1 -o one -e 3 --precision=fp64
ok "fp64, two ranks share a sample" train 2 -o space -e 3 --precision=fp64 \
  --grid=1x2x1
ok "fp64, two groups, then a space" train 2 -o mixed -e 3 --precision=fp64 \
  --grid=1x1x1 --stop-after=1
ok "on another grid" train 2 -o mixed --resume --grid=2x1x1
ok "a space gives the losses of one rank" close one space 1e-8
ok "and so does a run that changed grids" close one mixed 1e-8
ok "groups keep samples for each other" train 2 -o kept -e 3 -b 5 \
  --grid=1x1x1
ok "and read each of them once" grep -q \
  'read  *\([0-9.]*\) MiB of voxels (each once: \1 MiB)' kept/log.txt
ok "or, without memory, every time" train 2 -o unkept -e 3 -b 5 \
  --grid=1x1x1 --memory-limit=0
ok "which it says" grep -q "read every epoch" unkept/log.txt
losses kept >a2
losses unkept >b
ok "and the losses are the same" cmp a2 b
ok "odd batches on three groups" train 3 -o odd -e 1 -b 5 --grid=1x1x1
ok "fewer samples than groups" train 3 -o few -e 1 -b 2 --grid=1x1x1
ok "a batch larger than all" train 1 -o large -e 1 -b 9223372036854775807
ok "is one step" grep -q "^1,1,.*[0-9],[0-9]" large/history.csv
ok "sgd, nesterov, clip, decay" train 1 -o sgd -e 1 --optimizer=sgd \
  --nesterov --clip=1 --decay=1e-3 --schedule=cosine --targets=width_b
ok "the norm is in the log" grep -q gradient_norm sgd/steps.jsonl

# A damaged newest checkpoint is named, the one before it used.
: >half/checkpoint-000004.h5
ranks 1 "$prog" -o half --resume >log 2>&1
ok "damage is named" grep -q "checkpoint-000004.h5.*before it" log
losses half >b
ok "and the run ends the same" cmp a b

printf '[train]\nepochs = 1\nbatch = 4\n[optim]\nlr = 0.5\n' >my.ini
ok "a run file" train 1 -o ini --config=my.ini --set train.batch=6 --lr=1e-3
ok "command line over run file" grep -q "^lr = 1e-3" ini/run.ini
ok "--set over run file" grep -q "^batch = 6" ini/run.ini
ok "dry run" train 2 -n --grid=2x1x1
ok "--help" train 1 --help

refuses 1 "holds a run already" "an old run" train 1 -o whole
ok "which --force replaces" train 1 -o whole -e 1 --force
refuses 2 "no folder for the run" "no folder" train 1
refuses 1 "is no part of a run" "a folder with other things" \
  train 1 -o data -e 1 --force
refuses 2 "epochs.*at least 1" "no epochs" train 1 -o x -e 0
refuses 2 "did you mean optim.lr" "an unknown key" \
  train 1 -o x --set optim.lf=1
refuses 2 "epochs" "an unknown option" train 1 -o x --epoch=1
refuses 1 "nothere" "no such dataset" train 1 -o x --data nothere
refuses 2 "perhaps width_a" "an unknown target" train 1 -o x --targets=width_c
refuses 2 "adamw" "an unknown optimizer" train 1 -o x --optimizer=adamv
refuses 2 "schedule" "an unknown schedule" train 1 -o x --schedule=stairs
refuses 2 "grid 3x1x1" "a grid for other ranks" train 2 -o x --grid=3x1x1
refuses 1 "has no checkpoint" "nothing to go on with" \
  sh -c "mkdir -p y && cp whole/run.ini y && '$prog' -o y --resume"
refuses 1 "nowhere/run.ini: No such file.*without it" "no run at all" \
  ranks 1 "$prog" -o nowhere --resume
sed 's/out=targets/out=3/' "$net" >wrong.net
refuses 1 "wrong.net:[0-9]*: .*3 numbers.*2 targets.*out=targets" \
  "a network of other targets" train 1 -o x -m ./wrong.net
ok "a rate too high" train 1 -o high -e 3 --optimizer=sgd --lr=1
ok "is not called a network that learnt the mean" sh -c \
  'grep -q "above that of the trivial" high/log.txt &&
   ! grep -q "learnt the mean" high/log.txt'
refuses 2 "seed" "another seed" train 1 -o one --resume --seed=9
"$top_builddir/tests/programs/tiny_data" data2 16 || exit 99
refuses 1 "another dataset" "other data" \
  ranks 1 "$prog" -o one --resume -d data2
refuses 1 "not finite" "numbers that break" \
  train 1 -o nan -e 2 --optimizer=sgd --lr=1e30
for n in 1 2; do
  refuses 1 "validation loss of step 1 .*not finite" "or a last step, $n" \
    train $n -o last$n -e 1 -b 100 --optimizer=sgd --lr=1e300
  ok "of which nothing is kept" test ! -e last$n/best.h5 -a \
    ! -e last$n/checkpoint-000001.h5
done
refuses 2 "below 0" "a rate below 0" train 1 -o x --schedule=cosine:-1
refuses 2 "no folder" "an empty name" train 1 -o ""
ok "no run is left of what was refused" test ! -e x
finish
