#include "plan-private.h"

#include "sim-error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const cause_names[TG_PLAN_CAUSES] = {"computes", "require", "sizes", "memory", "same",
                                                        "bound",    "behind",  "work",  "wrong"};

const char *tg_plan_cause_name(TgPlanCause cause) {
  return cause_names[cause];
}

void tg_plan_reject(TgPlanSearch *search, int source, TgPlanCause cause, const char *grid, char *reason) {
  TgPlanReject reject = {.source = &search->sources[source], .cause = cause, .reason = reason};
  g_strlcpy(reject.grid, grid, sizeof reject.grid);
  g_array_append_val(search->plan->rejected, reject);
}

/* --- before the search -------------------------------------------------------------------------------------------- */

/* The network that is asked for, or one that has each axis that the torus of a grid can have. */
static TgTopology any_network(const TgPlanRequest *request) {
  static const int32_t extents[TG_MAX_DIMS] = {2, 2, 2, 2};
  TgTopology network = {0};
  if (request->network) return *request->network;
  tg_topology_init(&network, TG_TORUS, TG_MAX_DIMS, extents, NULL);
  return network;
}

static bool bad_input(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool bad_input(GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(error, g_error_new_valist(TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT, format, arguments));
  va_end(arguments);
  return false;
}

static bool check_request(const TgPlanRequest *request, GError **error) {
  static const TgComputes product = {.left = TG_MATRIX_A, .right = TG_MATRIX_B};
  TgTopology network = any_network(request);
  TgShape shape;
  TgError failure;
  if (request->processors < 1 || request->processors > TG_MAX_PROCESSORS)
    return bad_input(error, "%" PRId64 " processors, expected 1 to %d", request->processors, TG_MAX_PROCESSORS);
  if (request->network && network.nodes < request->processors)
    return bad_input(error, "the network has %d nodes, fewer than %" PRId64 " processors", network.nodes,
                     request->processors);
  if (!tg_machine_fits(request->machine, &network, &failure)) {
    if (request->network) return bad_input(error, "%s", failure.message);
    return bad_input(error, "machine %s speaks of the network %s, which has not %" PRId64 " nodes: name theirs",
                     request->machine->name, request->machine->network, request->processors);
  }
  return tg_shape_init(&shape, &product, request->m, request->n, request->k, error);
}

/* The least latency and the largest bandwidth of a link. */
static void find_best_link(TgPlanSearch *search) {
  TgTopology network = any_network(search->request);
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
    tg_plan_against(&g_array_index(search->grids, TgPlanGrid, candidate->grid), TG_PLAN_SAME, 0, 0,
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

/* --- the search --------------------------------------------------------------------------------------------------- */

static int by_bound(gconstpointer a, gconstpointer b) {
  const TgPlanCandidate *x = a, *y = b;
  if (x->bound_s != y->bound_s) return x->bound_s < y->bound_s ? -1 : 1;
  if (x->grid != y->grid) return x->grid < y->grid ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static int by_time(gconstpointer a, gconstpointer b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The predicted time of the last place. */
static double find_limit(const TgPlanSearch *search) {
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint g = 0; g < search->grids->len; g++) {
    const TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, g);
    if (grid->placed) g_array_append_val(times, grid->place.predicted_s);
  }
  if (times->len < (guint)search->request->top) return INFINITY;
  g_array_sort(times, by_time);
  return g_array_index(times, double, search->request->top - 1);
}

/* Those whose prediction takes at most `work_s` and may still come in, in order of their bounds. */
static void search_quick(TgPlanSearch *search, double work_s) {
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *candidate = &g_array_index(search->candidates, TgPlanCandidate, c);
    if (candidate->bound_s > search->limit_s) return;
    if (candidate->tried || candidate->work_s > work_s) continue;
    candidate->tried = true;
    tg_plan_try(search, candidate);
    search->limit_s = find_limit(search);
  }
}

/* What is quickly predicted first: the better the places that are known, the fewer long predictions it takes. */
static void search_all(TgPlanSearch *search) {
  const double work_s = search->request->work_s;
  for (guint c = 0; c < search->candidates->len; c++) g_array_index(search->candidates, TgPlanCandidate, c).number = c;
  g_array_sort(search->candidates, by_bound);
  search->limit_s = INFINITY;
  search_quick(search, work_s / 200);
  search_quick(search, work_s / 20);
  search_quick(search, INFINITY);
  for (guint c = 0; c < search->candidates->len; c++)
    search->plan->pruned += !g_array_index(search->candidates, TgPlanCandidate, c).tried;
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

/* Equal times: fewer bytes, then fewer processors, then by name. */
static int by_place(gconstpointer a, gconstpointer b) {
  const TgPlanPlace *x = a, *y = b;
  double scale = 1e-12 * fmax(x->predicted_s, y->predicted_s);
  if (fabs(x->predicted_s - y->predicted_s) > scale) return x->predicted_s < y->predicted_s ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  if (x->processors != y->processors) return x->processors < y->processors ? -1 : 1;
  int names = strcmp(x->source->name, y->source->name);
  return names ? names : strcmp(x->grid, y->grid);
}

static void mark_ties(const TgPlanRequest *request, GArray *ranked) {
  if (ranked->len == 0) return;
  TgPlanPlace *best = &g_array_index(ranked, TgPlanPlace, 0);
  for (guint i = 1; i < ranked->len; i++) {
    TgPlanPlace *place = &g_array_index(ranked, TgPlanPlace, i);
    double behind = place->predicted_s - best->predicted_s;
    place->tie = behind < request->machine->residual * best->predicted_s || behind <= 1e-12 * best->predicted_s;
    best->tie = best->tie || place->tie;
  }
}

static void clear_place(TgPlanPlace *place) {
  g_clear_pointer(&place->parameters, g_free);
  g_clear_pointer(&place->why, g_free);
}

static char *time_reason(const TgPlanSearch *search, TgPlanCause cause, double time_s) {
  if (cause == TG_PLAN_WORK)
    return g_strdup_printf("not predicted, which would take too long; takes %.4g s at least", time_s);
  return g_strdup_printf(cause == TG_PLAN_BEHIND ? "predicted %.4g s, behind place %d"
                                                 : "takes %.4g s at least, more than place %d",
                         time_s, search->request->top);
}

/* A grid of which no candidate was predicted. */
static void reject_grid(TgPlanSearch *search, TgPlanGrid *grid) {
  TgPlanReject reject = grid->reject;
  if (!reject.reason) reject = (TgPlanReject){.cause = TG_PLAN_BOUND, .time_s = grid->bound_s};
  reject.source = &search->sources[grid->source];
  g_strlcpy(reject.grid, grid->text, sizeof reject.grid);
  if (!reject.reason || !*reject.reason) {
    g_free(reject.reason);
    reject.reason = time_reason(search, reject.cause, reject.time_s);
  }
  grid->reject.reason = NULL;
  g_array_append_val(search->plan->rejected, reject);
  double *least = &search->plan->least_bytes;
  if (reject.cause == TG_PLAN_MEMORY && (*least == 0 || reject.least_bytes < *least)) *least = reject.least_bytes;
}

static void reject_place(TgPlanSearch *search, TgPlanPlace *place) {
  TgPlanReject reject = {.source = place->source, .cause = TG_PLAN_BEHIND, .time_s = place->predicted_s};
  g_strlcpy(reject.grid, place->grid, sizeof reject.grid);
  reject.reason = time_reason(search, reject.cause, reject.time_s);
  g_array_append_val(search->plan->rejected, reject);
  clear_place(place);
}

static int by_cause(gconstpointer a, gconstpointer b) {
  const TgPlanReject *x = a, *y = b;
  if (x->cause != y->cause) return x->cause < y->cause ? -1 : 1;
  if (x->least_bytes != y->least_bytes) return x->least_bytes < y->least_bytes ? -1 : 1;
  if (x->source != y->source) return x->source < y->source ? -1 : 1;
  if (x->time_s != y->time_s) return x->time_s < y->time_s ? -1 : 1;
  return strcmp(x->grid, y->grid);
}

static void rank(TgPlanSearch *search) {
  GArray *ranked = search->plan->ranked;
  guint top = (guint)search->request->top;
  for (guint g = 0; g < search->grids->len; g++) {
    TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, g);
    if (grid->placed)
      g_array_append_val(ranked, grid->place);
    else
      reject_grid(search, grid);
    g_free(grid->reject.reason);
    g_free(grid->proved_for);
  }
  g_array_sort(ranked, by_place);
  for (guint i = top; i < ranked->len; i++) reject_place(search, &g_array_index(ranked, TgPlanPlace, i));
  if (ranked->len > top) g_array_set_size(ranked, top);
  g_array_sort(search->plan->rejected, by_cause);
  mark_ties(search->request, ranked);
}

static void run(TgPlanSearch *search, int count) {
  search->candidates = g_array_new(FALSE, FALSE, sizeof(TgPlanCandidate));
  search->grids = g_array_new(FALSE, FALSE, sizeof(TgPlanGrid));
  search->lines = tg_plan_lines_new();
  find_best_link(search);
  find_candidates(search, count);
  search_all(search);
  rank(search);
  tg_plan_prove(search);
  tg_plan_explain(search->request, search->plan->ranked);
  g_array_unref(search->candidates);
  g_array_unref(search->grids);
  g_hash_table_unref(search->lines);
}

bool tg_plan(const TgPlanRequest *request, const TgPlanSource *sources, int count, TgPlan *plan, GError **error) {
  TgPlanSearch search = {.request = request, .sources = sources, .plan = plan};
  int64_t begin_us = g_get_monotonic_time();
  *plan = (TgPlan){0};
  if (!check_request(request, error)) return false;
  plan->ranked = g_array_new(FALSE, FALSE, sizeof(TgPlanPlace));
  plan->rejected = g_array_new(FALSE, FALSE, sizeof(TgPlanReject));
  run(&search, count);
  plan->wall_s = (double)(g_get_monotonic_time() - begin_us) * 1e-6;
  return true;
}

void tg_plan_clear(TgPlan *plan) {
  for (guint i = 0; plan->ranked && i < plan->ranked->len; i++)
    clear_place(&g_array_index(plan->ranked, TgPlanPlace, i));
  for (guint i = 0; plan->rejected && i < plan->rejected->len; i++)
    g_free(g_array_index(plan->rejected, TgPlanReject, i).reason);
  g_clear_pointer(&plan->ranked, g_array_unref);
  g_clear_pointer(&plan->rejected, g_array_unref);
}
