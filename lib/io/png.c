#include "config.h"

#include "io/png.h"

#include "base/mem.h"
#include "base/torture.h"
#include "io/publish.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

/* libpng's simplified interface: errors come back as a value, no setjmp. */
static h3d_status
write_part(const char *path, const char *part, png_image *image,
           const uint8_t *pixels)
{
  h3d_status st = h3d_point(H3D_ERR_FILE, path);
  FILE *f = st == H3D_OK ? fopen(part, "wb") : NULL;

  if (st != H3D_OK) {
    return st;
  }
  if (!f) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot be written: %s", path,
                    strerror(errno));
  }
  errno = 0;
  const int good = png_image_write_to_stdio(image, f, 0, pixels, 0, NULL);
  if ((fclose(f) != 0) | !good) {
    /* A full disk is a mere "Write Error" to libpng. */
    const char *why = errno != 0 ? strerror(errno) : image->message;
    st = h3d_fail(H3D_ERR_FILE,
                  "%s: cannot be written: %s; make room, or choose another "
                  "disk",
                  path, why);

    remove(part);
    return st;
  }
  return h3d_publish(part, path);
}

h3d_status
h3d_png_write(const char *path, int width, int height, int colours,
              const uint8_t *pixels)
{
  png_image image = { .version = PNG_IMAGE_VERSION };

  if (width < 1 || height < 1 || width > 32767 || height > 32767) {
    return h3d_fail(H3D_ERR_SHAPE,
                    "%s: a picture of %d x %d pixels: choose 1 to 32767 each "
                    "way, for instance by a smaller scale",
                    path, width, height);
  }
  image.width = (png_uint_32)width;
  image.height = (png_uint_32)height;
  image.format = colours == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  char *part = h3d_sprintf("%s.part", path);
  const h3d_status st = write_part(path, part, &image, pixels);
  png_image_free(&image);
  h3d_free(part);
  return st;
}

h3d_status
h3d_png_read(const char *path, int *width, int *height, int *colours,
             uint8_t **pixels)
{
  static const png_color white = { 255, 255, 255 };
  png_image image = { .version = PNG_IMAGE_VERSION };
  h3d_status st = H3D_OK;

  *pixels = NULL;
  if (!png_image_begin_read_from_file(&image, path)) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot be read as PNG: %s", path,
                    image.message);
  }
  *colours = image.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
  image.format = *colours == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  *width = (int)image.width;
  *height = (int)image.height;
  H3D_TRY(h3d_alloc(PNG_IMAGE_SIZE(image), 1, (void **)pixels));
  if (!png_image_finish_read(&image, &white, *pixels, 0, NULL)) {
    h3d_free(*pixels);
    *pixels = NULL;
    st = h3d_fail(H3D_ERR_FILE, "%s: damaged PNG: %s", path, image.message);
  }
done:
  png_image_free(&image);
  return st;
}
