/* zip.h: the members of a zip archive, as bytes anywhere in them.
 *
 * Stored members (method 0) are read in place.  Deflated ones (method 8) are
 * unpacked as a stream: reading forwards goes on where the last read ended,
 * reading backwards begins anew, and no more than a buffer is in memory.  A
 * member that is read from its first byte to its last is compared with its
 * checksum (crc-32).  Not collective.
 * Format: PKWARE's APPNOTE 6.3, with the 64-bit records (zip64).
 */
#ifndef H3D_IO_ZIP_H
#define H3D_IO_ZIP_H

#include "base/status.h"

#include <stdint.h>

typedef struct h3d_zip h3d_zip;

/* H3D_ERR_FILE names the file and: it is missing, no zip archive, truncated,
 * its directory is damaged, or it spans several disks.
 */
h3d_status h3d_zip_open(const char *path, h3d_zip **out);
void h3d_zip_close(h3d_zip **z); /* NULL is allowed; leaves NULL */

/* Members, in the directory's order; their names are borrowed. */
int64_t h3d_zip_members(const h3d_zip *z);
const char *h3d_zip_name(const h3d_zip *z, int64_t i);

/* Choose the member that h3d_zip_read reads; *bytes is its unpacked length.
 * H3D_ERR_FILE for one that is encrypted, of another method, or whose own head
 * is not where the directory says.
 */
h3d_status h3d_zip_choose(h3d_zip *z, int64_t i, int64_t *bytes);

/* n bytes from byte at on.  H3D_ERR_FILE where they end before, cannot be
 * unpacked, or the checksum is another.
 */
h3d_status h3d_zip_read(h3d_zip *z, int64_t at, int64_t n, void *out);

#endif /* H3D_IO_ZIP_H */
