# code.awk: C without comments and with empty strings, as FILE:LINE:TEXT.
FNR == 1 { inside = 0 }
{
  line = $0
  out = ""
  for (;;) {
    if (inside) {
      at = index(line, "*/")
      if (!at)
        break
      line = substr(line, at + 2)
      inside = 0
    } else if (match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|\/\//)) {
      token = substr(line, RSTART, 2)
      out = out substr(line, 1, RSTART - 1)
      line = substr(line, RSTART + RLENGTH)
      if (token == "//")
        break
      if (token == "/*")
        inside = 1
      else
        out = out substr(token, 1, 1) substr(token, 1, 1)
    } else {
      out = out line
      break
    }
  }
  print FILENAME ":" FNR ":" out
}
