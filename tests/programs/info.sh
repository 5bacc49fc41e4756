# h3d-info: what it says of each kind of file, and what it refuses.
. "$top_srcdir/tests/tap.sh"

prog=$top_builddir/tools/h3d-info
info () { ranks 1 "$prog" "$@"; }
says () { pattern=$1; shift; info "$@" | grep -qE "$pattern"; }

"$top_builddir/tests/programs/tiny_data" data 16 8 || exit 99
ranks 1 "$top_builddir/train/h3d-train" -q --device=ref -d data \
  -m "$top_srcdir/tests/programs/tiny.net" -e 2 -o run >train.log 2>&1 ||
  exit 99

ok "a dataset" says "^kind +h3d dataset" data
ok "its subsets" says "^train +12" data
ok "its targets" says "width_b +2 \+ 1 x, in counts" data
ok "whole" says "all checksums are right" data --check
ok "a shard" says "volume \(uint8\) +16 x 2 x 8 x 8 x 8" data/shard-00000.h5
ok "a run" says "^kind +h3d run" run
ok "its last epoch" says "^  epoch +2" run
ok "a checkpoint" says "^optimizer +adam" run/checkpoint-000002.h5
ok "whole" says "all checksums are right" run/checkpoint-000002.h5 --check
ok "a network" says "^count +12" "$top_srcdir/tests/programs/tiny.net"
ok "this build" says "^  ref +" --build
ok "JSON" sh -c "'$prog' data --json | grep -q '\"samples\": 16'"
ok "two ranks say it once" test \
  "`ranks 2 "$prog" data | grep -c '^kind'`" = 1

refuses 2 "name a file" "nothing named" info
refuses 1 "No such file" "no such file" info nothere
refuses 1 "none of what h3d reads" "an unknown file" info train.log
refuses 1 "neither a dataset" "a plain folder" info .
refuses 2 "perhaps|check" "an unknown option" info --chek data
printf 'input x - channels=data\nconf c x\n' >bad.net
refuses 1 'line 2: "conf"' "a network with an unknown kind" info bad.net
head -c 2000 run/checkpoint-000002.h5 >cut.h5
refuses 1 "cut.h5.*truncated" "a file cut off" info cut.h5
cp -r data bad
# Break a voxel: shards hold them behind their first kilobytes.
size=`wc -c <bad/shard-00000.h5`
printf '\377\377\377\377' | dd of=bad/shard-00000.h5 bs=1 conv=notrunc \
  seek=`expr $size / 2` 2>/dev/null
refuses 1 "shard-00000.h5" "a broken voxel" info bad --check
refuses 1 "shard-00000.h5: sample .*, chunk .*checksum" "named by two ranks" \
  ranks 2 "$prog" bad --check
ok "and counted" sh -c "'$prog' bad --check 2>&1 | grep -q ': 1 of 16 samples'"
ok "three ranks check, and say how fast" test \
  "`ranks 3 "$prog" data --check | grep -c 'MB/s\|all 16 samples'`" = 2
finish
