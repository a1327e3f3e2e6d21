/* Elements 0..n-1 each on one cable to the switch, which is element n. Edge i joins element i and the switch. */
#include "network-kind.h"

static int64_t switch_nodes(const TgLevel *level) {
  return level->extents[0];
}

static int64_t switch_links(const TgLevel *level) {
  return 2 * (int64_t)level->nodes;
}

static int32_t switch_distance(const TgLevel *level, int32_t from, int32_t to) {
  if (from == to) return 0;
  return from == level->nodes || to == level->nodes ? 1 : 2;
}

static void switch_run(const TgLevel *level, int32_t at, int32_t to, TgRun *run) {
  if (at == level->nodes)
    tg_run_hop(run, at, to, 2 * (int64_t)to + 1);
  else
    tg_run_hop(run, at, level->nodes, 2 * (int64_t)at);
}

static TgEdge switch_edge(const TgLevel *level, int64_t edge) {
  return (TgEdge){(int32_t)edge, level->nodes, 0};
}

static int32_t switch_degree(const TgLevel *level, int32_t at) {
  return at == level->nodes ? level->nodes : 1;
}

static int32_t switch_neighbour(const TgLevel *level, int32_t at, int32_t index, int64_t *link) {
  bool down = at == level->nodes;
  *link = down ? 2 * (int64_t)index + 1 : 2 * (int64_t)at;
  return down ? index : level->nodes;
}

static int32_t switch_diameter(const TgLevel *level) {
  return level->nodes > 1 ? 2 : 0;
}

static int32_t switch_degree_max(const TgLevel *level) {
  (void)level;
  return 1;
}

static int64_t switch_bisection(const TgLevel *level) {
  return level->nodes / 2;
}

const TgNetworkKindRow tg_switch = {
    .info = {"switch", "switch:8", "one cable from each node to a switch: a route is two hops, up and down", 1, NULL},
    .has_switch = true,
    .nodes = switch_nodes,
    .links = switch_links,
    .distance = switch_distance,
    .run = switch_run,
    .edge = switch_edge,
    .degree = switch_degree,
    .neighbour = switch_neighbour,
    .diameter = switch_diameter,
    .degree_max = switch_degree_max,
    .bisection = switch_bisection,
};
