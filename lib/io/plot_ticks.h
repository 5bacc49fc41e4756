/* plot_ticks.h: where an axis has its numbers. */
#ifndef H3D_IO_PLOT_TICKS_H
#define H3D_IO_PLOT_TICKS_H

enum { H3D_TICKS = 16, H3D_TICK_TEXT = 24 };

typedef struct h3d_ticks {
  int n;
  double at[H3D_TICKS];
  char text[H3D_TICKS][H3D_TICK_TEXT];
} h3d_ticks;

/* About `wanted` (2 to 10) round numbers, 1, 2 or 5 times a power of ten
 * apart, inside [low, high], with as many digits as tell them apart.  When
 * log is 1 (0 < low): powers of ten, every so many that they fit, with 2 and
 * 5 between them where there would be fewer than three.  An empty or infinite
 * range gives none.
 */
void h3d_ticks_make(double low, double high, int wanted, int log,
                    h3d_ticks *t);

#endif /* H3D_IO_PLOT_TICKS_H */
