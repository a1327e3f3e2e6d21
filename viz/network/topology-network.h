/** @file topology-network.h
 * The picture of a network as a scene, for tests. Private to viz/. */
#ifndef TG_TOPOLOGY_NETWORK_H
#define TG_TOPOLOGY_NETWORK_H

#include "scene.h"
#include "topology.h"

/** The picture of a network of at most TG_TOPOLOGY_PICTURE_NODES nodes. Free with tg_scene_free(). */
TgScene *tg_topology_scene(const TgTopology *topology);

#endif
