/** @file network-kind.h
 * One row a kind of network. Private to topo/: adding a kind is one file of these functions, a name in TgNetworkKind
 * and a row in topology.c.
 *
 * All functions see one copy of one level. Its elements are 0..nodes-1; `nodes` itself means the switch of a kind that
 * has one. Links are local, 0..links-1, in pairs: 2i from the `from` of edge i to its `to`, 2i+1 back. */
#ifndef TG_NETWORK_KIND_H
#define TG_NETWORK_KIND_H

#include "topology.h"

/** An undirected edge of a level. */
typedef struct TgEdge {
  int32_t from, to, axis;
} TgEdge;

typedef struct TgNetworkKindRow {
  TgNetworkKindInfo info;
  bool has_switch;
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
  int32_t (*degree_max)(const TgLevel *level); /**< over the elements; element 0 always has the fewest */
  int64_t (*bisection)(const TgLevel *level);  /**< -1 where not known */
} TgNetworkKindRow;

/* The rows, each defined in the file of its functions: grid.c, hypercube.c, full.c, switch.c. */
extern const TgNetworkKindRow tg_torus, tg_mesh, tg_ring, tg_line, tg_hypercube, tg_full, tg_switch;

extern const TgNetworkKindRow *const tg_network_kinds[TG_NETWORK_KINDS];

static inline const TgNetworkKindRow *tg_level_kind(const TgLevel *level) {
  return tg_network_kinds[level->kind];
}

/** The element where a copy meets the next level. */
static inline int32_t tg_level_gateway(const TgLevel *level) {
  return level->switch_base >= 0 ? level->nodes : 0;
}

/** The vertex of an element of a copy. */
static inline int64_t tg_level_vertex(const TgLevel *level, int32_t copy, int32_t element) {
  if (element == level->nodes) return (int64_t)level->switch_base + copy;
  return level->vertex_base + ((int64_t)copy * level->nodes + element) * level->vertex_scale;
}

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
