#include "config.h"

#include "base/log.h"

#include "base/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static h3d_log_level level_now = H3D_LOG_NORMAL;
static FILE *file;

void
h3d_log_set_level(h3d_log_level level)
{
  level_now = level;
}

h3d_log_level
h3d_log_level_now(void)
{
  return level_now;
}

h3d_status
h3d_log_set_file(const char *path)
{
  if (file != NULL) {
    fclose(file);
    file = NULL;
  }
  if (path == NULL || h3d_rank() != 0) {
    return H3D_OK;
  }
  file = fopen(path, "a");
  if (file == NULL) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot open the log for appending: %s",
                    path, strerror(errno));
  }
  /* A job that is killed leaves all that it said. */
  setvbuf(file, NULL, _IOLBF, BUFSIZ);
  return H3D_OK;
}

static void
say(h3d_log_level from, const char *before, const char *fmt, va_list ap)
{
  va_list again;

  if (h3d_rank() != 0) {
    return;
  }
  if (file != NULL) {
    char date[32] = "";
    time_t t = time(NULL);
    struct tm tm;

    if (localtime_r(&t, &tm) != NULL) {
      strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &tm);
    }
    fprintf(file, "%s %s", date, before);
    va_copy(again, ap);
    vfprintf(file, fmt, again);
    va_end(again);
    fputc('\n', file);
  }
  if (level_now >= from) {
    /* On a terminal the line may hold a progress bar. */
    fprintf(stderr, "%s%s", isatty(STDERR_FILENO) ? "\r\033[K" : "", before);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
  }
}

void
h3d_log(const char *fmt, ...)
{
  va_list ap;

  va_start(ap, fmt);
  say(H3D_LOG_NORMAL, "", fmt, ap);
  va_end(ap);
}

void
h3d_verbose(const char *fmt, ...)
{
  va_list ap;

  va_start(ap, fmt);
  say(H3D_LOG_VERBOSE, "", fmt, ap);
  va_end(ap);
}

void
h3d_warn(const char *fmt, ...)
{
  va_list ap;

  va_start(ap, fmt);
  say(H3D_LOG_QUIET, "warning: ", fmt, ap);
  va_end(ap);
}
