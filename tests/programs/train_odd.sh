# What is small, thin, empty or oddly named, from arrays to predictions.
. "$top_srcdir/tests/tap.sh"

pre="$top_builddir/preprocess/h3d-preprocess --progress none"
data=$top_builddir/tests/programs/data
mkdir "my npy"
for s in 1 2 3 4 5 6; do
  $data npy "my npy/v $s.npy" i4 1x12x8x9 counts $s
  echo "v $s,$s"
done >rows
{ echo id,mass; cat rows; } >"my targets.csv"
cat >"my net.net" <<'NET'
input x - channels=data
conv c x out=3 kernel=3
act a c fn=leaky
pool p a op=mean kernel=2 stride=2
dense y p out=targets
mse loss y
NET
# make NAME SUBSETS: a dataset of these.
make () { $pre --targets "my targets.csv" --subsets "$2" -o "$1" "my npy"; }
train ()
{
  n=$1
  shift
  ranks "$n" "$top_builddir/train/h3d-train" --device=ref --precision=fp64 \
    -m "./my net.net" -e 3 "$@"
}
infer () { n=$1; shift; ranks "$n" "$top_builddir/infer/h3d-infer" "$@"; }

# One channel, one target, 12x8x9 voxels, names with spaces.
ok "a dataset" make "my data" 4,1,1
ok "on 3 ranks" train 3 -d "my data" -o "my run" --grid 3x1x1
ok "on one" train 1 -d "my data" -o one
ok "with the same losses" sh -c 'paste -d, "my run/history.csv" \
  one/history.csv | awk -F, "NR > 1 { d = \$4 - \$13; if (d < 0) d = -d
    if (!(d < 1e-9)) exit 1 } END { exit NR != 4 }"'
ok "predictions" infer 3 --run "my run" -o "my out" --pictures
ok "a name with a space in them" grep -q "^v [1-6],test," \
  "my out/predictions.csv"

ok "no validation" make noval 5,0,1
ok "trains" train 2 -d noval -o novalrun --grid 1x1x1
ok "a loss that is not there is nan" awk -F, 'NR > 1 && $5 != "nan" { exit 1 }
  END { exit NR != 4 }' novalrun/history.csv
ok "and has a best epoch" infer 1 --run novalrun -o novalout

ok "no test" make notest 5,1,0
ok "trains, too" train 2 -d notest -o notestrun --grid 1x1x1
refuses 1 "notest has no samples in subset test" "nothing to test" \
  infer 2 --run notestrun -o notestout

ok "one sample to train on" make single 1,4,1
ok "serves two groups" train 2 -d single -o singlerun --grid 1x1x1
ok "and is not said to be learnt by its mean" sh -c \
  '! grep -q "warning: after" singlerun/log.txt'
finish
