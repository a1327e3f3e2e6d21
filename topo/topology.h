/** @file topology.h
 * Networks of processors: where nodes are, which links there are, and how a message goes.
 *
 * A network is one to three levels, innermost first. `switch:4*torus:2x4` puts four nodes on each of eight switches
 * and the switches on a torus. Its vertices are the nodes 0..nodes-1 and, after them, the switches. Node numbers are
 * row-major in the coordinates, outermost level first, so that node = outer * inner_nodes + inner.
 *
 * A group of an inner level is represented in the next level by its *gateway*: the switch itself where the inner level
 * is a switch (by each of them where it has several), otherwise its node 0. A message between groups goes to its
 * gateway, across the outer level from gateway to gateway, and down. A single gateway is the only vertex that a group
 * shares with the outside, so these routes are shortest.
 *
 * Fat trees: a level may have several switches, each with a cable to every element (`spine:8x2`: eight elements, two
 * switches). Each of these switches is a gateway, and the levels outside exist once for each gateway, in *planes* that
 * share no vertex. In `switch:4*spine:8x2*spine:2x3` a message goes up to one of the two switches of its group, then to
 * one of the three switches that join it to its counterpart in the other group. This is the extended generalized fat
 * tree XGFT(3; 4, 8, 2; 1, 2, 3) of Öhring, Ibel, Das and Kumar (IPPS 1995).
 *
 * Links are directed and numbered 0..links-1: levels innermost first; in a level, copy by copy and plane by plane; in a
 * copy of a torus or mesh, the last axis first. Links 2i and 2i+1 are the two directions of one cable. An axis of two
 * nodes has one cable, also in a torus; an axis of one node has none.
 *
 * All functions that take a node, a vertex or a link expect one that exists; none allocates. */
#ifndef TG_TOPOLOGY_H
#define TG_TOPOLOGY_H

#include "base.h"

TG_BEGIN_DECLS

enum {
  TG_MAX_LEVELS = 3,                                /**< levels of a composition */
  TG_MAX_COORDINATES = TG_MAX_LEVELS * TG_MAX_DIMS, /**< coordinates of a node, all levels together */
  TG_TOPOLOGY_TEXT_BYTES = 160                      /**< holds the text of any network, with its terminating 0 */
};

/** The kinds of network a level can be; also the row of tg_network_kind_info(). */
typedef enum TgNetworkKind {
  TG_TORUS,
  TG_MESH,
  TG_RING,
  TG_LINE,
  TG_HYPERCUBE,
  TG_FULL,
  TG_SWITCH,
  TG_SPINE,
  TG_ECMP,
  TG_DRAGONFLY,
  TG_NETWORK_KINDS /**< how many there are */
} TgNetworkKind;

/** A kind in words, for lists and messages. */
typedef struct TgNetworkKindInfo {
  const char *name;    /**< as in the text of a network */
  const char *example; /**< a whole network of this kind */
  const char *summary; /**< what it joins and how it routes, one line */
  int32_t min_dims;    /**< extents it must have */
  int32_t max_dims;    /**< extents it may have */
  const char *sizes;   /**< "power of two" where nodes are such a number; NULL: any number */
  bool is_grid;        /**< its extents are coordinates, as many as of a grid */
} TgNetworkKindInfo;

/** One level. A level other than the outermost exists in several copies, and each copy exists once per plane, that is,
 * per gateway of its elements; `nodes`, `switches` and `links` are of one copy in one plane. */
typedef struct TgLevel {
  int32_t kind;                 /**< a TgNetworkKind */
  int32_t dims;                 /**< extents given, 1..TG_MAX_DIMS */
  int32_t extents[TG_MAX_DIMS]; /**< as in the text: of a hypercube its dimension; unused ones are 1 */
  int32_t nodes;                /**< elements that one copy joins: nodes, or groups of the level below */
  int32_t copies;               /**< how many copies there are */
  int32_t span;                 /**< nodes below one element; 1 at level 0 */
  int32_t planes;               /**< how often a copy exists: the product of the `switches` inside */
  int32_t switches;             /**< of one copy in one plane; 0 where the kind has none */
  int32_t vertex_base;          /**< element e, counted over all copies, is in plane p at ... */
  int32_t vertex_scale;         /**< ... vertex_base + e * vertex_scale + p */
  int32_t switch_base;          /**< switch s of copy c is in plane p at switch_base + (c * switches + s) * planes + p;
                                   -1 where there is none */
  int64_t links;                /**< directed links of one copy */
  int64_t link_base;            /**< the first link of copy 0 */
} TgLevel;

/** A network. Plain bytes without pointers: may be copied to a device or sent in a message. */
typedef struct TgTopology {
  int32_t levels;               /**< 1..TG_MAX_LEVELS */
  int32_t nodes;                /**< nodes 0..nodes-1 */
  int32_t vertices;             /**< nodes and switches */
  int64_t links;                /**< directed links 0..links-1 */
  TgLevel level[TG_MAX_LEVELS]; /**< innermost first */
} TgTopology;

/** A directed link. */
typedef struct TgLink {
  int32_t from;  /**< vertex */
  int32_t to;    /**< vertex */
  int32_t level; /**< 0 is the innermost */
  int32_t axis;  /**< of a torus or mesh the coordinate that changes, of a hypercube the bit, of a dragonfly 0 in a
                    group and 1 between groups; otherwise 0 */
} TgLink;

/** One hop of a message. */
typedef struct TgHop {
  int64_t link;
  int64_t vertex; /**< where it leads */
} TgHop;

/** What there is to know of a network. Counts are of nodes and of links as numbered above. */
typedef struct TgTopologyFacts {
  int64_t nodes;
  int64_t switches;
  int64_t links;           /**< directed */
  int64_t cables;          /**< undirected: a cable is a link and its reverse, so links / 2 */
  int64_t diameter_hops;   /**< the largest distance between two nodes */
  int64_t degree_max;      /**< the most cables at one node */
  int64_t bisection_links; /**< see tg_topology_facts(); -1 where it is not known */
} TgTopologyFacts;

/** A stretch of a route along one axis. Private to the iterator below. */
typedef struct TgRun {
  int32_t hops, forward;         /**< hops still to go; 1 toward increasing coordinate */
  int32_t at, extent;            /**< coordinate on the axis, and how many there are */
  int32_t axis, edges;           /**< as in TgLink; edges of the line */
  int32_t end;                   /**< the element of the level where the stretch ends */
  int64_t vertex, vertex_stride; /**< coordinate x is at vertex + x * vertex_stride */
  int64_t link, link_stride;     /**< the link between x and x + 1 is link + x * link_stride */
} TgRun;

/** A route under way. Set by tg_route_begin(), advanced by tg_route_next(); needs no release. */
typedef struct TgRoute {
  const TgTopology *topology;
  int32_t from, to;                       /**< nodes */
  int32_t top;                            /**< the level where both ends are in one copy */
  int32_t leg;                            /**< 0..2*top: up to the gateway of each level, across, down from each */
  int32_t level, copy, plane, at, target; /**< of the leg; at and target are elements of the copy */
  TgRun run;
} TgRoute;

/** Several hops of a route at once, straight along one line of one axis. The line's links in the direction of travel
 * are line + x * stride, x = 0..places-1; the stretch uses `hops` of them, from x = low on, around from places-1 to 0.
 */
typedef struct TgStretch {
  int64_t line, stride;
  int32_t low, hops, places;
  int32_t level, axis; /**< as in TgLink */
} TgStretch;

/** Reads a network such as `torus:4x4`, `hypercube:6` or `switch:4*torus:2x4`.
 * @param error its column points into `text`. */
bool tg_topology_parse(TgTopology *topology, const char *text, TgError *error);

/** A network of one level, for example the torus of a grid's extents.
 * @param extents `dims` of them, each at least 1; of a hypercube its dimension. */
bool tg_topology_init(TgTopology *topology, TgNetworkKind kind, int dims, const int32_t *extents, TgError *error);

/** The network of `kind` for a grid: of the grid's extents where the kind has several, otherwise the least with at
 * least a node for each processor. */
bool tg_topology_of_kind(TgTopology *topology, TgNetworkKind kind, int dims, const int32_t *extents, TgError *error);

/** The network of a grid for which none is named: a ring of its one extent, else the torus of its extents. */
bool tg_topology_of_grid(TgTopology *topology, int dims, const int32_t *extents, TgError *error);

/** What `--network` names: a whole network, a kind alone (the network of that kind with a node for each processor of
 * the grid; for one processor the smallest of that kind), or NULL (tg_topology_of_grid()). Errors: as
 * tg_topology_parse(); no network of that kind has that many nodes. */
bool tg_topology_for_grid(TgTopology *topology, const char *text, int dims, const int32_t *extents, TgError *error);

/** Writes the text that tg_topology_parse() reads back to the same network. Like snprintf: returns the length without
 * the terminating 0, however much fits into `bytes`. */
int tg_topology_format(const TgTopology *topology, char *text, size_t bytes);

/** The kind in words; `kind` in 0..TG_NETWORK_KINDS-1. */
const TgNetworkKindInfo *tg_network_kind_info(int kind);

/** The kind called `name`; false where there is none. */
bool tg_network_kind_parse(const char *name, TgNetworkKind *kind);

/** In a dragonfly of at least two groups: which router of a group, from 0 on, has the cable to another group. */
int32_t tg_dragonfly_router(const TgLevel *level, int32_t group, int32_t other);

/** Axes of the links of a level: those of TgLink are 0..axes-1. */
int tg_level_axes(const TgLevel *level);

/** Extents of the coordinates below, outermost level first. Returns how many there are. */
int tg_topology_extents(const TgTopology *topology, int32_t extents[TG_MAX_COORDINATES]);

/** Coordinates of a node, outermost level first, the last one fastest. What is no torus or mesh has one: the number of
 * the node in it (of a hypercube its label, whose bit b is the coordinate on axis b). Returns how many
 * there are. */
int tg_topology_coordinates(const TgTopology *topology, int64_t node, int32_t coordinates[TG_MAX_COORDINATES]);

/** The node at these coordinates, each in 0..extent-1. */
int64_t tg_topology_node(const TgTopology *topology, const int32_t *coordinates);

/** Hops between two nodes: the length of the route, in closed form. */
int64_t tg_topology_distance(const TgTopology *topology, int64_t from, int64_t to);

/** Describes a link; `link` in 0..links-1. */
void tg_topology_link(const TgTopology *topology, int64_t link, TgLink *result);

/** Number of links that leave a vertex (node or switch); as many arrive. */
int64_t tg_topology_degree(const TgTopology *topology, int64_t vertex);

/** The index-th link that leaves a vertex, and where it leads: inner levels first, in a level the last axis first, on
 * an axis the increasing direction first. Returns false where `index` is not in 0..degree-1. */
bool tg_topology_neighbour(const TgTopology *topology, int64_t vertex, int64_t index, TgHop *hop);

/** Starts the route between two nodes. Dimension-ordered, the last coordinate first, the shortest way round, ties
 * toward increasing coordinate; on a hypercube the lowest bit first (e-cube: Sullivan and Bashkow, ISCA 1977).
 * On `switch` it is two hops: to the switch and from it.
 *
 * Where there are several switches, a number selects them: its digits, innermost level first, in the mixed radix of the
 * levels' `switches`. On `spine` the number is the destination (D-mod-K: Zahavi, 2010; so does SimGrid's fat tree). On
 * `ecmp` it is tg_route_hash(), like a router that spreads flows over paths of equal cost regardless of load.
 *
 * On `dragonfly` it is minimal in the sense of Kim, Dally, Scott and Abts (ISCA 2008): at most one cable within the
 * group, the one to the other group, and one within that. */
void tg_route_begin(TgRoute *route, const TgTopology *topology, int64_t from, int64_t to);

/** The hash that `ecmp` routes by: the upper 31 bits of from * 2^32 + to after the 64-bit finalizer of MurmurHash3
 * (Appleby). */
int32_t tg_route_hash(int32_t from, int32_t to);

/** The next hop, or false at the end. */
bool tg_route_next(TgRoute *route, TgHop *hop);

/** The hops that are left of the current stretch, or the whole next one, or false at the end: a few turns describe any
 * number of hops. May be mixed with tg_route_next(). */
bool tg_route_next_stretch(TgRoute *route, TgStretch *stretch);

/** Sums along each line of the network, in each direction: by_link[line + x * stride] += by_link[line + (x-1) * stride]
 * for x = 1..places-1. So a load that a stretch puts on its links can be noted at its two ends, +load at x = low and
 * -load at x = low + hops, and be spread later, for all stretches together, in one pass over the links. */
void tg_topology_sum_lines(const TgTopology *topology, int64_t *by_link);
/** Notes `amount` on all links of a stretch by its two ends, for tg_topology_sum_lines(). */
void tg_stretch_note_ends(const TgStretch *stretch, int64_t amount, int64_t *by_link);

/** The facts of a network.
 *
 * Bisection width: the fewest cables (undirected links) whose removal leaves floor(nodes/2) and ceil(nodes/2) nodes
 * apart; switches may be on either side. Double it for directed links, halve for one direction.
 * - mesh and line: sort extents k1 >= k2 >= ...; with a the first i whose k_i is even, or the last i if none is, it is
 *   the sum for i = 1..a of the product of the k_j after k_i (so nodes/k1 if k1 is even);
 * - torus and ring: twice that, if no axis has extent 2 (Arjona Aroca and Fernandez Anta, IEEE TPDS 25, 2014,
 *   arXiv:1202.6291; Leighton 1992). With an axis of 2: twice nodes/k with k = max(k1, 4) if that is even (a ring of
 *   four is as wide as two axes of two, and the all-pairs traffic bound 2 nodes / k is met), otherwise unknown (-1);
 * - hypercube: nodes / 2; full: floor(nodes/2) * ceil(nodes/2); switch: floor(nodes/2), the cables of the smaller half;
 *   spine and ecmp: switches * floor(nodes/2); dragonfly: unknown (-1), unless it has one group, or one router a
 *   group, and so is a full network;
 * - compositions: that of the outer level in all its planes, if the number of groups is even and no group is cheaper to
 * split than to move (the cables of a group's switch, or its edge connectivity, are no fewer than the cables of the
 * group in the outer levels); otherwise unknown (-1). */
void tg_topology_facts(const TgTopology *topology, TgTopologyFacts *facts);

TG_END_DECLS

#endif
