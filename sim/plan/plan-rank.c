/* Puts what the search has found in order: the ranking, and what is not in it, with the reason. */
#include "plan-private.h"

#include <math.h>
#include <string.h>

static const char *const cause_names[TG_PLAN_CAUSES] = {"computes", "require", "network", "memory", "same",
                                                        "bound",    "behind",  "work",    "wrong"};

const char *tg_plan_cause_name(TgPlanCause cause) {
  return cause_names[cause];
}

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
static const double same = 1 + 1e-12;

static bool is_same_time(const TgPlanPlace *x, const TgPlanPlace *y) {
  return x->predicted_s <= same * y->predicted_s && y->predicted_s <= same * x->predicted_s;
}

static void sort_places(GArray *ranked) {
  g_array_sort(ranked, by_time);
  for (guint begin = 0, end; begin < ranked->len; begin = end) {
    TgPlanPlace *first = &g_array_index(ranked, TgPlanPlace, begin);
    for (end = begin + 1; end < ranked->len; end++)
      if (!is_same_time(first, &g_array_index(ranked, TgPlanPlace, end))) break;
    qsort(first, end - begin, sizeof *first, by_simplicity);
  }
}

static void mark_ties(const TgPlanSearch *search, GArray *ranked) {
  if (ranked->len == 0) return;
  TgPlanPlace *best = &g_array_index(ranked, TgPlanPlace, 0);
  for (guint i = 0; i < ranked->len; i++) {
    TgPlanPlace *place = &g_array_index(ranked, TgPlanPlace, i);
    place->certain = !place->rounded && search->left_s >= place->predicted_s;
    if (i == 0) continue;
    place->tie = tg_machine_is_tie(search->request->machine, place->predicted_s, best->predicted_s);
    best->tie = best->tie || place->tie;
  }
}

void tg_plan_place_clear(TgPlanPlace *place) {
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

void tg_plan_reject(TgPlanSearch *search, int source, TgPlanCause cause, const char *grid, char *reason) {
  append_reject(search, &search->sources[source], grid, (TgPlanReject){.cause = cause, .reason = reason});
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
  tg_plan_place_clear(place);
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
      const bool slower = is_same_time(&by->place, &grid->place)
                              ? !by->between || by_simplicity(&by->place, &grid->place) < 0
                              : by->place.predicted_s < grid->place.predicted_s;
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
void tg_plan_rank(TgPlanSearch *search) {
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
