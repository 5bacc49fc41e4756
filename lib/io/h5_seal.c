#include "config.h"

#include "io/h5_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static const char mark[] = "h3d sealed: xxh64 ";

/* All behind the seal. */
static h3d_status
hash_file(const char *path, int fd, uint64_t *hash)
{
  static char piece[1 << 16];
  XXH64_state_t *state = XXH64_createState();
  off_t at = H3D_H5_SEAL;
  h3d_status st = H3D_OK;
  ssize_t n;

  XXH64_reset(state, 0);
  while ((n = pread(fd, piece, sizeof piece, at)) > 0) {
    XXH64_update(state, piece, (size_t)n);
    at += n;
  }
  if (n < 0) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be read (%s)", path,
                  strerror(errno));
  }
  *hash = XXH64_digest(state);
  XXH64_freeState(state);
  return st;
}

static void
write_words(uint64_t hash, char seal[H3D_H5_SEAL])
{
  memset(seal, 0, H3D_H5_SEAL);
  snprintf(seal, H3D_H5_SEAL,
           "%s%016" PRIx64 " of what follows these %d bytes\n", mark, hash,
           (int)H3D_H5_SEAL);
}

h3d_status
h3d_h5_seal(const char *path)
{
  int fd = open(path, O_RDWR | O_CLOEXEC);
  char seal[H3D_H5_SEAL];
  uint64_t hash = 0;
  h3d_status st = H3D_OK;

  if (fd < 0) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot be opened (%s)", path,
                    strerror(errno));
  }
  st = hash_file(path, fd, &hash);
  write_words(hash, seal);
  if (st == H3D_OK && pwrite(fd, seal, sizeof seal, 0) != H3D_H5_SEAL) {
    st = h3d_fail(H3D_ERR_FILE, "%s: cannot be written (%s)", path,
                  strerror(errno));
  }
  close(fd);
  return st;
}

h3d_status
h3d_h5_check_seal(const char *path, int *sealed)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  char wanted[H3D_H5_SEAL], found[H3D_H5_SEAL];
  uint64_t hash = 0;
  h3d_status st = H3D_OK;

  *sealed = 0;
  if (fd < 0) {
    return H3D_OK; /* who opens it says why */
  }
  if (pread(fd, found, sizeof found, 0) == H3D_H5_SEAL
      && memcmp(found, mark, sizeof mark - 1) == 0) {
    *sealed = 1;
    st = hash_file(path, fd, &hash);
    write_words(hash, wanted);
    if (st == H3D_OK && memcmp(found, wanted, sizeof wanted) != 0) {
      st = h3d_fail(H3D_ERR_FILE,
                    "%s: damaged: its bytes have xxh64 %016" PRIx64
                    ", its seal says %.16s; copy or make it again",
                    path, hash, found + sizeof mark - 1);
    }
  }
  close(fd);
  return st;
}
