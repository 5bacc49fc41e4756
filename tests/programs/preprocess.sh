#! /bin/sh
# Raw volumes into datasets: the same on any number of ranks; refusals by name.
. "$top_srcdir/tests/tap.sh"
pre="$top_builddir/preprocess/h3d-preprocess --progress none"
sim="$top_builddir/preprocess/h3d-simulate --progress none"
data="$top_builddir/tests/programs/data"

# has FILE PATTERN COUNT: so many lines match.
has ()
{
  test "`grep -cE "$2" "$1"`" = "$3" || { cat "$1"; return 1; }
}

# CosmoFlow files.
$sim --size 16 --box 64 --count 7 -o raw 2>/dev/null
for np in 1 2 3; do
  ok "7 universes on $np ranks" ranks $np $pre -o set$np raw
  $data look set$np >look$np
done
for np in 2 3; do
  ok "$np ranks make the dataset of one" cmp look1 look$np
done
ok "7 samples" has look1 '^sample universe_00[0-6] family [0-6] ' 7
ok "in three subsets" has look1 '^sample .* (validation|test) ' 2
ok "counts get log1p" has look1 '^recipe log1p standardize 1' 1
ok "integers stay" has look1 '^elem int16' 1
ok "channels have names" has look1 '^channel z=(0|0.5|1.5|3) ' 4
ok "targets have a way back" has look1 \
  '^target (Omega_m|sigma_8) .*scale 0.2' 2
ok "files in another order are the same dataset" sh -c '
  '"$pre"' -o order raw/universe_00[4-6].hdf5 raw/universe_00[0-3].hdf5 &&
  '"$data"' look order | cmp - look1'
ok "another seed, other subsets" sh -c '
  '"$pre"' --seed 2 -o seed raw && '"$data"' look seed >seed.txt &&
  ! cmp -s seed.txt look1'
$pre --compress deflate -o small raw >summary 2>/dev/null
ok "compressed, the same" sh -c "$data look small | cmp - look1"
ok "the summary counts samples" has summary \
  '^(samples 7|train 5|validation 1|test 1)$' 4
ok "and says what they are" has summary \
  '^(extent 16x16x16|channels 4|voxels int16|targets Omega_m sigma_8)$' 4

# Cubes.
for np in 1 3; do
  ok "cubes of 8 on $np ranks" \
    ranks $np $pre --subvolume 8 --subsets 4,2,1 -o cubes$np raw
  $data look cubes$np >cubes$np.txt
done
ok "the same" cmp cubes1.txt cubes3.txt
ok "8 cubes of 7 universes" has cubes1.txt \
  '^sample universe_00[0-6]_00[0-7] ' 56
ok "a universe's cubes stay together" test "`
  awk '/^sample / { print $4, $5 }' cubes1.txt | sort -u | wc -l`" -eq 7
$data npy place.npy i2 8x8x8 place 1
ok "cubes are numbered" $pre --subvolume 4 --subsets 1,0,0 --chunk 4x2x4 \
  -o placed place.npy
$data look placed >placed.txt
for k in 0 1 2 3 4 5 6 7; do
  ok "$k, first axis outermost" has placed.txt \
    "^sample place_00$k .* from $k to $k:" 1
done
ok "in chunks as asked" has placed.txt '^chunk 4x2x4' 1

# Arrays.
mkdir npy
i=0
for seed in 1 2 3 4; do
  $data npy npy/v$seed.npy i4 2x10x8x9 counts $seed
  echo "v$seed,$seed,0.5"
done >rows
{ echo 'id,mass [Msun],flat'; cat rows; } >targets.csv
ok "arrays with targets" $pre --targets targets.csv --subsets 4,0,0 -o arr npy
$data look arr >arr.txt
ok "int32 that fits is int16" has arr.txt '^elem int16' 1
ok "a unit from the column's name" has arr.txt \
  '^target mass \[Msun\] offset 2.5 scale 1.5' 1
ok "targets come back" has arr.txt '^sample v3 .* 3 0.5$' 1
echo 'v1 test
v2 train
v3 train
v4 validation' >lists
ok "subsets from a file" $pre --subsets lists -o listed npy
$data look listed >listed.txt
ok "as it says" has listed.txt \
  '^sample (v1 .* test|v[23] .* train|v4 .* validation) ' 4
mkdir float
$data npy float/f.npy f4 8x8x8 counts 1
ok "floats" $pre --subsets 1,0,0 -o floats float
$data look floats >floats.txt
ok "are left alone" has floats.txt \
  '^(elem float32|recipe none standardize 0)$' 2
mkdir bytes
$data npy bytes/b.npy u1 8x8x8 counts 1
ok "bytes" $pre --subsets 1,0,0 -o byteset --normalize zscore bytes
$data look byteset >bytes.txt
ok "stay bytes" has bytes.txt '^(elem uint8|recipe none standardize 1)$' 2
$data npy wide.npy i4 8x8x8 wide 1
ok "wide integers" $pre --subsets 1,0,0 -o wideset wide.npy
$data look wideset >wide.txt
ok "become float32" has wide.txt '^elem float32' 1

# Refusals.
refuses 1 '--force' "a dataset is not replaced" $pre -o set1 raw
ok "with --force it is" ranks 2 $pre --force --subsets 5,1,1 -o set1 raw
mkdir mine; echo x >mine/letter
refuses 1 'letter' "a folder of something else never is" $pre --force -o \
  mine raw
ok "it is still there" test -f mine/letter
refuses 2 'no output' "no -o" $pre raw
refuses 2 'seed -1' "a seed below 0" $pre --seed -1 -o new raw
refuses 2 'no input' "no input" $pre -o new
refuses 2 'subset' "unknown option" $pre --subset 1,0,0 -o new raw
refuses 1 'nowhere' "no such file" ranks 2 $pre -o new nowhere
refuses 2 'tiff.*auto, cosmoflow, npy' "unknown kind" $pre --from tiff -o \
  new raw
refuses 1 'universe|full|HDF5|npy' "the wrong kind" \
  $pre --from npy -o new raw/universe_000.hdf5
refuses 2 '--from' "two kinds" $pre -o new raw npy
refuses 1 '8, 16' "cubes that do not fill" $pre --subvolume 5 -o new raw
refuses 2 'chunk' "a bad chunk" $pre --chunk 4x4 -o new raw
refuses 1 'chunk' "a chunk too large" $pre --chunk 32x4x4 -o new raw
refuses 1 'raw: cannot be read' "a folder of subsets" \
  $pre --subsets raw -o new raw
refuses 2 'sum' "subsets that do not sum" $pre --subsets 5,1,2 -o new raw
echo 'id,a
v1,1' >short.csv
refuses 1 'no line for v2' "a target is missing" $pre --targets short.csv -o \
  new npy
$data npy nan.npy f4 8x8x8 nan 1
refuses 1 'nan.npy.*NaN' "not a number" $pre --subsets 1,0,0 -o new nan.npy
$data npy odd.npy i4 8x8x8 odd 1
refuses 1 'odd.npy.*float32' "integers that fit nowhere" \
  $pre --subsets 1,0,0 -o new odd.npy
$data npy below.npy f4 8x8x8 below 1
refuses 1 'below.npy.*-1.5' "log1p of less than -1" \
  $pre --subsets 1,0,0 --normalize log1p -o new below.npy
$data npy same.npy i2 8x8x8 same 1
refuses 1 'never|standardised' "nothing varies" $pre --subsets 1,0,0 -o new \
  same.npy
cp -r npy shapes
$data npy shapes/v9.npy i4 2x10x8x8 counts 1
refuses 1 'v9.npy' "another shape" ranks 3 $pre -o new shapes
cp raw/universe_002.hdf5 cut.hdf5
dd if=/dev/null of=cut.hdf5 bs=1 seek=9000 2>/dev/null
refuses 1 'cut.hdf5.*truncated' "a truncated file" ranks 2 $pre -o new cut.hdf5
mkdir twice; cp raw/universe_000.hdf5 twice
refuses 2 'universe_000' "the same id twice" $pre -o new raw twice
# What fails leaves the old dataset as it was, byte by byte.
cp -r arr kept

mkdir some; cp raw/*.hdf5 some; mv cut.hdf5 some/universe_005.hdf5
for np in 1 2; do
  refuses 1 'universe_005.hdf5.*truncated' "--force, one is cut, $np" \
    ranks $np $pre --force -o arr some
  refuses 1 'nan.npy|v9.npy' "--force, one is no number, $np" ranks $np \
    $pre --force --from npy --subsets 1,0,0 -o arr wide.npy place.npy nan.npy
done
if on_small_disk 128k true 2>/dev/null; then
  refuses 1 'shard-00000.*(No space|room)' "--force, no room" on_small_disk \
    128k sh -c 'cp -r arr/* small && cp -r small was || exit 8
      "$@"; rc=$?; diff -r was small || rc=9; exit $rc' sh \
    $pre --force -o small raw
fi
ok "the old dataset is all there" diff -r kept arr
ok "a dry run" $pre -n -o new raw
ok "nothing of it all is left" test ! -e new
finish
