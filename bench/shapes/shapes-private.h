/** @file shapes-private.h
 * Inside of tg_shapes_sweep(). */
#ifndef TG_SHAPES_PRIVATE_H
#define TG_SHAPES_PRIVATE_H

#include "product-error.h"
#include "shapes.h"

#include "matrix.h"

/** A schedule on a grid of an executor. */
typedef struct TgShapesCase {
  size_t place;
  const char *schedule_name;
  TgSchedule schedule;
  TgScheduleNames names;
  char grid[TG_SHAPES_GRID_BYTES];
  int32_t variants;
  uint64_t tried[TG_TRANSPORTS]; /**< bit variant */
  double best_s;
  TgTransport best_transport;
} TgShapesCase;

/** A size under way. */
typedef struct TgSweep {
  TgShapes *shapes;
  const TgShapesPlan *plan;
  TgMatrix *a, *b, *c;
  TgProductAction *action;
  GPtrArray *cases; /**< TgShapesCase */
  double *best_s;   /**< of each executor, the fastest right one so far */
  double end_s;
  int64_t done, total;
} TgSweep;

/** Finds the cases of the plan: sweep->cases. */
void tg_shapes_find_cases(TgSweep *sweep);

#endif
