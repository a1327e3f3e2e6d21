/** @file slice-lanes.h
 * Private to sim/: the nodes that run while others stand aside (slice.h), numbered in their order, and lanes of theirs
 * alone: for models that go over all nodes at every phase. */
#ifndef TG_SLICE_LANES_H
#define TG_SLICE_LANES_H

#include "lane.h"
#include "slice.h"

typedef struct TgSliceLanes {
  const TgSchedule *schedule;
  TgSlices slices;
  int32_t cut;       /**< statement at which further nodes come in; INT32_MAX: none */
  int64_t all;       /**< nodes of the network */
  int64_t nodes;     /**< that run now */
  int32_t *number;   /**< by node: its number among them, -1 none; NULL: all run */
  GHashTable *lanes; /**< TgLane, all of them kept -> TgLane of those that run */
} TgSliceLanes;

/** The nodes that begin, of `all`. */
void tg_slice_lanes_init(TgSliceLanes *slice, const TgSlices *slices, const TgSchedule *schedule, int64_t all);
void tg_slice_lanes_clear(TgSliceLanes *slice);
/** What the nodes that run do of a lane. Free with tg_slice_lane_free(). */
const TgLane *tg_slice_lane(TgSliceLanes *slice, const TgLane *lane);
void tg_slice_lane_free(const TgSliceLanes *slice, const TgLane *own);
/** Goes beyond the cut. By new number the old one of the node whose times it takes; free with g_free(). */
int32_t *tg_slice_lanes_widen(TgSliceLanes *slice);

#endif
