#! /bin/sh
# Arrays in archives, arrays without a header: the same dataset as from .npy.
. "$top_srcdir/tests/tap.sh"
pre="$top_builddir/preprocess/h3d-preprocess --progress none --subsets 1,0,0"
data="$top_builddir/tests/programs/data"

# look FOLDER: what the dataset holds, without its command and sources.
look ()
{
  $data look "$1" | grep -vE '^(command|source)'
}

# same NAME A B: the datasets hold the same.
same ()
{
  look "$2" >same.a
  look "$3" >same.b
  ok "$1" cmp same.a same.b
}

$data npy v.npy i2 3x8x9x10 counts 1
$data npy w.npy i2 3x8x9x10 counts 2
ok "from .npy" $pre -o npy v.npy

ok "a dry run says what parts read" sh -c '
  '"$pre"' -n --chunk 4x4x4 -o new v.npy 2>&1 | tr -d "\n" |
  grep "4x4x4.*: D 1.00 2.00 .*, H 1.00 1.89 "'
ok "and so does h3d-info" sh -c '
  '"$pre"' --chunk 4x4x4 -o chunked v.npy &&
  "$top_builddir/tools/h3d-info" chunked | grep " D  *1.00 2.00 "'

# Archives.
$data npz v.npz v.npy
ok "the only array of an archive" $pre -o npz v.npz
same "the same" npy npz
mkdir pair
$data npz pair/v.npz w.npy v.npy
for np in 1 2; do
  ok "one of several on $np ranks" \
    ranks $np $pre --array v -o pair$np pair
  same "the same" npy pair$np
done
refuses 1 'pair/v.npz.*--array: w, v' "which one?" ranks 2 $pre -o new pair
refuses 1 'pair/v.npz.*no array.*x.*w, v' "none of them" \
  $pre --array x -o new pair

# Raw files: the last numbers of a .npy.
raw="--from raw --dtype int16"
mkdir raw
tail -c 4320 v.npy >raw/v.raw
for np in 1 2; do
  ok "raw on $np ranks" ranks $np $pre $raw --shape 3x8x9x10 -o raw$np raw
  same "the same" npy raw$np
done
cp v.npy v.dat
ok "raw after a head" $pre $raw --shape 3x8x9x10 --offset "`
  expr \`wc -c <v.npy\` - 4320`" -o headed v.dat
same "the same" npy headed
dd if=raw/v.raw of=v.bin conv=swab 2>/dev/null
ok "raw, big-endian" $pre $raw --shape 3x8x9x10 --byte-order big -o big v.bin
same "the same" npy big
refuses 1 'no telling.*--axes' "which axis has the channels?" \
  $pre $raw --shape 6x6x6x10 -o new raw
ok "as the user says" $pre $raw --shape 6x6x6x10 --axes dhwc -o axes raw
ok "it was the last" sh -c \
  "$data look axes | grep -c '^channel' | grep -qx 10"
refuses 2 'shape' "no shape" $pre $raw -o new raw
refuses 2 'int16' "no type" $pre --from raw --shape 3x8x9x10 -o new raw
refuses 2 'float16.*uint8' "another type" \
  $pre --from raw --dtype float16 --shape 3x8x9x10 -o new raw
refuses 2 '3x8' "a bad shape" $pre $raw --shape 3x8 -o new raw
refuses 2 'byte-order' "a bad order" \
  $pre $raw --shape 3x8x9x10 --byte-order middle -o new raw
refuses 2 'offset' "a bad offset" \
  $pre $raw --shape 3x8x9x10 --offset=-1 -o new raw
refuses 2 'axes' "bad axes" $pre --axes chwd -o new v.npy
refuses 2 '--from raw' "a shape of others" $pre --shape 8x8x8 -o new v.npy
refuses 2 'v.bin.*--from raw' "a raw file without a word" ranks 2 \
  $pre -o new v.bin
refuses 1 'v.raw.*4320 bytes.*4318' "one byte too many" ranks 2 \
  $pre $raw --shape 2159x1x1 --offset 0 -o new raw
ok "nothing of it all is left" test ! -e new
finish
