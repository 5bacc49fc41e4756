#include "config.h"

#include "base/mem.h"
#include "model/net_impl.h"
#include "model/shard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX_ = 1 << 20 };

static h3d_status
check_whole(h3d_net *net)
{
  int inputs = 0, used;

  for (int i = 0; i < net->layers; i++) {
    inputs += net->layer[i].inputs == 0;
  }
  net->loss = net->layers - 1;
  if (inputs != 1 || net->layers < 2 || !net->layer[net->loss].kind->is_loss) {
    return h3d_fail(H3D_ERR_USAGE,
                    "%s: a network has one input and ends in a loss; this one "
                    "has %d layers, %d of them inputs, and ends in '%s'",
                    net->name, net->layers, inputs,
                    net->layers ? net->layer[net->loss].kind->name : "");
  }
  net->output = net->layer[net->loss].input[0];
  for (int i = 0; i < net->loss; i++) {
    used = 0;
    for (int j = i + 1; j < net->layers; j++) {
      for (int k = 0; k < net->layer[j].inputs; k++) {
        used |= net->layer[j].input[k] == i;
      }
    }
    if (!used) {
      return h3d_fail(H3D_ERR_USAGE,
                      "%s: no layer reads '%s': take it out, or let one read "
                      "it",
                      net->name, net->layer[i].name);
    }
  }
  return H3D_OK;
}

h3d_status
h3d_net_parse(const char *name, const char *text, const h3d_data_shape *data,
              h3d_net **out)
{
  h3d_net *net = h3d_new(1, sizeof *net);
  h3d_status st = H3D_OK;

  net->name = h3d_strdup(name);
  net->text = h3d_strdup(text);
  for (int number = 1; *text && st == H3D_OK; number++) {
    size_t len = strcspn(text, "\n");

    st = h3d_net_add_line(net, number, text, len, data);
    text += len + (text[len] == '\n');
  }
  if (st == H3D_OK) {
    st = check_whole(net);
  }
  if (st != H3D_OK) {
    h3d_net_free(&net);
  }
  *out = net;
  return st;
}

h3d_status
h3d_net_read(const char *path, const h3d_data_shape *data, h3d_net **out)
{
  FILE *f = fopen(path, "r");
  char *text;
  size_t n;
  h3d_status st;

  *out = NULL;
  if (!f) {
    return h3d_fail(H3D_ERR_FILE, "%s: cannot read the network: %s", path,
                    strerror(errno));
  }
  text = h3d_new(TEXT_MAX_ + 1, 1);
  n = fread(text, 1, TEXT_MAX_ + 1, f);
  if (ferror(f) || n > TEXT_MAX_) {
    st = h3d_fail(H3D_ERR_FILE, "%s: %s", path,
                  ferror(f) ? strerror(errno)
                            : "too large to be a network (1 MiB at most)");
  } else {
    text[n] = '\0';
    st = h3d_net_parse(path, text, data, out);
  }
  fclose(f);
  h3d_free(text);
  return st;
}

void
h3d_net_free(h3d_net **pn)
{
  h3d_net *net = *pn;

  if (net) {
    for (int i = 0; i < net->layers; i++) {
      h3d_free(net->layer[i].option);
    }
    h3d_free(net->layer);
    h3d_free(net->name);
    h3d_free(net->text);
    h3d_free(net);
    *pn = NULL;
  }
}

int64_t
h3d_net_weights(const h3d_net *net)
{
  int64_t all = 0;

  for (int i = 0; i < net->layers; i++) {
    for (int k = 0; k < net->layer[i].params; k++) {
      const h3d_param *p = &net->layer[i].param[k];

      all += p->role != H3D_ROLE_STATE ? h3d_shard_total(p) : 0;
    }
  }
  return all;
}
