/* ckpt_impl.h: shared by the files of ckpt. */
#ifndef H3D_CKPT_CKPT_IMPL_H
#define H3D_CKPT_CKPT_IMPL_H

#include "ckpt/ckpt.h"
#include "io/h5.h"

/* All but the arrays of weights, to and from an open file. */
h3d_status h3d_ckpt_about_write(h3d_h5 *f, const h3d_ckpt *c);
h3d_status h3d_ckpt_about_read(const h3d_h5 *f, h3d_ckpt **out);

#endif /* H3D_CKPT_CKPT_IMPL_H */
