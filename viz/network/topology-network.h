/** @file topology-network.h
 * A network that is being drawn. Private to viz/. */
#ifndef TG_TOPOLOGY_NETWORK_H
#define TG_TOPOLOGY_NETWORK_H

#include "topology-figure.h"

enum { TG_NODE_HEIGHT = 26, TG_NODE_LABEL = 11 };

typedef struct TgNetwork {
  const TgTopology *topology;
  TgFigure figure[TG_MAX_LEVELS];
  TgPoint *at;                   /* of all vertices, in the scene */
  TgPoint *group[TG_MAX_LEVELS]; /* centres of the elements of each level above the first, over all copies */
  double node_width, node_height;
  bool labelled;
  TgScene *scene;
} TgNetwork;

/** The picture of a network of at most TG_TOPOLOGY_PICTURE_NODES nodes. Free with tg_scene_free(). */
TgScene *tg_topology_scene(const TgTopology *topology);

/** Sets the size of a node from the network, and whether it has its label. */
void tg_network_find_node_size(TgNetwork *network);
/** Draws nodes, switches, groups and cables; `corner` is the upper left one. */
void tg_network_draw(TgNetwork *network, TgPoint corner);

#endif
