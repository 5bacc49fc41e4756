/* clock.h: seconds since an arbitrary start, monotonic. */
#ifndef H3D_BASE_CLOCK_H
#define H3D_BASE_CLOCK_H

double h3d_clock(void);

/* Fills out with "1 h 02 min", "3 min 20 s" or "4.2 s", "unknown time" for
 * less than 0, NaN or more than 1e12, and returns it. */
const char *h3d_clock_text(double seconds, char out[32]);

#endif /* H3D_BASE_CLOCK_H */
