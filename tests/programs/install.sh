# make install into a stage, a run from there, make uninstall.
. "$top_srcdir/tests/tap.sh"

unset MAKEFLAGS MFLAGS MAKELEVEL
stage=$tap_dir/stage
into () { ${MAKE-make} -s -C "$top_builddir" "$@" DESTDIR="$stage"; }
# The one file of that name in the stage.
find_in () { find "$stage" -name "$1" -type f; }

ok "make install" into install
for name in simulate preprocess train infer slice info bench; do
  ok "h3d-$name" test -x "`find_in h3d-$name`"
done
bin=`dirname "\`find_in h3d-train\`"`
ok "networks" test -s "`find_in cosmoflow-32.net`"
ok "documents" test -s "`find_in commands.md`"
ok "nothing names the stage" sh -c "! grep -q '$stage' '$bin/h3d-train'"

# Moved elsewhere, it finds its networks beside itself.
mv stage moved
stage=$tap_dir/moved
bin=`dirname "\`find_in h3d-train\`"`
ok "universes" "$bin/h3d-simulate" --count 4 --size 32 -o raw
ok "a dataset" "$bin/h3d-preprocess" --subsets 2,1,1 -o data raw
net=`find_in cosmoflow-32.net`
mv "$net" "`dirname "$net"`/moved-32.net"
ok "a run of a network that only the stage has" "$bin/h3d-train" -q -d data \
  -m moved -b 2 -e 1 -o run
mv "`dirname "$net"`/moved-32.net" "$net"
ok "predictions" "$bin/h3d-infer" --run run --data data -o out
ok "of the test samples" test -s out/predictions.csv
ok "make uninstall" into uninstall
nothing "leaves no file" "`find "$stage" -type f`"
finish
