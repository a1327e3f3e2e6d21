/** @file topology-layout.h
 * Private to topo/: fills what follows from kinds and extents. */
#ifndef TG_TOPOLOGY_LAYOUT_H
#define TG_TOPOLOGY_LAYOUT_H

#include "topology.h"

/** Appends a level outside the present ones; its `kind`, `dims` and `extents` are set and checked, one by one. Returns
 * false, leaving the topology as it was, where that would make more than TG_MAX_PROCESSORS nodes. */
bool tg_topology_add_level(TgTopology *topology, const TgLevel *level);

#endif
