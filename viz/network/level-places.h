/** @file level-places.h
 * Where the elements of one level of a network stand on the page: nodes, or groups of the level below. Private to viz/.
 * All lengths are in points. */
#ifndef TG_LEVEL_PLACES_H
#define TG_LEVEL_PLACES_H

#include "scene.h"
#include "topology.h"

enum { TG_SWITCH_WIDTH = 52, TG_SWITCH_HEIGHT = 22 };

typedef struct TgLevelPlaces {
  const TgLevel *level;
  TgPoint *at;     /**< centres of the elements */
  TgPoint hub;     /**< centre of the switches where the kind has some … */
  int32_t hubs;    /**< … how many stand in a row there … */
  int32_t columns; /**< … above rows of so many elements; … */
  int32_t rows;    /**< … how many rows these are, … */
  double lane;     /**< and how far apart cables go down between elements; 0: they do not */
  double width, height;
  bool stubs; /**< links round the edge are drawn as stubs */
} TgLevelPlaces;

/** Places elements of `width` × `height`. */
void tg_level_places_init(TgLevelPlaces *places, const TgLevel *level, double width, double height);
void tg_level_places_clear(TgLevelPlaces *places);

#endif
