/* zip_impl.h: what the files of io/zip share. */
#ifndef H3D_IO_ZIP_IMPL_H
#define H3D_IO_ZIP_IMPL_H

#include "io/zip.h"

#include <zlib.h>

typedef struct h3d_zip_member {
  char *name;
  int flags, method;
  uint32_t crc;
  int64_t packed, bytes, head; /* head: where its local header begins */
} h3d_zip_member;

struct h3d_zip {
  char *path;
  int fd;
  int64_t length; /* of the file */
  int64_t members;
  h3d_zip_member *member;
  const h3d_zip_member *now; /* the chosen one, NULL: none */
  int64_t data;              /* where its packed bytes begin */
  /* Deflated: the stream stands at byte at. */
  int is_streaming;
  z_stream stream;
  int64_t at, taken; /* packed bytes that went into the stream */
  unsigned char *in, *skip;
  /* The checksum of the first summed bytes. */
  int64_t summed;
  uLong sum;
};

/* n bytes of the file; H3D_ERR_FILE. */
h3d_status h3d_zip_fetch(const h3d_zip *z, int64_t at, size_t n, void *out);
/* Fill in the members. */
h3d_status h3d_zip_parse(h3d_zip *z);

#endif /* H3D_IO_ZIP_IMPL_H */
