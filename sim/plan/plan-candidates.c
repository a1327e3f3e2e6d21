/* Before the search: which candidates there are. */
#include "plan-private.h"

#include "machine.h"

#include <math.h>

static const double finding = 0.2; /* part of the budget */

bool tg_plan_is_product(const TgComputes *computes) {
  return computes->left == TG_MATRIX_A && computes->right == TG_MATRIX_B && !computes->left_transposed &&
         !computes->right_transposed;
}

void tg_plan_begin_part(TgPlanSearch *search, double part) {
  const double budget_s = fmin(search->request->budget_s, (double)(INT64_MAX / 4) * 1e-6);
  const double now_s = (double)(g_get_monotonic_time() - search->begin_us) * 1e-6;
  const double share = (part - search->part) / (1 - search->part);
  const double until_s = fmin(fmax(part * budget_s, now_s + share * (budget_s - now_s)), budget_s);
  search->until_us = search->begin_us + (int64_t)(until_s * 1e6);
  search->part = part;
}

void tg_plan_find_best_link(TgPlanSearch *search) {
  TgTopology network = tg_plan_any_network(search->request);
  search->latency_s = search->seconds_per_byte = INFINITY;
  for (int level = 0; level < network.levels; level++) {
    for (int axis = 0; axis < tg_level_axes(&network.level[level]); axis++) {
      const TgMachineLink link = tg_machine_link(search->request->machine, &network, level, axis);
      const TgMachineProtocol protocol = tg_link_best(&link, 0);
      search->latency_s = fmin(search->latency_s, protocol.latency_s);
      search->seconds_per_byte = fmin(search->seconds_per_byte, 1 / protocol.bandwidth_bytes_per_s);
    }
  }
}

/* On one processor nothing travels: of all that multiply whole matrices the one that holds least is tried, and of those
 * that multiply parts, what may be faster. */
static void keep_single(TgPlanSearch *search) {
  const TgPlanCandidate *least = NULL;
  for (guint c = 0; c < search->candidates->len; c++) {
    const TgPlanCandidate *candidate = &g_array_index(search->candidates, TgPlanCandidate, c);
    if (candidate->processors == 1 && candidate->whole &&
        (!least || candidate->memory_high_bytes < least->memory_high_bytes))
      least = candidate;
  }
  if (!least) return;
  const int source = least->source;
  const TgPlanRequest *request = search->request;
  const double time_s = tg_machine_product_s(request->machine, request->m, request->n, request->k) * (1 - 1e-6);
  for (guint c = search->candidates->len; c > 0; c--) {
    const TgPlanCandidate *candidate = &g_array_index(search->candidates, TgPlanCandidate, c - 1);
    if (candidate->processors != 1 || candidate->source == source || candidate->bound_s < time_s) continue;
    tg_plan_against(&g_array_index(search->grids, TgPlanGrid, candidate->grid), TG_PLAN_SAME, 0,
                    g_strdup_printf("on one processor the same product as %s", search->sources[source].name));
    g_array_remove_index(search->candidates, c - 1);
  }
}

static void find_of(TgPlanSearch *search, int source) {
  const TgComputes *computes = &search->sources[source].schedule->computes;
  if (tg_plan_is_product(computes))
    tg_plan_find_grids(search, source);
  else
    tg_plan_reject(search, source, TG_PLAN_COMPUTES, "", g_strdup_printf("computes %s", tg_computes_text(computes).s));
}

/* Where there are a million processors, bounds alone take long: each schedule has its share of the time, those with few
 * grids first, so that those with many have what is left. */
void tg_plan_find_candidates(TgPlanSearch *search, int count) {
  int done = 0;
  search->unseen_s = INFINITY;
  for (int extents = 0; extents <= TG_MAX_DIMS; extents++)
    for (int source = 0; source < count; source++) {
      if (tg_plan_free_extents(search->sources[source].schedule) != extents) continue;
      tg_plan_begin_part(search, finding * ++done / count);
      find_of(search, source);
    }
  keep_single(search);
}
