/* Facts of a network from those of its levels. The gateway is the only vertex a group shares with the outside. */
#include "network-kind.h"

/* Two nodes of different groups go to the gateways, across, and down; each part can be the longest independently. */
static int64_t diameter_hops(const TgTopology *topology) {
  int64_t diameter = 0, to_gateway = 0;
  for (int l = 0; l < topology->levels; l++) {
    const TgLevel *level = &topology->level[l];
    int64_t across = tg_level_kind(level)->diameter(level);
    if (level->nodes > 1 && 2 * to_gateway + across > diameter) diameter = 2 * to_gateway + across;
    to_gateway += level->switch_base >= 0 ? 1 : across;
  }
  return diameter;
}

/* The most cables at one element of level l, counting levels l and above. */
static int64_t degree_max(const TgTopology *topology, int l) {
  if (l >= topology->levels || l >= TG_MAX_LEVELS) return 0;
  const TgLevel *level = &topology->level[l];
  const TgNetworkKindRow *kind = tg_level_kind(level);
  int64_t inside = kind->degree_max(level);
  if (kind->has_switch) return inside;
  int64_t gateway = kind->degree(level, 0) + degree_max(topology, l + 1);
  return gateway > inside ? gateway : inside;
}

/* The cables that part of a group costs at least when it is cut off from its gateway, per element for a switch and per
 * cut otherwise: the edge connectivity, which in all kinds is the least degree, that of element 0. */
static int64_t splitting_cost(const TgLevel *level) {
  const TgNetworkKindRow *kind = tg_level_kind(level);
  return kind->has_switch ? level->nodes : kind->degree(level, 0);
}

/* Bisection width of levels l and above, counting elements of level l as nodes. With an even number G of groups of n
 * elements, putting G/2 + j gateways on one side instead of G/2 changes the outer cut by at most j times the cables of
 * a group there, and then j * n elements must change sides. Behind a switch that costs a cable each; in another kind
 * more than j groups have to be split. If neither can save anything the outer bisection is exact. */
static int64_t bisection(const TgTopology *topology, int l) {
  const TgLevel *level = &topology->level[l];
  if (level->copies == 1 || l + 1 >= TG_MAX_LEVELS) return tg_level_kind(level)->bisection(level);
  int64_t outer = bisection(topology, l + 1);
  if (level->nodes == 1 && level->switch_base < 0) return outer;
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
