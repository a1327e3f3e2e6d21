/* Coordinates, distances, links and neighbours: what a network does level by level. */
#include "network-kind.h"

/* A kind of one axis has one coordinate, the element's number: of a hypercube its extent is the dimension. */
static int32_t coordinate_extent(const TgLevel *level, int axis) {
  return level->dims == 1 ? level->nodes : level->extents[axis];
}

int tg_topology_extents(const TgTopology *topology, int32_t extents[TG_MAX_COORDINATES]) {
  int count = 0;
  for (int l = topology->levels - 1; l >= 0; l--) {
    const TgLevel *level = &topology->level[l];
    for (int axis = 0; axis < level->dims; axis++) extents[count++] = coordinate_extent(level, axis);
  }
  return count;
}

int tg_topology_coordinates(const TgTopology *topology, int64_t node, int32_t coordinates[TG_MAX_COORDINATES]) {
  int count = 0;
  for (int l = 0; l < topology->levels; l++) count += topology->level[l].dims;
  int place = count;
  int32_t rest = (int32_t)node;
  for (int l = 0; l < topology->levels; l++) {
    const TgLevel *level = &topology->level[l];
    for (int axis = level->dims - 1; axis >= 0; axis--) {
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
    for (int axis = 0; axis < level->dims; axis++) node = node * coordinate_extent(level, axis) + *coordinates++;
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
    int32_t gateway = tg_level_gateway(level);
    hops += kind->distance(level, in_a, gateway) + kind->distance(level, gateway, in_b);
  }
  return hops;
}

void tg_topology_link(const TgTopology *topology, int64_t link, TgLink *result) {
  int l = topology->levels - 1;
  while (link < topology->level[l].link_base) l--;
  const TgLevel *level = &topology->level[l];
  int32_t copy = (int32_t)((link - level->link_base) / level->links);
  int64_t local = (link - level->link_base) % level->links;
  TgEdge edge = tg_level_kind(level)->edge(level, local / 2);
  int64_t from = tg_level_vertex(level, copy, edge.from), to = tg_level_vertex(level, copy, edge.to);
  bool back = local % 2;
  *result = (TgLink){(int32_t)(back ? to : from), (int32_t)(back ? from : to), l, edge.axis};
}

/* Where a vertex stands in a level: one vertex may stand in several, as a node and as a gateway. */
typedef struct Place {
  int l;
  int32_t copy, element;
} Place;

static Place first_place(const TgTopology *topology, int64_t vertex) {
  int32_t nodes = topology->level[0].nodes;
  if (vertex < topology->nodes) return (Place){0, (int32_t)vertex / nodes, (int32_t)vertex % nodes};
  int l = topology->levels - 1;
  while (topology->level[l].switch_base < 0 || vertex < topology->level[l].switch_base) l--;
  const TgLevel *level = &topology->level[l];
  return (Place){l, (int32_t)vertex - level->switch_base, level->nodes};
}

/* Moves on to the next level, if the vertex is the gateway to it. */
static bool next_place(const TgTopology *topology, Place *place) {
  if (place->element != tg_level_gateway(&topology->level[place->l])) return false;
  if (++place->l == topology->levels) return false;
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
      hop->link += level->link_base + place.copy * level->links;
      hop->vertex = tg_level_vertex(level, place.copy, to);
      return true;
    }
    index -= degree;
  } while (next_place(topology, &place));
  return false;
}
