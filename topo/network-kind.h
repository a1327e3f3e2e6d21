/** @file network-kind.h
 * One row a kind of network. Private to topo/: adding a kind is one file of these functions, a name in TgNetworkKind
 * and a row in topology.c.
 *
 * All functions see one copy of one level in one plane. Its elements are 0..nodes-1; element nodes + s is switch s, for
 * kinds that have switches. Links are local, 0..links-1, in pairs: 2i from the `from` of edge i to its `to`, 2i+1 back.
 */
#ifndef TG_NETWORK_KIND_H
#define TG_NETWORK_KIND_H

#include "topology.h"

/** An undirected edge of a level. */
typedef struct TgEdge {
  int32_t from, to, axis;
} TgEdge;

typedef struct TgNetworkKindRow {
  TgNetworkKindInfo info;
  bool has_switch;   /**< as many as the second extent, which is 1 where it is not given */
  bool is_hashed;    /**< which of them a route takes depends on tg_route_hash(), not on the destination */
  bool is_outermost; /**< no level may be around it */
  int64_t (*nodes)(const TgLevel *level); /**< from dims and extents; more than TG_MAX_PROCESSORS if it overflows */
  int64_t (*links)(const TgLevel *level);
  int32_t (*distance)(const TgLevel *level, int32_t from, int32_t to);
  void (*run)(const TgLevel *level, int32_t at, int32_t to, TgRun *run); /**< at != to */
  void (*sum_lines)(const TgLevel *level, int64_t *by_link);             /**< NULL where all lines have one edge */
  TgEdge (*edge)(const TgLevel *level, int64_t edge);
  int32_t (*degree)(const TgLevel *level, int32_t at);
  /** The index-th neighbour, index < degree; `link` gets the link to it. */
  int32_t (*neighbour)(const TgLevel *level, int32_t at, int32_t index, int64_t *link);
  int32_t (*axes)(const TgLevel *level); /**< see tg_level_axes(); NULL: one for each extent */
  int32_t (*diameter)(const TgLevel *level);
  int32_t (*degree_max)(
      const TgLevel *level);                  /**< over the elements; element 0 has the fewest, if not outermost only */
  int64_t (*bisection)(const TgLevel *level); /**< -1 where not known */
} TgNetworkKindRow;

/* The rows, each defined in the file of its functions: grid.c, hypercube.c, full.c, switch.c, dragonfly.c. */
extern const TgNetworkKindRow tg_torus, tg_mesh, tg_ring, tg_line, tg_hypercube, tg_full, tg_switch, tg_spine, tg_ecmp,
    tg_dragonfly;

extern const TgNetworkKindRow *const tg_network_kinds[TG_NETWORK_KINDS];

static inline const TgNetworkKindRow *tg_level_kind(const TgLevel *level) {
  return tg_network_kinds[level->kind];
}

/** How many coordinates of a node are of this level. */
static inline int tg_level_coordinates(const TgLevel *level) {
  return tg_level_kind(level)->info.is_grid ? level->dims : 1;
}

/** The element where a copy meets the next level, in the planes of its switch `port`. */
static inline int32_t tg_level_gateway(const TgLevel *level, int32_t port) {
  return level->switches > 0 ? level->nodes + port : 0;
}

/** The vertex of an element of a copy in a plane. */
static inline int64_t tg_level_vertex(const TgLevel *level, int32_t copy, int32_t plane, int32_t element) {
  const int64_t switches = (int64_t)copy * level->switches + element - level->nodes;
  if (element >= level->nodes) return level->switch_base + switches * level->planes + plane;
  return level->vertex_base + ((int64_t)copy * level->nodes + element) * level->vertex_scale + plane;
}

/** The first link of a copy in a plane. */
static inline int64_t tg_level_first_link(const TgLevel *level, int32_t copy, int32_t plane) {
  return level->link_base + ((int64_t)copy * level->planes + plane) * level->links;
}

/* Between each two of n, from 0 on: the links, and the ends of an edge; in full.c. */
int64_t tg_full_link(int32_t n, int32_t from, int32_t to);
TgEdge tg_full_edge(int32_t n, int64_t edge);

/** A run of a single hop. */
static inline void tg_run_hop(TgRun *run, int32_t at, int32_t to, int64_t link) {
  *run = (TgRun){.hops = 1,
                 .forward = 1,
                 .extent = 2,
                 .edges = 1,
                 .end = to,
                 .vertex = at,
                 .vertex_stride = to - at,
                 .link = link};
}

#endif
