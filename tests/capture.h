/* capture.h: what a piece of code writes to stdout or stderr.
 *
 *     capture_begin(2);
 *     h3d_log("hello");
 *     text = capture_end();
 *     ok(strcmp(text, "hello\n") == 0, "the log speaks");
 *     h3d_free(text);
 *
 * Per rank; not nested; make no claims in between.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

void capture_begin(int fd); /* 1 or 2 */
char *capture_end(void);    /* what was written; the caller frees it */

/* A fresh name in $TMPDIR or /tmp, different on each rank, for the test to
 * create and remove; the caller frees it.  end: ".h5" or "".
 */
char *capture_name(const char *end);

#endif /* CAPTURE_H */
