#include "plan-private.h"

#include "sim-error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int by_time(gconstpointer a, gconstpointer b) {
  const TgPlanPlace *x = a, *y = b;
  return (x->predicted_s > y->predicted_s) - (x->predicted_s < y->predicted_s);
}

static int coordinates_of(const TgPlanPlace *place) {
  int coordinates = 1;
  for (const char *at = place->grid; *at; at++) coordinates += *at == 'x';
  return coordinates;
}

/* Equal times: fewer processors, then a grid of fewer coordinates, then fewer bytes, then by name. */
static int by_simplicity(gconstpointer a, gconstpointer b) {
  const TgPlanPlace *x = a, *y = b;
  const int x_coordinates = coordinates_of(x), y_coordinates = coordinates_of(y);
  if (x->processors != y->processors) return x->processors < y->processors ? -1 : 1;
  if (x_coordinates != y_coordinates) return x_coordinates < y_coordinates ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  int names = strcmp(x->source->name, y->source->name);
  return names ? names : strcmp(x->grid, y->grid);
}

/* Sums in another order make times differ in their last digit: up to a part in 10^12 they are equal. */
static void sort_places(GArray *ranked) {
  g_array_sort(ranked, by_time);
  for (guint begin = 0, end; begin < ranked->len; begin = end) {
    TgPlanPlace *first = &g_array_index(ranked, TgPlanPlace, begin);
    const double most_s = first->predicted_s * (1 + 1e-12);
    for (end = begin + 1; end < ranked->len; end++)
      if (g_array_index(ranked, TgPlanPlace, end).predicted_s > most_s) break;
    qsort(first, end - begin, sizeof *first, by_simplicity);
  }
}

static void mark_ties(const TgPlanSearch *search, GArray *ranked) {
  if (ranked->len == 0) return;
  TgPlanPlace *best = &g_array_index(ranked, TgPlanPlace, 0);
  for (guint i = 0; i < ranked->len; i++) {
    TgPlanPlace *place = &g_array_index(ranked, TgPlanPlace, i);
    double behind = place->predicted_s - best->predicted_s;
    place->certain = search->left_s >= place->predicted_s;
    if (i == 0) continue;
    place->tie = behind < search->request->machine->residual * best->predicted_s || behind <= 1e-12 * best->predicted_s;
    best->tie = best->tie || place->tie;
  }
}

/* Frees what the place holds. */
static void plan_place_clear(TgPlanPlace *place) {
  g_clear_pointer(&place->parameters, g_free);
  g_clear_pointer(&place->collectives, g_free);
  g_clear_pointer(&place->why, g_free);
}

static char *time_reason(const TgPlanSearch *search, TgPlanCause cause, double time_s) {
  if (cause == TG_PLAN_WORK)
    return g_strdup_printf("not predicted, because that would take too much time or memory; takes at least %.4g s",
                           time_s);
  return g_strdup_printf(cause == TG_PLAN_BEHIND ? "predicted %.4g s, behind place %d"
                                                 : "takes at least %.4g s, more than place %d",
                         time_s, search->request->top);
}

static void append_reject(TgPlanSearch *search, const TgPlanSource *source, const char *grid, TgPlanReject reject) {
  reject.source = source;
  g_strlcpy(reject.grid, grid, sizeof reject.grid);
  g_array_append_val(search->plan->rejected, reject);
}

/* Reports what of the grid was not predicted: all of it, or some choices. */
static void reject_open(TgPlanSearch *search, TgPlanGrid *grid) {
  g_autofree char *what = !grid->placed    ? g_strdup("")
                          : grid->open > 1 ? g_strdup_printf("with %u other choices ", grid->open)
                                           : g_strdup("with another choice ");
  const char *than = isinf(search->best_s) ? "" : ", less than place 1";
  append_reject(
      search, &search->sources[grid->source], grid->text,
      (TgPlanReject){.cause = TG_PLAN_WORK,
                     .open = true,
                     .time_s = grid->open_bound_s,
                     .reason = g_strdup_printf(
                         "%snot predicted, because that would take too much time or memory; takes at least %.4g s%s",
                         what, grid->open_bound_s, than)});
}

/* A grid of which no candidate was predicted. */
static void reject_grid(TgPlanSearch *search, TgPlanGrid *grid) {
  TgPlanReject reject = grid->reject;
  if (!reject.reason) {
    reject = (TgPlanReject){.cause = grid->left ? TG_PLAN_WORK : TG_PLAN_BOUND, .time_s = grid->bound_s};
    reject.reason = time_reason(search, reject.cause, reject.time_s);
  }
  grid->reject.reason = NULL;
  append_reject(search, &search->sources[grid->source], grid->text, reject);
  double *least = &search->plan->least_bytes;
  if (reject.cause == TG_PLAN_MEMORY && (*least == 0 || reject.least_bytes < *least)) *least = reject.least_bytes;
}

static void reject_place(TgPlanSearch *search, TgPlanPlace *place) {
  TgPlanReject reject = {.cause = TG_PLAN_BEHIND, .time_s = place->predicted_s};
  reject.reason = time_reason(search, reject.cause, reject.time_s);
  append_reject(search, place->source, place->grid, reject);
  plan_place_clear(place);
}

static int by_cause(gconstpointer a, gconstpointer b) {
  const TgPlanReject *x = a, *y = b;
  if (x->open != y->open) return x->open ? -1 : 1;
  if (x->open && x->time_s != y->time_s) return x->time_s < y->time_s ? -1 : 1;
  if (x->cause != y->cause) return x->cause < y->cause ? -1 : 1;
  if (x->least_bytes != y->least_bytes) return x->least_bytes < y->least_bytes ? -1 : 1;
  if (x->source != y->source) return x->source < y->source ? -1 : 1;
  if (x->time_s != y->time_s) return x->time_s < y->time_s ? -1 : 1;
  return strcmp(x->grid, y->grid);
}

/* Of the grids that were tried only because they may be the fastest, each schedule's fastest is ranked. */
static void drop_between(TgPlanSearch *search) {
  for (guint g = 0; g < search->grids->len; g++) {
    TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, g);
    if (!grid->between || !grid->placed) continue;
    for (guint other = 0; other < search->grids->len && grid->placed; other++) {
      const TgPlanGrid *by = &g_array_index(search->grids, TgPlanGrid, other);
      if (other == g || !by->placed || by->source != grid->source) continue;
      const bool slower = by->place.predicted_s < grid->place.predicted_s ||
                          (by->place.predicted_s == grid->place.predicted_s && (!by->between || other < g));
      if (!slower) continue;
      grid->placed = false;
      grid->dropped = true;
      reject_place(search, &grid->place);
    }
  }
}

static void sort_grid(TgPlanSearch *search, TgPlanGrid *grid) {
  if (grid->placed) g_array_append_val(search->plan->ranked, grid->place);
  if (grid->open)
    reject_open(search, grid);
  else if (!grid->placed && !grid->dropped && !grid->between)
    reject_grid(search, grid);
  g_clear_pointer(&grid->reject.reason, g_free);
  g_clear_pointer(&grid->proved_for, g_free);
}

/* Puts what was found in order. */
static void plan_rank(TgPlanSearch *search) {
  GArray *ranked = search->plan->ranked;
  guint top = (guint)search->request->top;
  drop_between(search);
  for (guint g = 0; g < search->grids->len; g++) sort_grid(search, &g_array_index(search->grids, TgPlanGrid, g));
  sort_places(ranked);
  mark_ties(search, ranked);
  tg_plan_explain(search, ranked);
  for (guint i = top; i < ranked->len; i++) reject_place(search, &g_array_index(ranked, TgPlanPlace, i));
  if (ranked->len > top) g_array_set_size(ranked, top);
  g_array_sort(search->plan->rejected, by_cause);
}

static TgPlanCandidate *candidate_at(const TgPlanSearch *search, guint number) {
  return &g_array_index(search->candidates, TgPlanCandidate, number);
}

static int by_bound(gconstpointer a, gconstpointer b) {
  const TgPlanCandidate *x = a, *y = b;
  if (x->bound_s != y->bound_s) return x->bound_s < y->bound_s ? -1 : 1;
  if (x->grid != y->grid) return x->grid < y->grid ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static int by_number(gconstpointer a, gconstpointer b) {
  const TgPlanCandidate *x = *(TgPlanCandidate *const *)a, *y = *(TgPlanCandidate *const *)b;
  return (x->number > y->number) - (x->number < y->number);
}

static int by_work(gconstpointer a, gconstpointer b) {
  const TgPlanCandidate *x = *(TgPlanCandidate *const *)a, *y = *(TgPlanCandidate *const *)b;
  return x->work_s != y->work_s ? (x->work_s < y->work_s ? -1 : 1) : by_number(a, b);
}

/* Parts of the budget, by when they end: candidates are found, each schedule is predicted once, the best is sought
 * among them, other numbers of processors are looked at, and the best is sought among all; what is left is for the
 * ranking. */
static const double finding = 0.25, each = 0.4, coarse = 0.6, between = 0.75, best = 0.9;

/* Until `part` of the budget has gone. */
static void begin_part(TgPlanSearch *search, double part) {
  const double until_s = fmin(part * search->request->budget_s, (double)(INT64_MAX / 4) * 1e-6);
  search->until_us = search->begin_us + (int64_t)(until_s * 1e6);
}

static bool is_product(const TgComputes *computes) {
  return computes->left == TG_MATRIX_A && computes->right == TG_MATRIX_B && !computes->left_transposed &&
         !computes->right_transposed;
}

/* --- the search: what is predicted, in which order, and what is left for the time that it would take -------------- */

static int ascending(gconstpointer a, gconstpointer b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The predicted times of the first and the last place. Whoever asks for the first alone still wants to know whether the
 * second ties with it. */
static void find_limits(TgPlanSearch *search) {
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));
  const guint places = (guint)MAX(search->request->top, 2);
  for (guint g = 0; g < search->grids->len; g++) {
    const TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, g);
    if (grid->placed) g_array_append_val(times, grid->place.predicted_s);
  }
  g_array_sort(times, ascending);
  search->best_s = times->len ? g_array_index(times, double, 0) : INFINITY;
  search->limit_s = search->for_first      ? search->best_s
                    : times->len >= places ? g_array_index(times, double, places - 1)
                                           : INFINITY;
}

static void try_candidate(TgPlanSearch *search, TgPlanCandidate *candidate) {
  tg_plan_try(search, candidate);
  find_limits(search);
}

/* Those whose prediction takes at most `work_s` and may still come in, in order of their bounds. */
static void search_within(TgPlanSearch *search, double work_s) {
  for (guint c = 0; c < search->candidates->len && tg_plan_left_s(search) > 0; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    if ((candidate->tried && !candidate->partly) || tg_plan_work_now(search, candidate) > work_s) continue;
    if (candidate->bound_s > search->limit_s || (search->for_first && candidate->bound_s >= search->best_s)) continue;
    if (tg_plan_work_now(search, candidate) <= tg_plan_left_s(search)) try_candidate(search, candidate);
  }
}

/* Of each schedule that with the least bound, or if that takes too long, the quickest to predict. */
static TgPlanCandidate *first_of(const TgPlanSearch *search, int source, double work_s) {
  TgPlanCandidate *first = NULL;
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    if (candidate->source != source || candidate->memory_low_bytes > search->request->memory_bytes) continue;
    if (candidate->work_s <= work_s) return candidate; /* they are in order of their bounds */
    if (!first || candidate->work_s < first->work_s) first = candidate;
  }
  return first;
}

/* Every schedule is predicted once, whatever the bounds say, the quickest predictions first. */
static void search_each(TgPlanSearch *search, int sources) {
  g_autoptr(GPtrArray) firsts = g_ptr_array_new();
  const double work_s = tg_plan_left_s(search) / MAX(sources, 1);
  for (int source = 0; source < sources; source++) {
    TgPlanCandidate *first = first_of(search, source, work_s);
    if (first && !first->tried) g_ptr_array_add(firsts, first);
  }
  g_ptr_array_sort(firsts, by_work);
  search->first_only = true;
  for (guint i = 0; i < firsts->len && tg_plan_left_s(search) > 0; i++) {
    search->limit_s = INFINITY;
    try_candidate(search, g_ptr_array_index(firsts, i));
  }
}

/* What is quickly predicted first: the better the places that are known, the fewer long predictions it takes. Where a
 * quicker model is a bound it is asked first, see tg_plan_try(). All with one embedding before any with another. */
static void search_bands(TgPlanSearch *search) {
  static const double parts[] = {1.0 / 1000, 1.0 / 200, 1.0 / 50, 1.0 / 10, INFINITY};
  find_limits(search);
  for (int pass = 0; pass < 2; pass++) {
    search->first_only = pass == 0;
    for (gsize part = 0; part < G_N_ELEMENTS(parts); part++)
      search_within(search, parts[part] * search->request->budget_s);
  }
}

/* One that was not tried: its bound rules it out, or it would have taken too long. */
static void note_untried(TgPlanSearch *search, TgPlanGrid *grid, const TgPlanCandidate *candidate) {
  bool left = candidate->bound_s <= search->limit_s;
  search->plan->pruned += !left;
  grid->left = grid->left || left;
  grid->bound_s = fmin(grid->bound_s, candidate->bound_s);
}

/* What does not fit is rejected for that, however long its prediction would take. */
static void note_left(TgPlanSearch *search, TgPlanCandidate *candidate) {
  TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, candidate->grid);
  const double limit_bytes = search->request->memory_bytes;
  bool fits = candidate->memory_low_bytes <= limit_bytes &&
              (candidate->memory_high_bytes <= limit_bytes || candidate->proof_s <= TG_PLAN_PROOF_MS * 1e-3);
  if (!candidate->tried && !fits && candidate->bound_s <= search->limit_s) tg_plan_try(search, candidate);
  if (!candidate->tried) note_untried(search, grid, candidate);
  if ((candidate->tried && !candidate->partly) || candidate->bound_s > search->limit_s) return;
  search->plan->too_long++;
  search->left_s = fmin(search->left_s, candidate->bound_s);
  if (candidate->bound_s >= search->best_s) return;
  search->plan->open++;
  grid->open++;
  grid->open_bound_s = fmin(grid->open_bound_s, candidate->bound_s);
}

/* What is under way tells its own units. */
static bool goes_on(void *user, int64_t done) {
  TgPlanSearch *search = user;
  (void)done;
  search->ended = search->ended ||
                  !tg_watch_go_on(search->request->watch, (g_get_monotonic_time() - search->begin_us) / G_USEC_PER_SEC);
  return tg_plan_left_s(search) > 0;
}

/* Grids of all numbers of processors that may be faster than the best so far; a part of the time for each schedule. */
static void find_between(TgPlanSearch *search, int sources) {
  for (int source = 0; source < sources; source++) {
    begin_part(search, coarse + (between - coarse) * (source + 1) / sources);
    if (is_product(&search->sources[source].schedule->computes)) tg_plan_find_between(search, source);
  }
}

/* First what may be place 1, which does not depend on how many places are asked for. */
static void plan_search(TgPlanSearch *search, int sources) {
  search->limit_s = search->best_s = search->left_s = INFINITY;
  search->for_first = true;
  g_array_sort(search->candidates, by_bound);
  begin_part(search, each);
  search_each(search, sources);
  begin_part(search, coarse);
  search_bands(search);
  find_between(search, sources);
  g_array_sort(search->candidates, by_bound);
  begin_part(search, best);
  search_bands(search);
  search->for_first = false;
  begin_part(search, 1);
  search_bands(search);
  for (guint c = 0; c < search->candidates->len; c++) note_left(search, candidate_at(search, c));
  search->left_s = fmin(search->left_s, search->unseen_s);
  if (search->unseen_s >= search->best_s) search->plan->unseen = 0;
  search->plan->least_s = fmin(search->left_s, search->best_s);
}

static const char *const cause_names[TG_PLAN_CAUSES] = {"computes", "require", "network", "sizes", "memory",
                                                        "same",     "bound",   "behind",  "work",  "wrong"};

const char *tg_plan_cause_name(TgPlanCause cause) {
  return cause_names[cause];
}

void tg_plan_reject(TgPlanSearch *search, int source, TgPlanCause cause, const char *grid, char *reason) {
  append_reject(search, &search->sources[source], grid, (TgPlanReject){.cause = cause, .reason = reason});
}

/* --- before the search -------------------------------------------------------------------------------------------- */

/* A machine whose numbers are those of a network of its own, which has another number of nodes. */
static bool fail_own(const TgPlanRequest *request, const TgError *failure, GError **error) {
  TgTopology own;
  if (!*request->machine->network || !tg_topology_parse(&own, request->machine->network, NULL) ||
      own.nodes == request->processors || request->network_kind != TG_TORUS)
    return TG_SIM_FAIL(error, BAD_INPUT, "%s", failure->message);
  return TG_SIM_FAIL(error, BAD_INPUT,
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
    return TG_SIM_FAIL(error, BAD_INPUT, "%" PRId64 " processors, expected 1 to %d", request->processors,
                       TG_MAX_PROCESSORS);
  if (request->machine->port.ports == TG_PORTS_FETCH)
    return TG_SIM_FAIL(
        error, BAD_INPUT,
        "machine %s has ports = fetch, as topogemm calibrate writes it, which plans do not know: `sim ALGO…` "
        "and `compare ALGO…` take such files; to plan with its rates, write ports = one or all in a copy",
        request->machine->name);
  if (request->network && network.nodes < request->processors)
    return TG_SIM_FAIL(error, BAD_INPUT, "the network has %d nodes, fewer than %" PRId64 " processors", network.nodes,
                       request->processors);
  if (!tg_machine_fits(request->machine, &network, &failure)) {
    if (request->network) return TG_SIM_FAIL(error, BAD_INPUT, "%s", failure.message);
    return fail_own(request, &failure, error);
  }
  return tg_shape_init(&shape, &product, request->m, request->n, request->k, error);
}

/* The least latency and the largest bandwidth of a link. */
static void find_best_link(TgPlanSearch *search) {
  TgTopology network = tg_plan_any_network(search->request);
  search->latency_s = search->seconds_per_byte = INFINITY;
  for (int level = 0; level < network.levels; level++) {
    for (int axis = 0; axis < tg_level_axes(&network.level[level]); axis++) {
      TgMachineLink link = tg_machine_link(search->request->machine, &network, level, axis);
      search->latency_s = fmin(search->latency_s, link.latency_s);
      search->seconds_per_byte = fmin(search->seconds_per_byte, 1 / link.bandwidth_bytes_per_s);
    }
  }
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

static void find_of(TgPlanSearch *search, int source) {
  const TgComputes *computes = &search->sources[source].schedule->computes;
  if (is_product(computes))
    tg_plan_find_grids(search, source);
  else
    tg_plan_reject(search, source, TG_PLAN_COMPUTES, "", g_strdup_printf("computes %s", tg_computes_text(computes).s));
}

/* Where there are a million processors, bounds alone take long: each schedule has its share of the time, those with few
 * grids first, so that those with many have what is left. */
static void find_candidates(TgPlanSearch *search, int count) {
  int done = 0;
  search->unseen_s = INFINITY;
  for (int extents = 0; extents <= TG_MAX_DIMS; extents++)
    for (int source = 0; source < count; source++) {
      if (tg_plan_free_extents(search->sources[source].schedule) != extents) continue;
      begin_part(search, finding * ++done / count);
      find_of(search, source);
    }
  keep_single(search);
}

/* --- the plan ------------------------------------------------------------------------------------------------------
 */

static void run(TgPlanSearch *search, int count) {
  search->candidates = g_array_new(FALSE, FALSE, sizeof(TgPlanCandidate));
  search->grids = g_array_new(FALSE, FALSE, sizeof(TgPlanGrid));
  search->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  search->watch = (TgWatch){goes_on, search};
  find_best_link(search);
  find_candidates(search, count);
  plan_search(search, count);
  plan_rank(search);
  tg_plan_prove(search);
  g_array_unref(search->candidates);
  g_array_unref(search->grids);
  g_hash_table_unref(search->seen);
}

bool tg_plan(const TgPlanRequest *request, const TgPlanSource *sources, int count, TgPlan *plan, GError **error) {
  TgPlanRequest taken = *request;
  TgPlanSearch search = {.request = &taken, .sources = sources, .plan = plan, .begin_us = g_get_monotonic_time()};
  *plan = (TgPlan){0};
  if (!check_request(request, error)) return false;
  taken.processors = tg_plan_processors(request);
  plan->ranked = g_array_new(FALSE, FALSE, sizeof(TgPlanPlace));
  plan->rejected = g_array_new(FALSE, FALSE, sizeof(TgPlanReject));
  run(&search, count);
  plan->wall_s = (double)(g_get_monotonic_time() - search.begin_us) * 1e-6;
  return true;
}

void tg_plan_clear(TgPlan *plan) {
  for (guint i = 0; plan->ranked && i < plan->ranked->len; i++)
    plan_place_clear(&g_array_index(plan->ranked, TgPlanPlace, i));
  for (guint i = 0; plan->rejected && i < plan->rejected->len; i++)
    g_free(g_array_index(plan->rejected, TgPlanReject, i).reason);
  g_clear_pointer(&plan->ranked, g_array_unref);
  g_clear_pointer(&plan->rejected, g_array_unref);
}
