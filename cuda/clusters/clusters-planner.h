/** @file clusters-planner.h
 * Makes the plan of clusters-plan.h. Host only, and needs no device. */
#ifndef TG_CLUSTERS_PLANNER_H
#define TG_CLUSTERS_PLANNER_H

#include "clusters-plan.h"
#include "executor.h"

/** Proves the schedule and plans it for so many slots a processor, 1 to TG_CLUSTER_SLOTS, and warps that multiply.
 * Errors: SCHEDULE; TOO_LARGE: more than TG_CLUSTER_MOST processors, or more slots are needed at once than there are;
 * BAD_INPUT: what instances of a tiled problem cannot do. */
TgClusterPlan *tg_cluster_plan_new(const TgSchedule *schedule, const TgScheduleNames *names,
                                   const TgExecutorOptions *options, int32_t slots, int32_t warps, GError **error);
void tg_cluster_plan_free(TgClusterPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgClusterPlan, tg_cluster_plan_free)

#endif
