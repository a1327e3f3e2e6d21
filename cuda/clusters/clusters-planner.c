#include "clusters-planner-private.h"

/* The schedule on blocks of one element each: what matters is who reads what. */
static TgBlocksPlan *plan_blocks(const TgSchedule *schedule, const TgScheduleNames *names,
                                 const TgExecutorOptions *options, GError **error) {
  const TgBlocksLayout layout = {.pad = 1, .align = 1};
  TgExecutorOptions single = *options;
  single.m = schedule->blocks[TG_MATRIX_C][0];
  single.n = schedule->blocks[TG_MATRIX_C][1];
  single.k = schedule->inner;
  single.transport = TG_TRANSPORT_COPY;
  return tg_blocks_plan_new(schedule, names, &single, &layout, error);
}

TgClusterPlan *tg_cluster_plan_new(const TgSchedule *schedule, const TgScheduleNames *names,
                                   const TgExecutorOptions *options, int32_t slots, int32_t warps, int32_t *live,
                                   GError **error) {
  const int64_t processors = tg_schedule_processors(schedule);
  if (processors > TG_CLUSTER_MOST) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "%lld processors, a cluster has at most %d blocks", (long long)processors, TG_CLUSTER_MOST);
    return NULL;
  }
  if (schedule->computes.right == TG_MATRICES) {
    g_set_error_literal(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT,
                        "the executor clusters runs products, and the schedule has none: the executor blocks runs it");
    return NULL;
  }
  g_autoptr(TgBlocksPlan) blocks = plan_blocks(schedule, names, options, error);
  if (!blocks) return NULL;
  if (blocks->steps > TG_CLUSTER_STEPS) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE, "%lld steps, executor clusters takes at most %d",
                (long long)blocks->steps, TG_CLUSTER_STEPS);
    return NULL;
  }
  TgFollowed followed = {.schedule = schedule, .options = options, .plan = blocks};
  TgClusterPlan *plan =
      tg_follow(&followed, error) ? tg_cluster_streams_new(&followed, slots, warps, live, error) : NULL;
  tg_followed_clear(&followed);
  return plan;
}

void tg_cluster_plan_free(TgClusterPlan *plan) {
  if (!plan) return;
  g_free(plan->processor);
  g_free(plan->op);
  g_free(plan->product);
  g_free(plan->output);
  g_free(plan->term);
  g_free(plan);
}
