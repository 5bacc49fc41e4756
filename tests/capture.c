#include "config.h"

#include "capture.h"

#include "base/check.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *file;
static int captured, kept;

void
capture_begin(int fd)
{
  fflush(NULL);
  file = tmpfile();
  kept = dup(fd);
  captured = fd;
  if (file == NULL || kept < 0 || dup2(fileno(file), fd) < 0) {
    H3D_BREAK("cannot capture descriptor %d", fd);
  }
}

char *
capture_end(void)
{
  char *text;
  long size;

  fflush(NULL);
  dup2(kept, captured);
  close(kept);
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  rewind(file);
  text = h3d_new((size_t)size + 1, 1);
  if (fread(text, 1, (size_t)size, file) != (size_t)size) {
    H3D_BREAK("cannot read what was captured");
  }
  fclose(file);
  return text;
}

char *
capture_name(const char *end)
{
  static int n;
  const char *folder = getenv("TMPDIR");

  return h3d_sprintf("%s/h3d-test-%ld-%d-%d%s",
                     folder != NULL ? folder : "/tmp", (long)getpid(),
                     h3d_rank(), n++, end);
}
