/* The binary hypercube of dimension d: 2^d elements, neighbours differ in one bit. Routes are e-cube, the lowest bit
 * first (Sullivan and Bashkow, ISCA 1977). Edge number: bit * 2^(d-1) + the label without that bit. */
#include "network-kind.h"

static int64_t hypercube_nodes(const TgLevel *level) {
  return level->extents[0] <= 30 ? (int64_t)1 << level->extents[0] : INT64_MAX;
}

static int64_t hypercube_links(const TgLevel *level) {
  return (int64_t)level->extents[0] * level->nodes;
}

static int32_t lowest_bit(int32_t label) {
  int32_t bit = 0;
  while (!(label >> bit & 1)) bit++;
  return bit;
}

static int32_t hypercube_distance(const TgLevel *level, int32_t from, int32_t to) {
  (void)level;
  int32_t hops = 0;
  for (int32_t bits = from ^ to; bits; bits &= bits - 1) hops++;
  return hops;
}

/* The link from an element across one bit. */
static int64_t hypercube_link(const TgLevel *level, int32_t at, int32_t bit) {
  int32_t low = at & ((1 << bit) - 1), high = at >> (bit + 1) << bit;
  return (int64_t)bit * level->nodes + 2 * (int64_t)(high | low) + (at >> bit & 1);
}

static void hypercube_run(const TgLevel *level, int32_t at, int32_t to, TgRun *run) {
  int32_t bit = lowest_bit(at ^ to);
  tg_run_hop(run, at, at ^ (1 << bit), hypercube_link(level, at, bit));
  run->axis = bit;
}

static TgEdge hypercube_edge(const TgLevel *level, int64_t edge) {
  int32_t bit = (int32_t)(edge / (level->nodes / 2)), label = (int32_t)(edge % (level->nodes / 2));
  int32_t from = label >> bit << (bit + 1) | (label & ((1 << bit) - 1));
  return (TgEdge){from, from | 1 << bit, bit};
}

static int32_t hypercube_dimension(const TgLevel *level) {
  return level->extents[0];
}

static int32_t hypercube_degree(const TgLevel *level, int32_t at) {
  (void)at;
  return level->extents[0];
}

static int32_t hypercube_neighbour(const TgLevel *level, int32_t at, int32_t index, int64_t *link) {
  *link = hypercube_link(level, at, index);
  return at ^ (1 << index);
}

static int64_t hypercube_bisection(const TgLevel *level) {
  return level->nodes / 2;
}

const TgNetworkKindRow tg_hypercube = {
    .info = {"hypercube", "hypercube:6", "2^d nodes, neighbours differ in one bit; e-cube routes, lowest bit first", 1,
             1, "power of two", false},
    .nodes = hypercube_nodes,
    .links = hypercube_links,
    .distance = hypercube_distance,
    .run = hypercube_run,
    .edge = hypercube_edge,
    .degree = hypercube_degree,
    .axes = hypercube_dimension,
    .neighbour = hypercube_neighbour,
    .diameter = hypercube_dimension,
    .degree_max = hypercube_dimension,
    .bisection = hypercube_bisection,
};
