/** @file topology-figure.h
 * Places of the elements of one level of a network, seen from the upper left corner of one of its copies. Private to
 * viz/. */
#ifndef TG_TOPOLOGY_FIGURE_H
#define TG_TOPOLOGY_FIGURE_H

#include "scene.h"
#include "topology.h"

typedef struct TgFigure {
  const TgLevel *level;
  TgPoint *at;          /**< centres of the elements: nodes, or groups of the level below */
  TgPoint hub;          /**< centre of the switch where the kind has one … */
  int32_t columns;      /**< … which stands above rows of so many elements; … */
  int32_t rows;         /**< … how many rows these are, … */
  double lane;          /**< and how far apart cables go down between elements; 0: they do not */
  double width, height; /**< points */
  bool stubs;           /**< links round the edge are drawn as stubs */
} TgFigure;

/** `width` × `height` is the size of an element. Free with tg_figure_clear(). */
void tg_figure_init(TgFigure *figure, const TgLevel *level, double width, double height);
void tg_figure_clear(TgFigure *figure);

#endif
