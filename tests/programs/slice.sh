#! /bin/sh
# Pictures of a universe and of arrays.
. "$top_srcdir/tests/tap.sh"
slice="$top_builddir/infer/h3d-slice"

# size FILE: width and height in decimal, from the header of a PNG.
size ()
{
  od -An -tu1 -j16 -N8 "$1" |
    awk '{ print $3 * 256 + $4, $7 * 256 + $8 }'
}

"$top_builddir/preprocess/h3d-simulate" --size 16 --box 64 --count 1 \
  --progress none -o u >log 2>&1
u=u/universe_000.hdf5
# int16 [2][3][4], 0 to 23.
{ printf '\223NUMPY\001\000\166\000'
  head="{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3, 4), }"
  printf "%-117s\n" "$head"
  for i in 0 1 2 3 4 5 6 7 10 11 12 13 14 15 16 17 20 21 22 23 24 25 26 27; do
    printf "\\$i\\0"; done; } >a.npy

ok "all channels of a universe" "$slice" "$u" --log --scale 4 -o all.png
ok "side by side" test "`size all.png`" = "`expr 78 + 4 \* 86 + 116` 218"
ok "one channel by name" "$slice" "$u" -c z=0 --scale 8 -o one.png
ok "and by number, the same picture" "$slice" "$u" -c 0 --scale 8 -o num.png
ok "to the byte" cmp one.png num.png
ok "another channel" "$slice" "$u" -c z=3 --scale 8 -o three.png
ok "looks different" sh -c '! cmp -s one.png three.png'
for axis in h w; do
  ok "axis $axis" "$slice" "$u" -c 0 --scale 8 --axis $axis -o $axis.png
  ok "looks different" sh -c "! cmp -s one.png $axis.png"
done
ok "a montage of depths" "$slice" "$u" -c 0 --montage 2x3 -o m.png
ok "a maximum over everything" "$slice" "$u" --project max -o max.png
ok "a mean over a slab" "$slice" "$u" --slab 4 --at 0 -o mean.png
ok "an array" "$slice" a.npy --colormap gray --scale 10 -o a.png
ok "two ranks draw the same" ranks 2 "$slice" a.npy --colormap gray \
  --scale 10 -o b.png
ok "to the byte" cmp a.png b.png

refuses 1 'exists.*--force' "a picture is not replaced" "$slice" a.npy -o a.png
ok "with --force it is" "$slice" a.npy --force -o a.png
ok "no unfinished file stays" test ! -e a.png.part
ok "a dry run" "$slice" a.npy -n -o x.png
refuses 2 'no output' "no output" "$slice" a.npy
refuses 2 'no input' "no input" "$slice" -o x.png
refuses 2 'choose d, h or w' "an unknown axis" "$slice" a.npy --axis x -o x.png
refuses 2 'voxels 0 to 1' "a position outside" "$slice" a.npy --at 2 -o x.png
refuses 2 'has 4 channels' "an unknown channel" "$slice" "$u" -c z=9 -o x.png
refuses 2 'too few panels' "a montage too small" \
  "$slice" "$u" --montage 1x3 -o x.png
refuses 2 'viridis' "an unknown colormap" \
  "$slice" a.npy --colormap jet -o x.png
refuses 2 'first the lower' "limits the wrong way round" \
  "$slice" a.npy --limits 3,1 -o x.png
refuses 2 'holds one sample' "a sample of a file" \
  "$slice" a.npy --sample 1 -o x.png
refuses 1 'missing.hdf5' "a missing file" "$slice" missing.hdf5 -o x.png
mkdir empty
refuses 1 'empty' "a folder that is no dataset" "$slice" empty -o x.png
ok "refusals and dry runs make no picture" test ! -e x.png
finish
