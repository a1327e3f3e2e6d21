/* The search: what is predicted, in which order, and what is left for the time that it would take. */
#include "plan-private.h"

#include <math.h>

/* Part of the work that goes into sharper bounds before what may be the first is predicted. */
static const double screening = 0.25;

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

static int by_screen(gconstpointer a, gconstpointer b) {
  const TgPlanCandidate *x = *(TgPlanCandidate *const *)a, *y = *(TgPlanCandidate *const *)b;
  return x->screen_s != y->screen_s ? (x->screen_s < y->screen_s ? -1 : 1) : by_number(a, b);
}

static int by_time(gconstpointer a, gconstpointer b) {
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
  g_array_sort(times, by_time);
  search->best_s = times->len ? g_array_index(times, double, 0) : INFINITY;
  search->limit_s = times->len >= places ? g_array_index(times, double, places - 1) : INFINITY;
}

static void try_candidate(TgPlanSearch *search, TgPlanCandidate *candidate) {
  tg_plan_try(search, candidate);
  find_limits(search);
}

static bool affordable(const TgPlanSearch *search, double work_s) {
  return search->spent_s + work_s <= search->request->work_s;
}

/* Those whose prediction takes at most `work_s` and may still come in, in order of their bounds. */
static void search_quick(TgPlanSearch *search, double work_s) {
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    if ((candidate->tried && !candidate->partly) || candidate->work_s > work_s) continue;
    if (candidate->bound_s > search->limit_s) continue;
    if (affordable(search, candidate->work_s)) try_candidate(search, candidate);
  }
}

/* Those that may be the first. */
static GPtrArray *find_firsts(const TgPlanSearch *search, GCompareFunc order) {
  GPtrArray *firsts = g_ptr_array_new();
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    if ((!candidate->tried || candidate->partly) && candidate->bound_s < search->best_s)
      g_ptr_array_add(firsts, candidate);
  }
  g_ptr_array_sort(firsts, order);
  return firsts;
}

/* What may be the first comes before what may only come in, the cheapest first, so that as few as can be are left; and
 * all with one embedding before any with another. */
static void search_first(TgPlanSearch *search) {
  g_autoptr(GPtrArray) screened = find_firsts(search, by_screen);
  const double most_s = search->spent_s + screening * (search->request->work_s - search->spent_s);
  for (guint i = 0; i < screened->len; i++) {
    TgPlanCandidate *candidate = g_ptr_array_index(screened, i);
    if (!candidate->tried && !candidate->screened && search->spent_s + candidate->screen_s <= most_s)
      tg_plan_screen(search, candidate);
  }
  for (int pass = 0; pass < 2; pass++) {
    search->first_only = pass == 0;
    g_autoptr(GPtrArray) firsts = find_firsts(search, by_work);
    for (guint i = 0; i < firsts->len; i++) {
      TgPlanCandidate *candidate = g_ptr_array_index(firsts, i);
      if (candidate->bound_s < search->best_s && affordable(search, candidate->work_s))
        try_candidate(search, candidate);
    }
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
  grid->open_collective = candidate->collective;
  grid->open_collectives = candidate->has_collectives;
}

/* What is quickly predicted first: the better the places that are known, the fewer long predictions it takes. */
void tg_plan_search(TgPlanSearch *search) {
  const double work_s = search->request->work_s;
  for (guint c = 0; c < search->candidates->len; c++) candidate_at(search, c)->number = c;
  g_array_sort(search->candidates, by_bound);
  search->limit_s = search->best_s = search->left_s = INFINITY;
  search_quick(search, work_s / 200);
  search_first(search);
  search_quick(search, work_s / 20);
  search_quick(search, INFINITY);
  for (guint c = 0; c < search->candidates->len; c++) note_left(search, candidate_at(search, c));
}
