/* log.h: chatter for people, on stderr and into a run's log file.
 *
 * Rank 0 alone prints; every rank may call.  Never inside a training step.
 */
#ifndef H3D_BASE_LOG_H
#define H3D_BASE_LOG_H

#include "base/status.h"

typedef enum h3d_log_level {
  H3D_LOG_QUIET,
  H3D_LOG_NORMAL,
  H3D_LOG_VERBOSE
} h3d_log_level;

void h3d_log_set_level(h3d_log_level level);
h3d_log_level h3d_log_level_now(void);

/* Also write every line, of every level, with date and time to this file from
 * now on (rank 0 opens it for appending; NULL ends that).  H3D_ERR_FILE on
 * rank 0 if it cannot be opened.
 */
h3d_status h3d_log_set_file(const char *path);

/* One line; the newline is added. */
void h3d_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void h3d_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "warning: ..." even when quiet. */
void h3d_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* H3D_BASE_LOG_H */
