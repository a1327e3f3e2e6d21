/** @file heat-map.h
 * Grids too large for cells: a coloured tile for every processor, or for the busiest of several. Private to viz/. */
#ifndef TG_HEAT_MAP_H
#define TG_HEAT_MAP_H

#include "draw.h"
#include "frame.h"
#include "scene.h"

typedef struct TgHeatMap {
  const TgFrame *frame;
  TgHeat heat;   /**< never TG_HEAT_AUTO */
  double *value; /**< per processor */
  double most;
  int64_t rows, columns; /**< of processors, in one panel */
  int64_t panels, panel_columns;
  int64_t tile; /**< a tile shows tile × tile processors */
  int64_t tile_rows, tile_columns;
  double side; /**< of a tile, points */
  double panel_width, panel_height, width, height;
} TgHeatMap;

/** What a processor's tile shows; not of TG_HEAT_AUTO. */
double tg_heat_value(const TgFrame *frame, TgHeat heat, int64_t processor);

/** Free with tg_heat_map_clear(). */
void tg_heat_map_init(TgHeatMap *map, const TgFrame *frame, TgHeat heat);
void tg_heat_map_clear(TgHeatMap *map);
void tg_heat_map_draw(const TgHeatMap *map, TgScene *scene, TgPoint origin);

#endif
