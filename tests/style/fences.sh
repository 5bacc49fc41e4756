#! /bin/sh
# fences.sh: each library is spoken to from few files.
. "$top_srcdir/tests/tap.sh"
code=$tap_dir/code
cd "$top_srcdir" || exit 99
. tests/style/sources.sh
code lib $programs >"$code"
code tests >"$code.tests"

# fence NAME CALL FILES: calls that match CALL only in FILES (patterns of
# grep -E).
fence ()
{
  nothing "$1 stays in its files" "`
    grep -E "(^|[^A-Za-z0-9_])($2)[[:space:]]*\(" "$code" | grep -vE "^($3):"`"
}
fence HDF5 'H5[A-Z]+[a-z_0-9]+' 'lib/io/h5[a-z0-9_]*\.[ch]'
fence oneDNN 'dnnl_[a-z0-9_]+' 'lib/backend/cpu[a-z0-9_]*\.[ch]'
fence MPI 'P?MPI_[A-Z][A-Za-z_]+' 'lib/base/(agree|check|clock)\.[ch]|'\
'lib/dist/(grid|threads)[a-z0-9_]*\.c|lib/backend/mpi[a-z0-9_]*\.c|'\
'lib/io/h5[a-z0-9_]*\.c'
fence FFTW 'fftwf?_[a-z0-9_]+' \
  'preprocess/(simulate|spectrum)[a-z0-9_]*\.[ch]'
fence libpng 'png_[a-z0-9_]+' 'lib/io/png[a-z0-9_]*\.c'
fence cairo 'cairo_[a-z0-9_]+' 'lib/io/plot[a-z0-9_]*\.c'
fence jansson 'json_[a-z0-9_]+' 'lib/io/json[a-z0-9_]*\.c'
fence libinih 'ini_[a-z0-9_]+' 'lib/base/conf[a-z0-9_]*\.c'
heap='malloc|calloc|realloc|free|posix_memalign|aligned_alloc|strdup|strndup'\
'|v?asprintf|getline'
# jansson gives text in memory of its own.
fence "host memory" "$heap" 'lib/base/mem\.c|lib/io/json\.c'
nothing "tests take counted memory too" "`
  grep -E "(^|[^A-Za-z0-9_])($heap)[[:space:]]*\(" "$code.tests"`"
finish
