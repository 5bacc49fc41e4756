/* net_impl.h: what the files of net share. */
#ifndef H3D_MODEL_NET_IMPL_H
#define H3D_MODEL_NET_IMPL_H

#include "model/net.h"

/* Line number of the file, len bytes at text: its layer, if it has one, to the
 * net's.  Refuses as h3d_net_parse. */
h3d_status h3d_net_add_line(h3d_net *net, int number, const char *text,
                            size_t len, const h3d_data_shape *data);

#endif /* H3D_MODEL_NET_IMPL_H */
