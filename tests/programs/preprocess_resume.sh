#! /bin/sh
# A run that was killed goes on: what is complete stays, the end is the same.
. "$top_srcdir/tests/tap.sh"
pre="$top_builddir/preprocess/h3d-preprocess --progress none --subsets 3,1,0"
pre="$pre --compress deflate --chunk 4x4x4"
data="$top_builddir/tests/programs/data"
info="$top_builddir/tools/h3d-info"

mkdir in
for v in 1 2 3 4; do
  $data npy in/v$v.npy f4 2x12x10x8 wide $v
done

look ()
{
  $data look "$1"
  $info "$1" | grep -E 'identity|command'
}

# record OPTION: what a run on 2 ranks says of itself when it begins.
record ()
{
  $pre --version | sed -n '1s/.*(h3d)/h3d/p'
  for key in 'from auto' 'array not given' 'axes auto' 'dtype not given' \
    'shape not given' 'byte-order little' 'targets not given' \
    'normalize auto' 'subsets 3,1,0' 'chunk 4x4x4' 'compress deflate' \
    'subvolume 0' 'seed 1' 'offset 0'; do
    echo "--$key"
  done
  if test "$1" = --together; then
    echo '0 ranks, all together on each sample'
  else
    echo '2 ranks, each with samples of its own'
  fi
  stat -c '%n, %s bytes, changed at %.9Y' in/v?.npy
}

# killed OPTION: "set" as a run leaves it that is killed while it writes the
# second shard, or another sample.
killed ()
{
  mkdir -p set/.part
  record "$1" >set/.part/unfinished.txt
  cp whole/set/shard-00000.h5 set/.part
  echo cut off >set/.part/shard-00001.h5.part
}

for how in '' --together; do
  mkdir whole
  ok "never killed $how" ranks 2 $pre $how -o set in
  look set >whole.look
  mv set whole
  killed "$how"
  ls -i set/.part/shard-00000.h5 | sed 's/ .*//' >inode
  refuses 1 '--resume' "what is there is not begun anew $how" \
    ranks 2 $pre $how -o set in
  refuses 2 'set: .*--seed 1.*--seed 2.*--force' "another seed $how" \
    ranks 2 $pre $how --seed 2 --resume -o set in
  cp -r set damaged
  ok "it goes on $how" ranks 2 $pre $how --resume -o set in
  look set >set.look
  ok "to the same end $how" cmp whole.look set.look
  ok "whose checksums are right $how" $info --check set
  ok "what was complete is kept $how" sh -c '
    ls -i set/shard-00000.h5 | sed "s/ .*//" | cmp - inode'
  ok "nothing else is left $how" test ! -e set/.part
  ok "once more, and there is nothing to do $how" \
    ranks 2 $pre $how --resume -o set in
  refuses 2 'is complete' "unless it is to be another $how" \
    ranks 2 $pre $how --seed 2 --resume -o set in
  # A byte of the kept shard's voxels.
  rm -rf set
  mv damaged set
  n=`wc -c <set/.part/shard-00000.h5`
  for at in 2 3 4; do
    printf x | dd of=set/.part/shard-00000.h5 bs=1 conv=notrunc \
      seek=`expr $n / 6 '*' $at` 2>/dev/null
  done
  refuses 1 'shard-00000.h5' "a damaged shard is named $how" \
    ranks 2 $pre $how --resume -o set in
  rm set/.part/shard-00000.h5
  ok "without it all goes on $how" ranks 2 $pre $how --resume -o set in
  look set >set.look
  ok "to the same end again $how" cmp whole.look set.look
  rm -rf set whole.$how
  mv whole whole.$how
done
ok "nothing to go on with" ranks 2 $pre --resume -o set in
ok "is a beginning" test -f set/index.h5
rm -rf set
mv whole. whole
killed ''
refuses 2 'set: .*2 ranks.*1 ranks' "on other ranks" $pre --resume -o set in
mv set/.part/unfinished.txt record
cp whole/set/index.h5 set/.part
refuses 1 'set/.part is whole.*move' "killed when it was put in place" \
  ranks 2 $pre --resume -o set in
rm set/.part/index.h5
mv record set/.part/unfinished.txt
touch in/v3.npy
refuses 2 'v3.npy.*changed at' "an input has changed" \
  ranks 2 $pre --resume -o set in
refuses 2 'choose one' "--resume and --force" $pre --resume --force -o set in
finish
