/* All ways to share out the products, as schedules that are proved and predicted. */
#include "shard-private.h"

#include "sim-error.h"

#include <math.h>
#include <string.h>

/* Of all ways, so many are proved and predicted: those that the least time of products and bytes puts first. */
enum { MOST_PREDICTED = 24 };

static void plan_free(gpointer data) {
  TgShardPlan *plan = data;
  g_free(plan->split);
  g_free(plan->collectives);
  g_free(plan->text);
  tg_cost_clear(&plan->cost);
  g_free(plan);
}

void tg_shard_plans_clear(TgShardPlans *plans) {
  if (plans->plan) g_ptr_array_unref(plans->plan);
  *plans = (TgShardPlans){0};
}

/* --- candidates --------------------------------------------------------------------------------------------------- */

typedef struct Search {
  const TgShardProblem *problem;
  const TgShardRequest *request;
  TgShardPaths *paths[TG_MATRICES];
  GArray *candidates;
  TgShardPlans *plans;
  gint64 end_us;  /* of the budget … */
  gint64 part_us; /* … and of what one plan may take of it */
  int64_t done;
} Search;

static double estimate_of(const Search *search, const TgShardCandidate *candidate) {
  const TgShardRequest *request = search->request;
  const double elements[TG_MATRICES] = {(double)request->m * (double)request->k,
                                        (double)request->k * (double)request->n,
                                        (double)request->m * (double)request->n};
  double share = 1, received = 0;
  for (int d = 0; d < TG_SHARD_DIMS; d++) share /= (double)tg_shard_extent(search->problem, &candidate->products[d]);
  for (int m = 0; m < TG_MATRICES; m++) received += candidate->path[m].share * elements[m];
  return share * tg_machine_product_s(request->machine, request->m, request->n, request->k) +
         received * (double)request->element_bytes / request->machine->link.bandwidth_bytes_per_s;
}

static unsigned axes_bits(const TgShardAxes *axes) {
  unsigned bits = 0;
  for (int i = 0; i < axes->count; i++) bits |= 1u << axes->axis[i];
  return bits;
}

static bool shares_alike(const TgShardCandidate *a, const TgShardCandidate *b) {
  for (int d = 0; d < TG_SHARD_DIMS; d++)
    if (axes_bits(&a->products[d]) != axes_bits(&b->products[d])) return false;
  return true;
}

static void find_paths(const Search *search, TgShardCandidate *candidate) {
  const TgShardAxes *products = candidate->products;
  const TgSharding ends[TG_MATRICES] = {
      {.dim = {products[TG_SHARD_I], products[TG_SHARD_K]}},
      {.dim = {products[TG_SHARD_K], products[TG_SHARD_J]}},
      {.dim = {products[TG_SHARD_I], products[TG_SHARD_J]}, .partial = (uint8_t)axes_bits(&products[TG_SHARD_K])}};
  for (int m = 0; m < TG_MATRICES; m++) tg_shard_paths_to(search->paths[m], &ends[m], &candidate->path[m]);
  candidate->estimate_s = estimate_of(search, candidate);
}

/* Of several orders of the same axes the one that receives least. */
static void keep_candidate(Search *search, TgShardCandidate *candidate) {
  find_paths(search, candidate);
  for (guint c = 0; c < search->candidates->len; c++) {
    TgShardCandidate *known = &g_array_index(search->candidates, TgShardCandidate, c);
    if (!shares_alike(known, candidate)) continue;
    if (candidate->estimate_s < known->estimate_s) *known = *candidate;
    return;
  }
  g_array_append_val(search->candidates, *candidate);
}

/* Axis by axis: to any place among those that share a dimension, or to none. */
static void list_candidates(Search *search, TgShardCandidate candidate, int axis) {
  if (axis == search->problem->axes) {
    keep_candidate(search, &candidate);
    return;
  }
  const bool shares = search->problem->extent[axis] > 1;
  for (int d = 0; shares && d < TG_SHARD_DIMS; d++)
    for (int at = 0; at <= candidate.products[d].count; at++) {
      TgShardCandidate more = candidate;
      TgShardAxes *axes = &more.products[d];
      memmove(axes->axis + at + 1, axes->axis + at, (size_t)(axes->count - at));
      axes->axis[at] = (int8_t)axis;
      axes->count++;
      list_candidates(search, more, axis + 1);
    }
  list_candidates(search, candidate, axis + 1);
}

/* Beside the products, one matrix can go round in a ring. */
static void add_rings(GArray *candidates) {
  const guint count = candidates->len;
  for (guint c = 0; c < count; c++)
    for (int m = 0; m < TG_MATRICES; m++) {
      TgShardCandidate ring = g_array_index(candidates, TgShardCandidate, c);
      const TgShardPath *path = &ring.path[m];
      if (!path->count) continue;
      const TgShardMove move = path->step[m == TG_MATRIX_C ? 0 : path->count - 1].move;
      if (move != (m == TG_MATRIX_C ? TG_SHARD_SCATTER : TG_SHARD_GATHER)) continue;
      ring.ring = m;
      g_array_append_val(candidates, ring);
    }
}

static gint by_estimate(gconstpointer a, gconstpointer b) {
  const TgShardCandidate *x = a, *y = b;
  return (x->estimate_s > y->estimate_s) - (x->estimate_s < y->estimate_s);
}

/* --- plans -------------------------------------------------------------------------------------------------------- */

/* Schedules have their names once they are in order. */
static const char unnamed[] = "shard";

static void name_plan(TgShardPlan *plan, guint number) {
  char *rest = strstr(plan->text, unnamed) + strlen(unnamed);
  char *named = g_strdup_printf("schedule %s-%u%s", unnamed, number, rest);
  g_free(plan->text);
  plan->text = named;
}

/* The schedule, bound; false where the language has no room for it. */
static bool parse(TgShardPlan *plan, TgError *error) {
  const TgBindings bindings = {0};
  return tg_schedule_parse(&plan->schedule, &plan->names, plan->text, strlen(plan->text), error) &&
         tg_schedule_bind(&plan->schedule, &plan->names, &bindings, error);
}

static bool fits(const TgShardRequest *request, const TgShardPlan *plan) {
  const double bytes =
      tg_cost_need_bytes(&plan->schedule, &plan->names, request->network, request->machine, &request->options) +
      tg_state_need_bytes(&plan->schedule);
  return request->limit_bytes <= 0 || bytes <= request->limit_bytes;
}

/* Half of what is left of the budget is for one plan, so that a slow one leaves time for others. */
static bool go_on(void *user, int64_t done) {
  const Search *search = user;
  (void)done;
  return g_get_monotonic_time() < search->part_us && tg_watch_go_on(search->request->watch, search->done);
}

static bool predict(Search *search, TgShardPlan *plan, GError **error) {
  const TgShardRequest *request = search->request;
  const TgWatch watch = {.go_on = go_on, .user = search};
  TgCostOptions options = request->options;
  TgShape shape;
  options.watch = &watch;
  options.choice_s = fmin(request->budget_s / 16, TG_COST_CHOICE_MS * 1e-3);
  if (!tg_prove_watched(&plan->schedule, &plan->names, TG_COLLECTIVE_WHOLE, request->m, request->n, request->k, &watch,
                        &plan->proof)) {
    if (plan->proof.failure.cause == TG_CAUSE_STOPPED) return TG_SIM_FAIL(error, STOPPED, "stopped");
    return TG_SIM_FAIL(error, SCHEDULE, "a plan is wrong: %s\n%s", plan->proof.failure.message, plan->text);
  }
  if (!tg_shape_init(&shape, &plan->schedule.computes, request->m, request->n, request->k, error)) return false;
  return tg_cost_predict(&plan->schedule, &plan->names, &shape, request->network, TG_ROWMAJOR, request->machine,
                         &options, &plan->cost, error);
}

static bool try_candidate(Search *search, const TgShardCandidate *candidate, GError **error) {
  TgShardPlan *plan = g_new0(TgShardPlan, 1);
  GError *why = NULL;
  const gint64 now_us = g_get_monotonic_time();
  search->part_us = now_us + (search->end_us - now_us) / 2;
  plan->text = tg_shard_schedule(search->problem, candidate, unnamed);
  if (!parse(plan, &search->plans->refused)) {
    search->plans->too_long++;
  } else if (!fits(search->request, plan)) {
    search->plans->too_large++;
  } else if (predict(search, plan, &why)) {
    plan->split = tg_shard_split(search->problem, candidate);
    plan->collectives = tg_shard_words(search->problem, candidate);
    g_ptr_array_add(search->plans->plan, plan);
    return true;
  } else if (g_error_matches(why, TG_SIM_ERROR, TG_SIM_ERROR_STOPPED) &&
             tg_watch_go_on(search->request->watch, search->done)) {
    search->plans->too_slow++;
    g_clear_error(&why);
  }
  plan_free(plan);
  if (why) g_propagate_error(error, why);
  return !why;
}

static bool try_candidates(Search *search, GError **error) {
  for (guint c = 0; c < search->candidates->len; c++) {
    search->done = c;
    if (g_get_monotonic_time() >= search->end_us)
      search->plans->too_slow++;
    else if (!try_candidate(search, &g_array_index(search->candidates, TgShardCandidate, c), error))
      return false;
  }
  return true;
}

static gint by_time(gconstpointer a, gconstpointer b) {
  const TgShardPlan *x = *(TgShardPlan *const *)a, *y = *(TgShardPlan *const *)b;
  return (x->cost.time_s > y->cost.time_s) - (x->cost.time_s < y->cost.time_s);
}

/* An axis of one processor shares nothing out. */
static TgShardProblem without_short_axes(const TgShardProblem *problem) {
  TgShardProblem less = *problem;
  for (int m = 0; m < TG_MATRICES; m++)
    for (int d = 0; d < 2; d++) {
      const TgShardAxes *given = &problem->matrix[m].dim[d];
      TgShardAxes *kept = &less.matrix[m].dim[d];
      *kept = (TgShardAxes){0};
      for (int i = 0; i < given->count; i++)
        if (problem->extent[given->axis[i]] > 1) kept->axis[kept->count++] = given->axis[i];
    }
  return less;
}

bool tg_shard_plan(const TgShardProblem *problem, const TgShardRequest *request, TgShardPlans *plans, GError **error) {
  const TgShardProblem less = without_short_axes(problem);
  Search search = {.problem = &less, .request = request, .plans = plans};
  search.end_us = g_get_monotonic_time() + (gint64)(request->budget_s * 1e6);
  search.candidates = g_array_new(FALSE, FALSE, sizeof(TgShardCandidate));
  for (int m = 0; m < TG_MATRICES; m++) search.paths[m] = tg_shard_paths_new(&less, &less.matrix[m], m == TG_MATRIX_C);
  *plans = (TgShardPlans){.plan = g_ptr_array_new_with_free_func(plan_free)};
  list_candidates(&search, (TgShardCandidate){.ring = TG_MATRICES}, 0);
  g_array_sort(search.candidates, by_estimate);
  if (search.candidates->len > MOST_PREDICTED) g_array_set_size(search.candidates, MOST_PREDICTED);
  add_rings(search.candidates);
  g_array_sort(search.candidates, by_estimate);
  plans->considered = (int32_t)search.candidates->len;
  const bool fine = try_candidates(&search, error);
  g_ptr_array_sort(plans->plan, by_time);
  for (int m = 0; m < TG_MATRICES; m++) tg_shard_paths_free(search.paths[m]);
  g_array_unref(search.candidates);
  if (!fine) tg_shard_plans_clear(plans);
  for (guint p = 0; fine && p < plans->plan->len; p++) name_plan(g_ptr_array_index(plans->plan, p), p + 1);
  return fine;
}
