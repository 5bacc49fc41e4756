/* progress.h: how far long work has come, on stderr, from rank 0.
 *
 * A bar with rate and time left on a terminal, one line per ten percent
 * elsewhere.
 */
#ifndef H3D_BASE_PROGRESS_H
#define H3D_BASE_PROGRESS_H

#include "base/status.h"

#include <stdint.h>

typedef enum h3d_progress_style {
  H3D_PROGRESS_AUTO,
  H3D_PROGRESS_BAR,
  H3D_PROGRESS_LINES,
  H3D_PROGRESS_NONE
} h3d_progress_style;

/* Parse auto|bar|lines|none; H3D_ERR_USAGE otherwise. */
h3d_status h3d_progress_parse(const char *word, h3d_progress_style *style);
void h3d_progress_set_style(h3d_progress_style style);

typedef struct h3d_progress {
  const char *what, *unit; /* borrowed: "preprocess", "universes" */
  int64_t total, done;
  double start, shown;
  int tenth; /* last tenth printed */
} h3d_progress;

void h3d_progress_begin(h3d_progress *p, const char *what, const char *unit,
                        int64_t total);
void h3d_progress_set(h3d_progress *p, int64_t done);
void h3d_progress_end(h3d_progress *p);

#endif /* H3D_BASE_PROGRESS_H */
