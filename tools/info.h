/* info.h: what h3d-info knows of each kind of file. */
#ifndef H3D_TOOLS_INFO_H
#define H3D_TOOLS_INFO_H

#include "base/status.h"
#include "info_say.h"

/* All say what path is and what is in it; check: read all of it.  One rank. */
h3d_status info_dataset(info_say *s, const char *path);
/* All ranks together read all of a dataset and compare it with its index and
 * checksums; rank 0 says the verdict (s: NULL elsewhere), or on stderr what is
 * wrong, and all refuse. */
h3d_status info_check(info_say *s, const char *path);
h3d_status info_run(info_say *s, const char *path, int check);
h3d_status info_checkpoint(info_say *s, const char *path, int check);
h3d_status info_cosmoflow(info_say *s, const char *path, int check);
h3d_status info_h5(info_say *s, const char *path, int check);
h3d_status info_npy(info_say *s, const char *path, int check);
h3d_status info_net(info_say *s, const char *path, int check);
void info_build(info_say *s);

#endif /* H3D_TOOLS_INFO_H */
