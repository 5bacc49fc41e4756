# sources.sh: what the style tests share.  Source it.  Every name is relative
# to $top_srcdir, where the functions must be called.

# c_files FOLDER...: C sources and headers in them.
c_files ()
{
  find "$@" -name '*.[ch]' | LC_ALL=C sort
}

# code FOLDER...: their code as FILE:LINE:TEXT, no comments, empty strings.
code ()
{
  c_files "$@" | xargs awk -f tests/style/code.awk
}

programs='preprocess train infer tools'
