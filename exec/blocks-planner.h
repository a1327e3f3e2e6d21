/** @file blocks-planner.h
 * Makes the plan of blocks-plan.h. Host only, and needs no device. */
#ifndef TG_BLOCKS_PLANNER_H
#define TG_BLOCKS_PLANNER_H

#include "blocks-plan.h"
#include "executor.h"

/** Proves the schedule and plans it. Errors: SCHEDULE, TOO_LARGE. Free with tg_blocks_plan_free(). */
TgBlocksPlan *tg_blocks_plan_new(const TgSchedule *schedule, const TgScheduleNames *names,
                                 const TgExecutorOptions *options, const TgBlocksLayout *layout, GError **error);
void tg_blocks_plan_free(TgBlocksPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgBlocksPlan, tg_blocks_plan_free)

#endif
