#include "plan-private.h"

#include "sim-error.h"

#include <inttypes.h>
#include <math.h>

static const char *const cause_names[TG_PLAN_CAUSES] = {"computes", "require", "network", "sizes", "memory",
                                                        "same",     "bound",   "behind",  "work",  "wrong"};

const char *tg_plan_cause_name(TgPlanCause cause) {
  return cause_names[cause];
}

void tg_plan_reject(TgPlanSearch *search, int source, TgPlanCause cause, const char *grid, char *reason) {
  TgPlanReject reject = {.source = &search->sources[source], .cause = cause, .reason = reason};
  g_strlcpy(reject.grid, grid, sizeof reject.grid);
  g_array_append_val(search->plan->rejected, reject);
}

/* --- before the search -------------------------------------------------------------------------------------------- */

static bool bad_input(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool bad_input(GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(error, g_error_new_valist(TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT, format, arguments));
  va_end(arguments);
  return false;
}

/* A machine whose numbers are those of a network of its own, which has another number of nodes. */
static bool fail_own(const TgPlanRequest *request, const TgError *failure, GError **error) {
  TgTopology own;
  if (!*request->machine->network || !tg_topology_parse(&own, request->machine->network, NULL) ||
      own.nodes == request->processors || request->network_kind != TG_TORUS)
    return bad_input(error, "%s", failure->message);
  return bad_input(error,
                   "machine %s has the numbers of the network %s, which has %d nodes, not %" PRId64
                   ": plan for %d processors, or name a network of as many levels for %" PRId64,
                   request->machine->name, request->machine->network, own.nodes, request->processors, own.nodes,
                   request->processors);
}

static bool check_request(const TgPlanRequest *request, GError **error) {
  static const TgComputes product = {.left = TG_MATRIX_A, .right = TG_MATRIX_B};
  TgTopology network = tg_plan_any_network(request);
  TgShape shape;
  TgError failure;
  if (request->processors < 1 || request->processors > TG_MAX_PROCESSORS)
    return bad_input(error, "%" PRId64 " processors, expected 1 to %d", request->processors, TG_MAX_PROCESSORS);
  if (request->machine->port.ports == TG_PORTS_FETCH)
    return bad_input(
        error,
        "machine %s has ports = fetch, as topogemm calibrate writes it, which plans do not know: `sim ALGO…` "
        "and `compare ALGO…` take such files; to plan with its rates, write ports = one or all in a copy",
        request->machine->name);
  if (request->network && network.nodes < request->processors)
    return bad_input(error, "the network has %d nodes, fewer than %" PRId64 " processors", network.nodes,
                     request->processors);
  if (!tg_machine_fits(request->machine, &network, &failure)) {
    if (request->network) return bad_input(error, "%s", failure.message);
    return fail_own(request, &failure, error);
  }
  return tg_shape_init(&shape, &product, request->m, request->n, request->k, error);
}

/* The least latency and the largest bandwidth of a link. */
static void find_best_link(TgPlanSearch *search) {
  TgTopology network = tg_plan_any_network(search->request);
  search->latency_s = search->seconds_per_byte = INFINITY;
  for (int level = 0; level < network.levels; level++) {
    const TgLevel *at = &network.level[level];
    int axes = at->kind == TG_HYPERCUBE ? at->extents[0] : at->dims;
    for (int axis = 0; axis < axes; axis++) {
      TgMachineLink link = tg_machine_link(search->request->machine, &network, level, axis);
      search->latency_s = fmin(search->latency_s, link.latency_s);
      search->seconds_per_byte = fmin(search->seconds_per_byte, 1 / link.bandwidth_bytes_per_s);
    }
  }
}

static bool is_product(const TgComputes *computes) {
  return computes->left == TG_MATRIX_A && computes->right == TG_MATRIX_B && !computes->left_transposed &&
         !computes->right_transposed;
}

/* On one processor nothing travels: of all schedules the one that holds least is tried. */
static void keep_single(TgPlanSearch *search) {
  const TgPlanCandidate *least = NULL;
  for (guint c = 0; c < search->candidates->len; c++) {
    const TgPlanCandidate *candidate = &g_array_index(search->candidates, TgPlanCandidate, c);
    if (candidate->processors == 1 && (!least || candidate->memory_high_bytes < least->memory_high_bytes))
      least = candidate;
  }
  if (!least) return;
  const int source = least->source;
  for (guint c = search->candidates->len; c > 0; c--) {
    const TgPlanCandidate *candidate = &g_array_index(search->candidates, TgPlanCandidate, c - 1);
    if (candidate->processors != 1 || candidate->source == source) continue;
    tg_plan_against(&g_array_index(search->grids, TgPlanGrid, candidate->grid), TG_PLAN_SAME, 0,
                    g_strdup_printf("on one processor the same product as %s", search->sources[source].name));
    g_array_remove_index(search->candidates, c - 1);
  }
}

static void find_candidates(TgPlanSearch *search, int count) {
  for (int s = 0; s < count; s++) {
    const TgComputes *computes = &search->sources[s].schedule->computes;
    char formula[TG_FORMULA_BYTES];
    if (is_product(computes)) {
      tg_plan_find_grids(search, s);
      continue;
    }
    tg_computes_text(computes, formula);
    tg_plan_reject(search, s, TG_PLAN_COMPUTES, "", g_strdup_printf("computes %s", formula));
  }
  search->plan->considered = search->candidates->len;
  keep_single(search);
}

/* --- the plan ------------------------------------------------------------------------------------------------------
 */

static void run(TgPlanSearch *search, int count) {
  search->candidates = g_array_new(FALSE, FALSE, sizeof(TgPlanCandidate));
  search->grids = g_array_new(FALSE, FALSE, sizeof(TgPlanGrid));
  search->lines = tg_plan_lines_new();
  find_best_link(search);
  find_candidates(search, count);
  tg_plan_search(search);
  tg_plan_rank(search);
  tg_plan_prove(search);
  g_array_unref(search->candidates);
  g_array_unref(search->grids);
  g_hash_table_unref(search->lines);
}

bool tg_plan(const TgPlanRequest *request, const TgPlanSource *sources, int count, TgPlan *plan, GError **error) {
  TgPlanRequest taken = *request;
  TgPlanSearch search = {.request = &taken, .sources = sources, .plan = plan};
  int64_t begin_us = g_get_monotonic_time();
  *plan = (TgPlan){0};
  if (!check_request(request, error)) return false;
  taken.processors = tg_plan_processors(request);
  plan->ranked = g_array_new(FALSE, FALSE, sizeof(TgPlanPlace));
  plan->rejected = g_array_new(FALSE, FALSE, sizeof(TgPlanReject));
  run(&search, count);
  plan->wall_s = (double)(g_get_monotonic_time() - begin_us) * 1e-6;
  return true;
}

void tg_plan_clear(TgPlan *plan) {
  for (guint i = 0; plan->ranked && i < plan->ranked->len; i++)
    tg_plan_place_clear(&g_array_index(plan->ranked, TgPlanPlace, i));
  for (guint i = 0; plan->rejected && i < plan->rejected->len; i++)
    g_free(g_array_index(plan->rejected, TgPlanReject, i).reason);
  g_clear_pointer(&plan->ranked, g_array_unref);
  g_clear_pointer(&plan->rejected, g_array_unref);
}
