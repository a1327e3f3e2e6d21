/* Groups of routers (Kim, Dally, Scott and Abts, ISCA 2008): a cable between every two routers of a group, and one
 * between every two groups. Elements are routers: group * routers + number within the group. A group's cables to the
 * other groups, in the order of those groups, are assigned to its routers in order: cables_each() to each router, fewer
 * to the last ones. With one cable each, groups i and j are joined by router j - (j > i) of group i and router i - (i >
 * j) of group j. Links: those of group after group, as in a full network of its routers, then those between groups, as
 * in a full network of groups. */
#include "network-kind.h"

static int32_t groups_of(const TgLevel *level) {
  return level->extents[0];
}

static int32_t routers_of(const TgLevel *level) {
  return level->extents[1];
}

static int32_t cables_each(const TgLevel *level) {
  return (groups_of(level) - 1 + routers_of(level) - 1) / routers_of(level);
}

int32_t tg_dragonfly_router(const TgLevel *level, int32_t group, int32_t other) {
  return (other - (other > group)) / cables_each(level);
}

static int32_t router_towards(const TgLevel *level, int32_t group, int32_t other) {
  return group * routers_of(level) + tg_dragonfly_router(level, group, other);
}

static int64_t dragonfly_nodes(const TgLevel *level) {
  return (int64_t)groups_of(level) * routers_of(level);
}

static int64_t links_of_group(const TgLevel *level) {
  return (int64_t)routers_of(level) * (routers_of(level) - 1);
}

static int64_t dragonfly_links(const TgLevel *level) {
  return groups_of(level) * links_of_group(level) + (int64_t)groups_of(level) * (groups_of(level) - 1);
}

static int32_t dragonfly_distance(const TgLevel *level, int32_t from, int32_t to) {
  const int32_t group = from / routers_of(level), other = to / routers_of(level);
  if (group == other) return from != to;
  return (from != router_towards(level, group, other)) + 1 + (to != router_towards(level, other, group));
}

/* Between two routers that share a cable. */
static int64_t dragonfly_link(const TgLevel *level, int32_t from, int32_t to) {
  const int32_t routers = routers_of(level), group = from / routers, other = to / routers;
  if (group != other) return groups_of(level) * links_of_group(level) + tg_full_link(groups_of(level), group, other);
  return group * links_of_group(level) + tg_full_link(routers, from % routers, to % routers);
}

static void dragonfly_run(const TgLevel *level, int32_t at, int32_t to, TgRun *run) {
  const int32_t group = at / routers_of(level), other = to / routers_of(level);
  int32_t next = to;
  if (group != other) next = router_towards(level, group, other);
  if (next == at) next = router_towards(level, other, group);
  tg_run_hop(run, at, next, dragonfly_link(level, at, next));
  run->axis = next / routers_of(level) != group;
}

static TgEdge dragonfly_edge(const TgLevel *level, int64_t edge) {
  const int64_t inside = links_of_group(level) / 2;
  const int32_t routers = routers_of(level);
  TgEdge between = {0};
  if (edge >= groups_of(level) * inside) {
    between = tg_full_edge(groups_of(level), edge - groups_of(level) * inside);
    return (TgEdge){router_towards(level, between.from, between.to), router_towards(level, between.to, between.from),
                    1};
  }
  const int32_t first = (int32_t)(edge / inside) * routers;
  between = tg_full_edge(routers, edge % inside);
  return (TgEdge){first + between.from, first + between.to, 0};
}

/* How many cables a router has to other groups. They lead to consecutive groups, counted without the router's own, from
 * `first` on. */
static int32_t cables_out(const TgLevel *level, int32_t at, int32_t *first) {
  const int32_t each = cables_each(level), others = groups_of(level) - 1;
  *first = at % routers_of(level) * each;
  return *first >= others ? 0 : *first + each > others ? others - *first : each;
}

static int32_t dragonfly_degree(const TgLevel *level, int32_t at) {
  int32_t first;
  return routers_of(level) - 1 + cables_out(level, at, &first);
}

static int32_t dragonfly_neighbour(const TgLevel *level, int32_t at, int32_t index, int64_t *link) {
  const int32_t routers = routers_of(level), group = at / routers;
  int32_t to = group * routers + index, first;
  if (to >= at) to++;
  if (index >= routers - 1) {
    cables_out(level, at, &first);
    const int32_t place = first + index - (routers - 1);
    to = router_towards(level, place + (place >= group), group);
  }
  *link = dragonfly_link(level, at, to);
  return to;
}

static int32_t dragonfly_axes(const TgLevel *level) {
  (void)level;
  return 2;
}

static int32_t dragonfly_diameter(const TgLevel *level) {
  const int32_t inside = routers_of(level) > 1;
  return groups_of(level) > 1 ? 1 + 2 * inside : inside;
}

static int32_t dragonfly_degree_max(const TgLevel *level) {
  return dragonfly_degree(level, 0);
}

static int64_t dragonfly_bisection(const TgLevel *level) {
  const int64_t half = level->nodes / 2;
  return groups_of(level) == 1 || routers_of(level) == 1 ? half * (level->nodes - half) : -1;
}

const TgNetworkKindRow tg_dragonfly = {
    .info =
        {"dragonfly", "switch:2*dragonfly:9x4",
         "groups of routers: a cable between every two of a group, and one between every two groups; minimal routes; "
         "the outermost level",
         2, 2, NULL, false},
    .is_outermost = true,
    .nodes = dragonfly_nodes,
    .links = dragonfly_links,
    .distance = dragonfly_distance,
    .run = dragonfly_run,
    .edge = dragonfly_edge,
    .degree = dragonfly_degree,
    .neighbour = dragonfly_neighbour,
    .axes = dragonfly_axes,
    .diameter = dragonfly_diameter,
    .degree_max = dragonfly_degree_max,
    .bisection = dragonfly_bisection,
};
