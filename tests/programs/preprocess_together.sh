#! /bin/sh
# Samples that ranks write together: the dataset of one rank, bit by bit.
. "$top_srcdir/tests/tap.sh"
pre="$top_builddir/preprocess/h3d-preprocess --progress none --subsets 2,1,0"
data="$top_builddir/tests/programs/data"
info="$top_builddir/tools/h3d-info"

# What a dataset holds; identity is a hash of all that a training sees.
look ()
{
  $data look "$1"
  $info "$1" | grep identity
}

# Extents that chunks do not divide; whole numbers, and floats.
mkdir i2 f4
for v in 1 2 3; do
  $data npy i2/v$v.npy i2 3x20x18x17 counts $v
  $data npy f4/v$v.npy f4 3x20x18x17 wide $v
done
for type in i2 f4; do
  ok "$type, one rank" $pre --chunk 4x5x6 -o $type.1 $type
  look $type.1 >$type.look
  for np in 1 2 3; do
    for pack in none deflate; do
      d=$type.$np.$pack
      ok "$np ranks together, $pack" ranks $np $pre --chunk 4x5x6 \
        --together --compress $pack -o $d $type
      look $d >$d.look
      ok "it is the same" cmp $type.look $d.look
      ok "checksums are right" $info --check $d
    done
  done
done
ok "packed, it is small" test "`wc -c <i2.2.deflate/shard-00000.h5`" -lt "`
  wc -c <i2.1/shard-00000.h5`"

# By themselves, where memory wants it.
ok "too large for a rank" sh -c '
  timeout 60 '"`echo "$MPIRUN" | sed 's/\<NP\>/2/'`"' "$@" 2>said' sh $pre \
  --memory 0.00003 --chunk 4x5x6 -o auto i2
ok "it says so" grep "together, in 5 pieces of 4x18x17 voxels" said
look auto >auto.look
ok "it is the same" cmp i2.look auto.look
refuses 1 'a chunk of 20x18x17 .*--chunk' "a chunk too large" ranks 2 $pre \
  --memory 0.00003 --chunk 20x18x17 -o new i2
refuses 2 'memory -1' "no memory" ranks 2 $pre --memory=-1 -o new i2

# Refusals of one rank alone reach all, and nothing is left.
mkdir bad
cp f4/v1.npy f4/v2.npy bad
$data npy bad/v3.npy f4 3x20x18x17 nan 3
for np in 2 3; do
  refuses 1 'v3.npy.*NaN' "a voxel is no number, $np ranks" ranks $np $pre \
    --together --chunk 4x5x6 -o new bad
done
ok "nothing of it all is left" test ! -e new
finish
