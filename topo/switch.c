/* Elements 0..n-1 each on one cable to each of s switches, which are elements n..n+s-1. Edge i * s + j joins element i
 * and switch j. */
#include "network-kind.h"

static int64_t switch_nodes(const TgLevel *level) {
  return level->extents[0];
}

static int64_t switch_links(const TgLevel *level) {
  return 2 * (int64_t)level->nodes * level->extents[1];
}

static int32_t switch_distance(const TgLevel *level, int32_t from, int32_t to) {
  if (from == to) return 0;
  return from >= level->nodes || to >= level->nodes ? 1 : 2;
}

/* The link between an element and a switch, in either order. */
static int64_t switch_link(const TgLevel *level, int32_t at, int32_t to) {
  const bool down = at >= level->nodes;
  const int32_t element = down ? to : at, port = (down ? at : to) - level->nodes;
  return 2 * ((int64_t)element * level->switches + port) + down;
}

static void switch_run(const TgLevel *level, int32_t at, int32_t to, TgRun *run) {
  tg_run_hop(run, at, to, switch_link(level, at, to));
}

static TgEdge switch_edge(const TgLevel *level, int64_t edge) {
  return (TgEdge){(int32_t)(edge / level->switches), level->nodes + (int32_t)(edge % level->switches), 0};
}

static int32_t switch_degree(const TgLevel *level, int32_t at) {
  return at >= level->nodes ? level->nodes : level->switches;
}

static int32_t switch_neighbour(const TgLevel *level, int32_t at, int32_t index, int64_t *link) {
  const int32_t to = at >= level->nodes ? index : level->nodes + index;
  *link = switch_link(level, at, to);
  return to;
}

static int32_t switch_diameter(const TgLevel *level) {
  return level->nodes > 1 ? 2 : 0;
}

static int32_t switch_degree_max(const TgLevel *level) {
  return level->switches;
}

static int64_t switch_bisection(const TgLevel *level) {
  return (int64_t)(level->nodes / 2) * level->switches;
}

static int32_t switch_axes(const TgLevel *level) {
  (void)level;
  return 1;
}

#define SWITCHES                                                                                                       \
  .has_switch = true, .nodes = switch_nodes, .links = switch_links, .distance = switch_distance, .run = switch_run,    \
  .edge = switch_edge, .degree = switch_degree, .neighbour = switch_neighbour, .axes = switch_axes,                    \
  .diameter = switch_diameter, .degree_max = switch_degree_max, .bisection = switch_bisection

const TgNetworkKindRow tg_switch = {
    .info = {"switch", "switch:8", "one cable from each node to a switch: a route is two hops, up and down", 1, 1, NULL,
             false},
    SWITCHES,
};

const TgNetworkKindRow tg_spine = {
    .info = {"spine", "switch:4*spine:8x2",
             "several switches, each with a cable to every node or group; the destination selects the switch (D-mod-K)",
             2, 2, NULL, false},
    SWITCHES,
};

const TgNetworkKindRow tg_ecmp = {
    .info = {"ecmp", "switch:4*ecmp:8x2",
             "as spine, but a hash of source and destination selects the switch: messages may share a cable while "
             "others are "
             "idle",
             2, 2, NULL, false},
    .is_hashed = true,
    SWITCHES,
};
