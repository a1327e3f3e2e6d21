/** @file cube-place.h
 * Places of a hypercube's nodes on the page: three bits span an oblique cube, the next three place cubes, and so on.
 * Private to viz/. */
#ifndef TG_CUBE_PLACE_H
#define TG_CUBE_PLACE_H

#include "scene.h"

enum { TG_CUBE_MOST = 24 };

typedef struct TgCubePlace {
  int dimension;
  TgPoint way[TG_CUBE_MOST]; /**< where each bit leads */
  TgPoint first;             /**< place of node 0 */
  double width, height;
} TgCubePlace;

/** `dimension` 0 … TG_CUBE_MOST; nodes are drawn as boxes of this size. */
void tg_cube_place(TgCubePlace *cube, int dimension, double node_width, double node_height);
/** Centre of a node. */
TgPoint tg_cube_at(const TgCubePlace *cube, int node);

#endif
