/* Coordinates, distances, links and neighbours: what a network does level by level. */
#include "network-kind.h"

const TgNetworkKindRow *const tg_network_kinds[TG_NETWORK_KINDS] = {
    [TG_TORUS] = &tg_torus,         [TG_MESH] = &tg_mesh,           [TG_RING] = &tg_ring,     [TG_LINE] = &tg_line,
    [TG_HYPERCUBE] = &tg_hypercube, [TG_FULL] = &tg_full,           [TG_SWITCH] = &tg_switch, [TG_SPINE] = &tg_spine,
    [TG_ECMP] = &tg_ecmp,           [TG_DRAGONFLY] = &tg_dragonfly,
};

const TgNetworkKindInfo *tg_network_kind_info(int kind) {
  return &tg_network_kinds[kind]->info;
}

int tg_level_axes(const TgLevel *level) {
  const TgNetworkKindRow *kind = tg_level_kind(level);
  return kind->axes ? kind->axes(level) : level->dims;
}

/* A single coordinate is the element's number: of a hypercube the extent is the dimension. */
static int32_t coordinate_extent(const TgLevel *level, int axis) {
  return tg_level_coordinates(level) == 1 ? level->nodes : level->extents[axis];
}

int tg_topology_extents(const TgTopology *topology, int32_t extents[TG_MAX_COORDINATES]) {
  int count = 0;
  for (int l = topology->levels - 1; l >= 0; l--) {
    const TgLevel *level = &topology->level[l];
    for (int axis = 0; axis < tg_level_coordinates(level); axis++) extents[count++] = coordinate_extent(level, axis);
  }
  return count;
}

int tg_topology_coordinates(const TgTopology *topology, int64_t node, int32_t coordinates[TG_MAX_COORDINATES]) {
  int count = 0;
  for (int l = 0; l < topology->levels; l++) count += tg_level_coordinates(&topology->level[l]);
  int place = count;
  int32_t rest = (int32_t)node;
  for (int l = 0; l < topology->levels; l++) {
    const TgLevel *level = &topology->level[l];
    for (int axis = tg_level_coordinates(level) - 1; axis >= 0; axis--) {
      int32_t extent = coordinate_extent(level, axis);
      coordinates[--place] = rest % extent;
      rest /= extent;
    }
  }
  return count;
}

int64_t tg_topology_node(const TgTopology *topology, const int32_t *coordinates) {
  int64_t node = 0;
  for (int l = topology->levels - 1; l >= 0; l--) {
    const TgLevel *level = &topology->level[l];
    for (int axis = 0; axis < tg_level_coordinates(level); axis++)
      node = node * coordinate_extent(level, axis) + *coordinates++;
  }
  return node;
}

int64_t tg_topology_distance(const TgTopology *topology, int64_t from, int64_t to) {
  int64_t hops = 0;
  int32_t a = (int32_t)from, b = (int32_t)to;
  for (int l = 0; a != b; l++) {
    const TgLevel *level = &topology->level[l];
    const TgNetworkKindRow *kind = tg_level_kind(level);
    if (l == topology->levels - 1) return hops + kind->distance(level, a, b);
    int32_t in_a = a % level->nodes, in_b = b % level->nodes;
    a /= level->nodes;
    b /= level->nodes;
    if (a == b) return hops + kind->distance(level, in_a, in_b);
    int32_t gateway = tg_level_gateway(level, 0);
    hops += kind->distance(level, in_a, gateway) + kind->distance(level, gateway, in_b);
  }
  return hops;
}

void tg_topology_link(const TgTopology *topology, int64_t link, TgLink *result) {
  int l = topology->levels - 1;
  while (link < topology->level[l].link_base) l--;
  const TgLevel *level = &topology->level[l];
  int32_t number = (int32_t)((link - level->link_base) / level->links);
  int32_t copy = number / level->planes, plane = number % level->planes;
  int64_t local = (link - level->link_base) % level->links;
  TgEdge edge = tg_level_kind(level)->edge(level, local / 2);
  int64_t from = tg_level_vertex(level, copy, plane, edge.from), to = tg_level_vertex(level, copy, plane, edge.to);
  bool back = local % 2;
  *result = (TgLink){(int32_t)(back ? to : from), (int32_t)(back ? from : to), l, edge.axis};
}

/* Where a vertex stands in a level: one vertex may stand in several, as a node and as a gateway. */
typedef struct Place {
  int l;
  int32_t copy, plane, element;
} Place;

static Place first_place(const TgTopology *topology, int64_t vertex) {
  int32_t nodes = topology->level[0].nodes;
  if (vertex < topology->nodes) return (Place){0, (int32_t)vertex / nodes, 0, (int32_t)vertex % nodes};
  int l = topology->levels - 1;
  while (topology->level[l].switch_base < 0 || vertex < topology->level[l].switch_base) l--;
  const TgLevel *level = &topology->level[l];
  int32_t number = (int32_t)vertex - level->switch_base, switches = number / level->planes;
  return (Place){l, switches / level->switches, number % level->planes, level->nodes + switches % level->switches};
}

/* Moves on to the next level, if the vertex is the gateway to it. */
static bool next_place(const TgTopology *topology, Place *place) {
  const TgLevel *level = &topology->level[place->l];
  if (level->switches > 0 ? place->element < level->nodes : place->element > 0) return false;
  if (++place->l == topology->levels) return false;
  if (level->switches > 0) place->plane += (place->element - level->nodes) * level->planes;
  int32_t nodes = topology->level[place->l].nodes;
  place->element = place->copy % nodes;
  place->copy /= nodes;
  return true;
}

int64_t tg_topology_degree(const TgTopology *topology, int64_t vertex) {
  Place place = first_place(topology, vertex);
  int64_t degree = 0;
  do {
    const TgLevel *level = &topology->level[place.l];
    degree += tg_level_kind(level)->degree(level, place.element);
  } while (next_place(topology, &place));
  return degree;
}

bool tg_topology_neighbour(const TgTopology *topology, int64_t vertex, int64_t index, TgHop *hop) {
  Place place = first_place(topology, vertex);
  if (index < 0) return false;
  do {
    const TgLevel *level = &topology->level[place.l];
    const TgNetworkKindRow *kind = tg_level_kind(level);
    int32_t degree = kind->degree(level, place.element);
    if (index < degree) {
      int32_t to = kind->neighbour(level, place.element, (int32_t)index, &hop->link);
      hop->link += tg_level_first_link(level, place.copy, place.plane);
      hop->vertex = tg_level_vertex(level, place.copy, place.plane, to);
      return true;
    }
    index -= degree;
  } while (next_place(topology, &place));
  return false;
}

/* --- facts of a network from those of its levels ----------------------------------------------------------------- */

/* The gateway is the only vertex a group shares with the outside. */

/* Two nodes of different groups go to the gateways, across, and down; each part can be the longest independently. */
static int64_t diameter_hops(const TgTopology *topology) {
  int64_t diameter = 0, to_gateway = 0;
  for (int l = 0; l < topology->levels; l++) {
    const TgLevel *level = &topology->level[l];
    int64_t across = tg_level_kind(level)->diameter(level);
    if (level->nodes > 1 && 2 * to_gateway + across > diameter) diameter = 2 * to_gateway + across;
    to_gateway += level->switches > 0 ? 1 : across;
  }
  return diameter;
}

/* The most cables at one element of level l, counting levels l and above, in one plane. */
static int64_t degree_max(const TgTopology *topology, int l) {
  if (l >= topology->levels || l >= TG_MAX_LEVELS) return 0;
  const TgLevel *level = &topology->level[l];
  const TgNetworkKindRow *kind = tg_level_kind(level);
  int64_t inside = kind->degree_max(level);
  if (kind->has_switch) return inside;
  int64_t gateway = kind->degree(level, 0) + degree_max(topology, l + 1);
  return gateway > inside ? gateway : inside;
}

/* The cables that part of a group costs at least when it is cut off from its gateway: for a switch all of them, one per
 * element; otherwise the edge connectivity, which in all kinds is the least degree, that of element 0. */
static int64_t splitting_cost(const TgLevel *level) {
  const TgNetworkKindRow *kind = tg_level_kind(level);
  return kind->has_switch ? level->nodes : kind->degree(level, 0);
}

/* Bisection width of levels l and above, counting elements of level l as nodes. With an even number G of groups of n
 * elements, putting G/2 + j gateways on one side instead of G/2 changes the outer cut by at most j times the cables of
 * a group there, and then j * n elements must change sides. Behind a switch that costs a cable each; in another kind
 * more than j groups have to be split. If neither can save anything the outer bisection is exact. Each plane is such a
 * network by itself, with cables to the elements that no other plane has, so that the widths of all planes add up. */
static int64_t bisection(const TgTopology *topology, int l) {
  const TgLevel *level = &topology->level[l];
  if (level->copies == 1 || l + 1 >= TG_MAX_LEVELS) {
    int64_t one = tg_level_kind(level)->bisection(level);
    return one < 0 ? -1 : one * level->planes;
  }
  int64_t outer = bisection(topology, l + 1);
  if (level->nodes == 1 && level->switches == 0) return outer;
  bool movable = level->copies % 2 == 0 && splitting_cost(level) >= degree_max(topology, l + 1);
  return movable ? outer : -1;
}

void tg_topology_facts(const TgTopology *topology, TgTopologyFacts *facts) {
  *facts = (TgTopologyFacts){
      .nodes = topology->nodes,
      .switches = topology->vertices - topology->nodes,
      .links = topology->links,
      .cables = topology->links / 2,
      .diameter_hops = diameter_hops(topology),
      .degree_max = degree_max(topology, 0),
      .bisection_links = bisection(topology, 0),
  };
}
