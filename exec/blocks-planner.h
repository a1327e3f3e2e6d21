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
void tg_blocks_plan_free(TgBlocksPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgBlocksPlan, tg_blocks_plan_free)

#endif
