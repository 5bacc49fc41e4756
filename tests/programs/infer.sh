# h3d-infer: predictions, scores, pictures, grids, refusals.
. "$top_srcdir/tests/tap.sh"

tiny=$top_builddir/tests/programs/tiny_data
prog=$top_builddir/infer/h3d-infer
train ()
{
  ranks 1 "$top_builddir/train/h3d-train" -q --device=ref "$@" >train.log 2>&1
}
infer () { n=$1; shift; ranks "$n" "$prog" --device=ref "$@"; }
column () { cut -d, -f"$2" "$1/predictions.csv"; }
# Largest difference between two columns of numbers.
apart ()
{
  paste -d, "$1" "$2" | awk -F, 'NR > 1 { d = $1 - $2; if (d < 0) d = -d
    if (d > most) most = d } END { exit !(NR > 1 && most < 1e-9) }'
}

"$tiny" data 48 || exit 99
train -d data -m "$top_srcdir/tests/programs/tiny.net" -e 3 \
  --precision=fp64 -o run || exit 99

ok "a test set" infer 1 --run run --pictures -o out
ok "a row per sample, a header" test "`wc -l <out/predictions.csv`" = 7
ok "names of columns" grep -q \
  "^id,subset,width_a_true,width_a_pred,width_b_true,width_b_pred$" \
  out/predictions.csv
ok "test samples only" test "`column out 2 | sort -u | tr '\n' ' '`" = \
  "subset test "
ok "truth in physical units" awk -F, 'NR > 1 { if ($3 < 5 || $3 > 15 ||
  $5 < 1 || $5 > 3) exit 1 }' out/predictions.csv
for f in scatter.png scatter-width_a.png scatter-width_b.png; do
  ok "has $f" test -s out/$f
done
# The table's rmse, from the rows.
awk -F, 'NR > 1 { d = $4 - $3; s += d * d; n++ }
  END { printf "%.9f\n", sqrt(s / n) }' out/predictions.csv >a
sed -n 's/.*"rmse": \([^,]*\),.*/\1/p' out/summary.json | head -1 |
  awk '{ printf "%.9f\n", $1 }' >b
ok "summary.json says the rmse of predictions.csv" cmp a b
ok "families of two samples are averaged" grep -q families out/summary.json
ok "the trivial predictor stands beside" grep -q trivial_rmse out/summary.json

ok "all samples" infer 1 --run run --last --subset all -o one
ok "are there" test "`wc -l <one/predictions.csv`" = 49
column one 4 >a
ok "a space of two" infer 2 --run run --last --subset all --grid 2x1x1 -o space
column space 4 >b
ok "predicts the same" apart a b
ok "two groups, an odd batch" infer 2 --run run --last --subset all -b 5 \
  --grid 1x1x1 -o groups
column groups 4 >b
ok "predict the same" apart a b
ok "a checkpoint by name, fp32" infer 1 --checkpoint run/checkpoint-000003.h5 \
  --precision=fp32 -o single
# What training saw is what inference sees: the loss of validation again.
ok "validation samples" infer 1 --run run --last --subset=validation -o val
awk -F, 'NR > 1 { a = ($4 - $3) / 5; b = $6 - $5; s += a * a + b * b; n += 2 }
  END { printf "%.6f\n", s / n }' val/predictions.csv >a
tail -1 run/history.csv | cut -d, -f5 | awk '{ printf "%.6f\n", $1 }' >b
ok "have the loss that training saw" cmp a b

ok "dry run" infer 1 --run run -n
refuses 1 "holds .* already" "an old folder" infer 1 --run run -o out
ok "which --force replaces" infer 1 --run run -o out --force
refuses 1 "no part of predictions" "a folder with other things" \
  infer 1 --run run -o data --force
refuses 2 "no network" "no network" infer 1 -o x
refuses 2 "a run and a checkpoint" "two networks" \
  infer 1 --run run --checkpoint run/best.h5 -o x
refuses 1 "no such file" "no such run" infer 1 --run nothere -o x
refuses 2 "not known" "an unknown subset" infer 1 --run run --subset=x -o x
refuses 2 "h3d-preprocess" "raw files" infer 1 --run run -o x file.hdf5
"$tiny" small 16 8 || exit 99
refuses 1 "samples of 8x8x8" "samples of another extent" \
  infer 1 --run run --data small -o x
mkdir bad.h5
for n in 1 2; do
  refuses 1 "bad.h5: a folder" "a folder for a checkpoint, $n" \
    infer $n --checkpoint bad.h5 -o x
done
rmdir bad.h5
# Arrays of which nobody knows the truth.
mkdir arrays
for i in 1 2 3; do
  "$top_builddir/tests/programs/data" npy arrays/v$i.npy i2 2x16x16x16 counts \
    $i || exit 99
done
ok "arrays without targets" ranks 1 \
  "$top_builddir/preprocess/h3d-preprocess" --progress=none --subsets 3,0,0 \
  --normalize=none -o unknown arrays
for n in 1 2; do
  ok "are predicted, $n" infer $n --run run --data unknown --subset all \
    --pictures --grid 1x1x$n -o blind$n
  ok "without a truth, $n" test "`head -1 blind$n/predictions.csv`" = \
    "id,subset,width_a_pred,width_b_pred"
  ok "numbers all the same, $n" awk -F, 'NR > 1 {
    n += NF == 4 && $3 ~ /[0-9]/ } END { exit n != 3 }' blind$n/predictions.csv
  ok "and without scores, $n" sh -c "grep -q width_b blind$n/summary.json &&
    ! grep -q 'rmse\|definitions' blind$n/summary.json"
done
refuses 1 "target" "but none can be learnt from them" \
  ranks 1 "$top_builddir/train/h3d-train" --device=ref -d unknown -o learnt \
  -m "$top_srcdir/tests/programs/tiny.net"
ok "a batch larger than all" infer 1 --run run -b 999999999999 -o wide
refuses 2 "no folder" "an empty name" infer 1 --run run -o ""
# What fails leaves the old results as they were, byte by byte.
cp -r out kept
refuses 1 "samples of 8x8x8" "--force, other samples" \
  infer 1 --run run --data small -o out --force
refuses 1 "no such file" "--force, no run" infer 1 --run nothere -o out --force
ok "the old results are all there" diff -r kept out
# On a disk of 32 KiB, where one can be made: predictions fit, no picture.
if on_small_disk 32k true 2>/dev/null; then
  refuses 1 "scatter.*(No space|disk)" "--force, no room" on_small_disk 32k \
    sh -c 'cp -r kept/*.csv kept/*.json small && cp -r small was &&
      "$@"; rc=$?; diff -r was small || rc=9; exit $rc' sh \
    "$prog" --device=ref --run run --pictures -o small --force
fi
printf 'no checkpoint' >bad.h5
refuses 1 "bad.h5" "a file that is none" infer 1 --checkpoint bad.h5 -o x
ok "nothing was left of what was refused" test ! -e x
finish
