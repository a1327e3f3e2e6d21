/** @file blocks-planner.h
 * Makes the plan of blocks-plan.h. Host only, and needs no device. */
#ifndef TG_BLOCKS_PLANNER_H
#define TG_BLOCKS_PLANNER_H

#include "blocks-plan.h"
#include "executor.h"

/** Whether factors can lie as TgBlocksLayout.panel asks: no block is transposed on its way, and no matrix would have to
 * lie both ways, as in C = A * A. */
bool tg_blocks_can_panel(const TgSchedule *schedule);

/** Proves the schedule and plans it. A layout with panels is for schedules that can have them. Errors: SCHEDULE,
 * TOO_LARGE. Free with tg_blocks_plan_free(). */
TgBlocksPlan *tg_blocks_plan_new(const TgSchedule *schedule, const TgScheduleNames *names,
                                 const TgExecutorOptions *options, const TgBlocksLayout *layout, GError **error);
/** Bytes of the plan itself. */
int64_t tg_blocks_plan_bytes(const TgBlocksPlan *plan);
void tg_blocks_plan_free(TgBlocksPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgBlocksPlan, tg_blocks_plan_free)

/** A block of a whole matrix: its first row and column, and how many it has, without what fills it up. */
typedef struct TgBlocksExtent {
  int64_t row, column, rows, columns;
} TgBlocksExtent;

TgBlocksExtent tg_blocks_extent(const TgBlocksPlan *plan, const TgSchedule *schedule, const TgBlocksPlaced *placed);

#endif
