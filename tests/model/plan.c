/* Which axis stays cut where: the rule of grains, and the redists. */
#include "config.h"

#include "model/plan.h"

#include "base/rng.h"
#include "tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TAP_RANKS("1")

static h3d_net *
read_net(const char *name, int64_t size)
{
  const char *top = getenv("top_srcdir");
  h3d_data_shape data = { 4, { size, size, size }, 4 };
  char path[1024];
  h3d_net *net = NULL;

  snprintf(path, sizeof path, "%s/share/models/%s.net", top ? top : ".", name);
  if (!ok(h3d_net_read(path, &data, &net) == H3D_OK, "%s", name)) {
    printf("# %s\n", h3d_why());
  }
  return net;
}

/* Only extents and my place matter: planning never communicates. */
static h3d_grid
grid_of(int groups, int d, int h, int w)
{
  return (h3d_grid){ .size = groups * d * h * w, .n = { groups, 1, d, h, w } };
}

/* Every voxel that the windows of one part read beyond a cut at a multiple of
 * the stride. */
static int64_t
halo_by_hand(const h3d_window *w)
{
  int64_t cut = 1000 * (int64_t)w->stride;
  h3d_range low = h3d_window_reads(w, (h3d_range){ 0, 1000 });
  h3d_range high = h3d_window_reads(w, (h3d_range){ 1000, 2000 });
  int64_t down = cut - high.begin, up = low.end - cut;

  return down > up ? down : up;
}

/* May parts begin at multiples of s, at the level of this stride? */
static int
stays_cut(const h3d_net *net, int axis, int parts, const int64_t *level,
          int64_t s)
{
  int64_t n = net->layer[0].y_shape.n[axis], all = n / s, least = n, most = 0;

  for (int r = 0; r < parts; r++) {
    int64_t begin = all * r / parts, end = all * (r + 1) / parts;
    int64_t voxels = (r == parts - 1 ? n : end * s) - begin * s;

    least = end - begin < least ? end - begin : least;
    most = voxels > most ? voxels : most;
  }
  if (all < parts || (s > 1 && 100 * most * parts > 115 * n)) {
    return 0;
  }
  for (int i = 1; i < net->layers; i++) {
    const h3d_layer *l = &net->layer[i];

    if (level[l->input[0]] == s && !l->kind->ends_space
        && halo_by_hand(&l->window[axis]) > least) {
      return 0;
    }
  }
  return 1;
}

/* Chains only. */
static int64_t
grain_by_hand(const h3d_net *net, int axis, int parts)
{
  int64_t level[128] = { 1 }, grain = 1;

  for (int i = 1; i < net->layers; i++) {
    const h3d_layer *l = &net->layer[i];

    level[i] = l->kind->ends_space ? 0 : level[i - 1] * l->window[axis].stride;
  }
  for (int i = 0; i < net->layers && level[i] > 0; i++) {
    if (parts == 1 || !stays_cut(net, axis, parts, level, level[i])) {
      break;
    }
    grain = level[i];
  }
  return grain;
}

typedef struct known {
  int size, parts, grain;
} known;

static void
test_known(void)
{
  static const known all[]
    = { { 64, 2, 32 },  { 64, 3, 8 },  { 64, 4, 16 },  { 64, 8, 8 },
        { 64, 64, 1 },  { 64, 32, 2 }, { 32, 2, 16 },  { 32, 3, 4 },
        { 32, 4, 8 },   { 32, 8, 4 },  { 128, 8, 16 }, { 128, 16, 8 },
        { 512, 16, 32 } };

  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    char name[32];
    h3d_net *net;

    snprintf(name, sizeof name, "cosmoflow-%d", all[i].size);
    net = read_net(name, all[i].size);
    if (net) {
      int64_t got = h3d_plan_grain(net, 0, all[i].parts);

      ok(got == all[i].grain && grain_by_hand(net, 1, all[i].parts) == got,
         "%d voxels in %d parts: grain %" PRId64 ", want %d", all[i].size,
         all[i].parts, got, all[i].grain);
    }
    h3d_net_free(&net);
  }
}

/* The layers that read a redist, "c4<DH p4<W". */
static const char *
redists(const h3d_plan *p, char *out, size_t room)
{
  size_t used = 0;

  out[0] = '\0';
  for (int i = 0; i < p->layers && used < room; i++) {
    const h3d_layer *l = &p->layer[i];

    if (strcmp(l->kind->name, "redist") == 0) {
      used += (size_t)snprintf(out + used, room - used, "%s%s",
                               used ? " " : "", l->name);
      for (int a = H3D_AXIS_D; a < H3D_AXES && used < room; a++) {
        if (l->x_dist[0].cut[a].parts > l->y_dist.cut[a].parts) {
          used += (size_t)snprintf(out + used, room - used, "%c",
                                   h3d_axis_name[a]);
        }
      }
    }
  }
  return out;
}

/* What must hold of any plan: dists meet, cuts are even under strides and end
 * only where they must. */
static int
check_plan(const h3d_plan *p, const h3d_grid *g)
{
  int bad = 0;

  for (int i = 1; i < p->layers; i++) {
    const h3d_layer *l = &p->layer[i];
    int ends = strcmp(l->kind->name, "redist") == 0;

    bad += l->input[0] >= i
           || !h3d_dist_is_equal(&l->x_dist[0], &p->layer[l->input[0]].y_dist);
    for (int a = 0; a < 3; a++) {
      const h3d_cut *x = &l->x_dist[0].cut[H3D_AXIS_D + a];
      const h3d_cut *y = &l->y_dist.cut[H3D_AXIS_D + a];
      int64_t s = l->window[a].stride;
      int even = 1;

      bad += x->parts != 1 && x->parts != g->n[H3D_AXIS_D + a];
      bad += x->n != l->x_shape[0].n[a] || y->n != l->y_shape.n[a];
      bad += y->parts > x->parts;
      bad += y->parts < x->parts && !ends && !l->kind->ends_space;
      for (int r = 0; r < x->parts && y->parts > 1; r++) {
        int64_t at = h3d_cut_start(x, r);

        even = even && (at == x->n || at % s == 0);
        bad += !ends && at < x->n && h3d_cut_start(y, r) != at / s
               && h3d_cut_start(y, r) != y->n;
      }
      bad += !even;
      if (ends && y->parts < x->parts) {
        /* Its reader's stride would leave the grain. */
        bad += x->grain % (x->stride * l[1].window[a].stride) == 0;
        bad += l[1].input[0] != i;
      }
    }
  }
  return bad;
}

static void
place(const char *name, int size, int d, int h, int w, const char *want)
{
  h3d_net *net = read_net(name, size);
  h3d_grid g = grid_of(2, d, h, w);
  h3d_plan p = { 0 };
  char got[256];

  if (net) {
    h3d_status st = h3d_plan_new(net, &g, 4, &p);

    ok(st == H3D_OK && strcmp(redists(&p, got, sizeof got), want) == 0,
       "%s on %dx%dx%d: redists '%s', want '%s'", name, d, h, w, got, want);
    ok(check_plan(&p, &g) == 0, "its cuts are even, its dists meet");
    ok(strcmp(p.layer[p.loss].name, "loss") == 0
         && p.layer[p.loss].input[0] == p.output,
       "the loss reads the output");
  }
  h3d_net_free(&net);
  h3d_plan_free(&p);
}

static void
test_places(void)
{
  place("cosmoflow-64", 64, 1, 1, 1, "");
  place("cosmoflow-64", 64, 2, 2, 2, "");
  place("cosmoflow-64", 64, 3, 1, 1, "c4<D");
  place("cosmoflow-64", 64, 4, 1, 1, "p4<D");
  place("cosmoflow-64", 64, 8, 1, 1, "c4<D");
  place("cosmoflow-64", 64, 8, 4, 2, "c4<D p4<H");
  place("cosmoflow-64", 64, 3, 1, 8, "c4<DW");
  place("cosmoflow-bn-64", 64, 4, 1, 4, "p4<DW");
  place("cosmoflow-32", 32, 1, 3, 4, "p3<H c4<W");
  place("cosmoflow-128", 128, 8, 1, 1, "p4<D");
  place("cosmoflow-512", 512, 16, 1, 1, "p5<D");
  place("cosmoflow-64", 64, 64, 1, 1, "p1<D");
}

static int
pick(int most)
{
  static uint64_t next;
  h3d_rng r = h3d_rng_init(9, H3D_RNG_TEST, 0, 0);

  return (int)(h3d_rng_word(&r, next++) % (uint32_t)most);
}

/* A chain of windows of all sorts. */
static h3d_net *
some_net(const h3d_data_shape *data)
{
  char text[1024] = "input x0 - channels=data\n";
  size_t used = strlen(text);
  int layers = 1 + pick(6);
  h3d_net *net = NULL;

  for (int i = 1; i <= layers; i++) {
    used += (size_t)snprintf(
      text + used, sizeof text - used,
      "conv x%d x%d out=1 kernel=%dx%dx%d stride=%dx%dx%d dilation=%d\n", i,
      i - 1, 1 + pick(5), 1 + pick(5), 1 + pick(5), 1 + pick(3) * pick(2),
      1 + pick(3) * pick(2), 1 + pick(2), 1 + pick(2));
  }
  snprintf(text + used, sizeof text - used,
           "dense y x%d out=targets\nmse loss y\n", layers);
  return h3d_net_parse("some", text, data, &net) == H3D_OK ? net : NULL;
}

static void
test_random(void)
{
  int grains = 0, plans = 0, made = 0, ended = 0;

  for (int i = 0; i < 2000; i++) {
    h3d_data_shape data
      = { 1, { 8 + pick(60), 8 + pick(60), 8 + pick(60) }, 1 };
    h3d_net *net = some_net(&data);
    h3d_grid g = grid_of(1 + pick(3), 1 + pick(8), 1 + pick(8), 1 + pick(8));
    h3d_plan p = { 0 };
    char text[256];

    if (!net) {
      continue;
    }
    for (int a = 0; a < 3; a++) {
      int parts = g.n[H3D_AXIS_D + a];

      grains += h3d_plan_grain(net, a, parts) != grain_by_hand(net, a, parts);
    }
    plans += h3d_plan_new(net, &g, 3, &p) != H3D_OK || check_plan(&p, &g);
    ended += redists(&p, text, sizeof text)[0] != '\0';
    made++;
    h3d_net_free(&net);
    h3d_plan_free(&p);
  }
  ok(grains == 0, "grains of %d chains, %d wrong", made, grains);
  ok(plans == 0, "plans of %d chains, %d wrong", made, plans);
  ok(made > 1500 && ended > 300, "%d of them end cuts", ended);
}

static void
test_refusal(void)
{
  h3d_net *net = read_net("cosmoflow-32", 32);
  h3d_grid g = grid_of(1, 1, 33, 1);
  h3d_plan p;

  ok(h3d_plan_new(net, &g, 1, &p) == H3D_ERR_SHAPE && strstr(h3d_why(), "33")
       && strstr(h3d_why(), "axis H") && strstr(h3d_why(), "at most 32"),
     "more parts than voxels: %s", h3d_why());
  h3d_plan_free(&p);
  h3d_net_free(&net);
}

void
tap_main(void)
{
  test_known();
  test_places();
  test_random();
  test_refusal();
}
