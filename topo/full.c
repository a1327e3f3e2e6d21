/* A link from every element to every other. Edges are numbered by how far round they reach, so that both ways between
 * number and ends need one division: edge (reach - 1) * n + i joins i and i + reach (mod n), reach = 1..n/2; the last
 * reach of an even n has n/2 edges. */
#include "network-kind.h"

static int64_t full_nodes(const TgLevel *level) {
  return level->extents[0];
}

static int64_t full_links(const TgLevel *level) {
  return (int64_t)level->nodes * (level->nodes - 1);
}

static int32_t full_distance(const TgLevel *level, int32_t from, int32_t to) {
  (void)level;
  return from != to;
}

int64_t tg_full_link(int32_t n, int32_t from, int32_t to) {
  int32_t reach = to > from ? to - from : to - from + n;
  bool back = 2 * reach > n || (2 * reach == n && from > to);
  return 2 * ((int64_t)((back ? n - reach : reach) - 1) * n + (back ? to : from)) + back;
}

TgEdge tg_full_edge(int32_t n, int64_t edge) {
  int32_t reach = (int32_t)(edge / n) + 1, from = (int32_t)(edge % n);
  return (TgEdge){from, (from + reach) % n, 0};
}

static void full_run(const TgLevel *level, int32_t at, int32_t to, TgRun *run) {
  tg_run_hop(run, at, to, tg_full_link(level->nodes, at, to));
}

static TgEdge full_edge(const TgLevel *level, int64_t edge) {
  return tg_full_edge(level->nodes, edge);
}

static int32_t full_degree_max(const TgLevel *level) {
  return level->nodes - 1;
}

static int32_t full_degree(const TgLevel *level, int32_t at) {
  (void)at;
  return level->nodes - 1;
}

static int32_t full_neighbour(const TgLevel *level, int32_t at, int32_t index, int64_t *link) {
  int32_t to = index < at ? index : index + 1;
  *link = tg_full_link(level->nodes, at, to);
  return to;
}

static int32_t full_diameter(const TgLevel *level) {
  return level->nodes > 1;
}

static int64_t full_bisection(const TgLevel *level) {
  int64_t half = level->nodes / 2;
  return half * (level->nodes - half);
}

const TgNetworkKindRow tg_full = {
    .info = {"full", "full:8", "a link from every node to every other", 1, 1, NULL, false},
    .nodes = full_nodes,
    .links = full_links,
    .distance = full_distance,
    .run = full_run,
    .edge = full_edge,
    .degree = full_degree,
    .neighbour = full_neighbour,
    .diameter = full_diameter,
    .degree_max = full_degree_max,
    .bisection = full_bisection,
};
