#include "topology-layout.h"

#include "network-kind.h"

/* Without padding two equal networks are equal bytes. */
_Static_assert(sizeof(TgLevel) == 64 && sizeof(TgTopology) == 24 + TG_MAX_LEVELS * sizeof(TgLevel), "padding");

/* Switches take the vertices after the nodes, and links their numbers, innermost level first. How many copies
 * of a level there are changes as levels are put around it, so this runs anew with each. */
static void number_vertices_and_links(TgTopology *topology) {
  int32_t copies = topology->nodes, base = 0, scale = 1;
  topology->vertices = topology->nodes;
  topology->links = 0;
  for (int l = 0; l < topology->levels; l++) {
    TgLevel *level = &topology->level[l];
    copies /= level->nodes;
    level->copies = copies;
    level->vertex_base = base;
    level->vertex_scale = scale;
    level->link_base = topology->links;
    topology->links += level->links * copies;
    if (tg_level_kind(level)->has_switch) {
      level->switch_base = base = topology->vertices;
      scale = 1;
      topology->vertices += copies;
    } else {
      level->switch_base = -1;
      scale *= level->nodes;
    }
  }
}

bool tg_topology_add_level(TgTopology *topology, const TgLevel *level) {
  const TgNetworkKindRow *kind = tg_level_kind(level);
  int64_t span = topology->levels ? topology->nodes : 1, nodes = kind->nodes(level);
  if (nodes > TG_MAX_PROCESSORS || nodes * span > TG_MAX_PROCESSORS) return false;
  TgLevel *added = &topology->level[topology->levels++];
  *added = *level;
  added->nodes = (int32_t)nodes;
  added->span = (int32_t)span;
  added->links = kind->links(added);
  topology->nodes = (int32_t)(nodes * span);
  number_vertices_and_links(topology);
  return true;
}
