/* The answer of a plan: places in order, and reasons against all others. */
#include "plan-private.h"

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

void tg_plan_place_clear(TgPlanPlace *place) {
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

static void append_reject(TgPlanSearch *search, const TgPlanGrid *grid, TgPlanReject reject) {
  reject.source = &search->sources[grid->source];
  g_strlcpy(reject.grid, grid->text, sizeof reject.grid);
  g_array_append_val(search->plan->rejected, reject);
}

/* What of the grid was not predicted: all, or one algorithm of its collectives, or several choices. */
static void reject_open(TgPlanSearch *search, TgPlanGrid *grid) {
  g_autofree char *what =
      !grid->placed    ? g_strdup("")
      : grid->open > 1 ? g_strdup_printf("with %u other choices ", grid->open)
                       : g_strdup_printf("with %s ", grid->open_collectives ? tg_collective_name(grid->open_collective)
                                                                            : "another choice");
  const char *than = isinf(search->best_s) ? "" : ", less than place 1";
  append_reject(
      search, grid,
      (TgPlanReject){.cause = TG_PLAN_WORK,
                     .open = true,
                     .time_s = grid->open_bound_s,
                     .reason = g_strdup_printf("%snot predicted, which would take too long; takes %.4g s at least%s",
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
  append_reject(search, grid, reject);
  double *least = &search->plan->least_bytes;
  if (reject.cause == TG_PLAN_MEMORY && (*least == 0 || reject.least_bytes < *least)) *least = reject.least_bytes;
}

static void reject_place(TgPlanSearch *search, TgPlanPlace *place) {
  TgPlanReject reject = {.source = place->source, .cause = TG_PLAN_BEHIND, .time_s = place->predicted_s};
  g_strlcpy(reject.grid, place->grid, sizeof reject.grid);
  reject.reason = time_reason(search, reject.cause, reject.time_s);
  g_array_append_val(search->plan->rejected, reject);
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

static void sort_grid(TgPlanSearch *search, TgPlanGrid *grid) {
  if (grid->placed) g_array_append_val(search->plan->ranked, grid->place);
  if (grid->open)
    reject_open(search, grid);
  else if (!grid->placed)
    reject_grid(search, grid);
  g_clear_pointer(&grid->reject.reason, g_free);
  g_clear_pointer(&grid->proved_for, g_free);
}

void tg_plan_rank(TgPlanSearch *search) {
  GArray *ranked = search->plan->ranked;
  guint top = (guint)search->request->top;
  for (guint g = 0; g < search->grids->len; g++) sort_grid(search, &g_array_index(search->grids, TgPlanGrid, g));
  sort_places(ranked);
  mark_ties(search, ranked);
  tg_plan_explain(search, ranked);
  for (guint i = top; i < ranked->len; i++) reject_place(search, &g_array_index(ranked, TgPlanPlace, i));
  if (ranked->len > top) g_array_set_size(ranked, top);
  g_array_sort(search->plan->rejected, by_cause);
}
