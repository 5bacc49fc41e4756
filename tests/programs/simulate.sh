#! /bin/sh
# Universes: the same bytes on any number of ranks, nothing replaced unasked.
. "$top_srcdir/tests/tap.sh"
sim="$top_builddir/preprocess/h3d-simulate"
small='--size 8 --box 64 --progress none'

for np in 1 2 3; do
  ok "5 universes on $np ranks" ranks $np "$sim" $small --count 5 -o np$np
done
for np in 2 3; do
  ok "$np ranks make the same files as one" diff -r np1 np$np
done
ok "5 files, none unfinished" test "`ls np1 | tr '\n' ' '`" = \
  "universe_000.hdf5 universe_001.hdf5 universe_002.hdf5 universe_003.hdf5 \
universe_004.hdf5 "
ok "two universes differ" sh -c '
  ! cmp -s np1/universe_000.hdf5 np1/universe_001.hdf5'

refuses 1 'exists: .*--force' "an existing universe is not replaced" \
  "$sim" $small --count 1 -o np1
ok "with --force it is" "$sim" $small --count 1 --seed 2 --force -o np1
ok "and only it" sh -c 'for u in 1 2 3 4; do
  cmp np1/universe_00$u.hdf5 np2/universe_00$u.hdf5 || exit 1; done
  ! cmp -s np1/universe_000.hdf5 np2/universe_000.hdf5'
ok "a set grows" "$sim" $small --count 2 --first 5 -o np2
ok "its old files stay" cmp np2/universe_004.hdf5 np3/universe_004.hdf5
ok "the same universe as in a run of 7" sh -c '"$1" $2 --count 7 -o seven &&
  cmp seven/universe_006.hdf5 np2/universe_006.hdf5' sh "$sim" "$small"

ok "a dry run ends well" "$sim" $small --count 3 -n -o dry
ok "and makes nothing" test ! -e dry
ok "Zel'dovich, compressed, four parameters" "$sim" $small --count 1 \
  --method zeldovich --compress deflate --prior cosmoflow -o four
printf '# mine\nOmega_m 0.2 0.4\nH_0 68\nn_s 0.9 1.0\n' >prior
ok "a prior of one's own" "$sim" $small --count 1 --prior prior -o own

if command -v h5dump >/dev/null; then
  ok "full is int16 [d][h][w][c]" sh -c 'h5dump -H np3/universe_000.hdf5 |
    grep -A2 "DATASET \"full\"" | tr -d "\n" |
    grep "H5T_STD_I16LE.*( 8, 8, 8, 4 )"'
  ok "names as the public data have them" sh -c 'h5dump -d namePar \
    four/universe_000.hdf5 | tr -d "\n" |
    grep "\"Omega_m\".*\"sigma_8\".*\"N_spec\".*\"H_0\""'
fi

refuses 2 'lots.*number|number.*lots' "a word for a number" \
  "$sim" --count lots -o x
refuses 2 'choose 2lpt|choose zeldovich or 2lpt' "an unknown method" \
  "$sim" --method pm -o x
refuses 2 'even' "an odd lattice" "$sim" --size 8 --particles 9 -o x
refuses 2 'no output' "no output" "$sim"
refuses 2 'no output' "an empty output" "$sim" -o ""
refuses 2 'sum at most' "numbers that overflow" \
  "$sim" --count 9223372036854775807 --first 1 -o x
refuses 2 'seed -1: choose' "a seed below 0" "$sim" --seed -1 -o x
refuses 2 'box 1e-300: choose' "a box without extent" "$sim" --box 1e-300 -o x
refuses 1 'no such prior' "a missing prior" "$sim" --prior nowhere -o x
printf 'Omega_m 0.2 0.4\nsigma8 0.6 1\n' >bad
refuses 2 'bad:2: .*sigma_8' "a misspelt parameter" "$sim" --prior bad -o x
printf 'Omega_m 0.02 0.4\n' >bad
refuses 2 'prior bad: .*Omega_b' "a prior with more baryons than matter" \
  "$sim" --prior bad -o x
refuses 1 'int16' "more particles in a cell than int16 holds" \
  "$sim" --size 2 --particles 96 --count 1 -o crowd
ok "leaves no file" test -z "`ls crowd`"
for np in 2 3; do
  refuses 1 'cannot make this folder' "no room for the output on $np ranks" \
    ranks $np "$sim" $small --count 2 -o /proc/none/x
done
finish
