/* build.h: what this build has, said by every program's --version. */
#ifndef H3D_BACKEND_BUILD_H
#define H3D_BACKEND_BUILD_H

#include "base/opt.h"

/* To stdout, from rank 0, what h3d_opts_parse found asked for: done 1 is
 * --help; 2 is --version, with the libraries and devices of this build.
 */
void h3d_build_answer(const h3d_opts *o, int done);

#endif /* H3D_BACKEND_BUILD_H */
