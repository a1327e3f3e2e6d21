/* The search for a plan: which candidates are predicted, in which order. */
#include "plan-private.h"

#include <math.h>

static int by_bound(gconstpointer a, gconstpointer b) {
  const TgPlanCandidate *x = a, *y = b;
  if (x->bound_s != y->bound_s) return x->bound_s < y->bound_s ? -1 : 1;
  if (x->grid != y->grid) return x->grid < y->grid ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

/* The most promising first; those without an outlook are the last ones by their bounds, too. */
static int by_outlook(gconstpointer a, gconstpointer b) {
  const TgPlanCandidate *x = a, *y = b;
  if (x->outlook_s != y->outlook_s) return x->outlook_s < y->outlook_s ? -1 : 1;
  return by_bound(a, b);
}

void tg_plan_sort_promising(TgPlanSearch *search) {
  g_array_sort(search->candidates, by_outlook);
}

static int by_number(gconstpointer a, gconstpointer b) {
  const TgPlanCandidate *x = *(TgPlanCandidate *const *)a, *y = *(TgPlanCandidate *const *)b;
  return (x->number > y->number) - (x->number < y->number);
}

static int by_work(gconstpointer a, gconstpointer b) {
  const TgPlanCandidate *x = *(TgPlanCandidate *const *)a, *y = *(TgPlanCandidate *const *)b;
  return x->work_s != y->work_s ? (x->work_s < y->work_s ? -1 : 1) : by_number(a, b);
}

/* Parts of the budget, by when they end, after candidates are found: how long they take, and what they promise; the
 * best is sought among them; other numbers of processors are looked at, and what they promise; the best is sought among
 * all; each schedule is predicted once; what promises less is predicted; the other places are sought; and sizes that
 * were rounded up are replaced by the exact ones. What is left is for the places, see search_places(). */
static const double pacing = 0.27, looking = 0.37, coarse = 0.5, between = 0.56, looking_again = 0.63, fine = 0.82,
                    each = 0.86, best = 0.9, all = 0.92, exact = 0.98;

/* Parts of the budget that choosing the collectives of one candidate may take, at first, then, and in the end. */
static const double choosing[] = {0.01, 0.05, INFINITY};

/* An outlook is seldom wrong by more than this factor. */
static const double promising = 2;

/* --- the search: what is predicted, in which order, and what is left for the time that it would take -------------- */

static int ascending(gconstpointer a, gconstpointer b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The quickest place of each schedule. */
static void find_fastest(TgPlanSearch *search, const TgPlanGrid **fastest, int sources) {
  for (int source = 0; source < sources; source++) fastest[source] = NULL;
  for (guint g = 0; g < search->grids->len; g++) {
    const TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, g), **least = &fastest[grid->source];
    if (grid->placed && (!*least || grid->place.predicted_s < (*least)->place.predicted_s)) *least = grid;
  }
  for (int source = 0; source < sources; source++)
    search->fastest_s[source] = fastest[source] ? fastest[source]->place.predicted_s : INFINITY;
}

/* The predicted times of the first and the last place. Whoever asks for the first alone still wants to know whether the
 * second ties with it. Grids of other numbers of processors take a place only where they are a schedule's fastest. */
void tg_plan_find_limits(TgPlanSearch *search) {
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));
  g_autofree const TgPlanGrid **fastest = g_new(const TgPlanGrid *, search->source_count);
  const guint places = (guint)MAX(search->request->top, 2);
  find_fastest(search, fastest, search->source_count);
  for (guint g = 0; g < search->grids->len; g++) {
    const TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, g);
    if (grid->placed && (!grid->between || grid == fastest[grid->source]))
      g_array_append_val(times, grid->place.predicted_s);
  }
  g_array_sort(times, ascending);
  search->best_s = times->len ? g_array_index(times, double, 0) : INFINITY;
  search->limit_s = search->for_first      ? search->best_s
                    : times->len >= places ? g_array_index(times, double, places - 1)
                                           : INFINITY;
}

/* Whether the candidate may take one of the places that are sought. */
static bool may_come_in(const TgPlanSearch *search, const TgPlanCandidate *candidate) {
  const TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, candidate->grid);
  if (grid->between && candidate->bound_s >= search->fastest_s[grid->source]) return false;
  return search->for_first ? candidate->bound_s < search->best_s : candidate->bound_s <= search->limit_s;
}

static void try_candidate(TgPlanSearch *search, TgPlanCandidate *candidate) {
  tg_plan_try(search, candidate);
  tg_plan_find_limits(search);
}

/* Puts the most promising first again if outlooks turned out to be wrong, but sorting may take only a part of the time.
 * `work_s`: of the predictions since then, as thought, not measured: all runs have one order. */
static bool sort_anew(TgPlanSearch *search, double *work_s) {
  static const double part = 0.05, each_s = 1e-6; /* of a candidate, about */
  if (part * *work_s < search->candidates->len * each_s) return false;
  *work_s = 0;
  if (!tg_plan_count_beyond(search)) return false;
  tg_plan_sort_promising(search);
  return true;
}

/* Whether a candidate of another schedule with exactly the same estimate was tried. On some grids, two schedules do the
 * same: COSMA with one step is Agarwal's 3D algorithm. */
static bool has_twin(const TgPlanSearch *search, const TgPlanCandidate *candidate) {
  for (guint c = 0; c < search->candidates->len; c++) {
    const TgPlanCandidate *other = &g_array_index(search->candidates, TgPlanCandidate, c);
    if (other->tried && other->source != candidate->source && other->processors == candidate->processors &&
        other->promise_s == candidate->promise_s && other->bound_s == candidate->bound_s)
      return true;
  }
  return false;
}

/* Those that may still come in, the most promising first, up to an outlook of so many times the best. */
static void search_all(TgPlanSearch *search, double most_outlooks) {
  double work_s = 0;
  for (guint c = 0; c < search->candidates->len && tg_plan_left_s(search) > 0; c++) {
    if (sort_anew(search, &work_s)) c = 0;
    TgPlanCandidate *candidate = candidate_at(search, c);
    if (candidate->outlook_s > most_outlooks * search->best_s) return;
    if ((candidate->tried && !candidate->partly) || candidate->too_large) continue;
    if (!may_come_in(search, candidate)) continue;
    if (isinf(candidate->outlook_s)) tg_plan_look_out(search, candidate); /* it also says how much work it is */
    if (tg_plan_cautious * tg_plan_work_now(search, candidate) > tg_plan_left_s(search)) continue;
    if (isfinite(most_outlooks) && has_twin(search, candidate)) continue;
    work_s += candidate->work_s;
    try_candidate(search, candidate);
  }
}

/* Whether it is to be predicted, for the first time or with more time for its choice of collectives, which then has
 * room for several more. */
static bool is_next(const TgPlanSearch *search, const TgPlanCandidate *candidate) {
  enum { SEVERAL = 4 };
  if (candidate->too_large || !may_come_in(search, candidate)) return false;
  if (!candidate->tried) return true;
  const double once_s = tg_plan_work_now(search, candidate) - search->choice_s;
  return candidate->rough_s > 0 && candidate->rough_s < search->choice_s && SEVERAL * once_s <= search->choice_s;
}

/* Of each schedule the most promising: how far outlooks are off differs from schedule to schedule, more than among the
 * grids of one. First with little time for the choice of collectives, then with more. */
static void search_firsts(TgPlanSearch *search) {
  static const double near = 1.3; /* times the best: nothing beyond is expected to be faster */
  search->first_only = true;
  for (int pass = 0; pass < 2; pass++) {
    g_autofree bool *seen = g_new0(bool, MAX(search->source_count, 1));
    search->choice_s = choosing[pass] * search->request->budget_s;
    for (guint c = 0; c < search->candidates->len && tg_plan_left_s(search) > 0; c++) {
      TgPlanCandidate *candidate = candidate_at(search, c);
      if (candidate->outlook_s > near * search->best_s) break;
      if (seen[candidate->source] || !is_next(search, candidate) || has_twin(search, candidate)) continue;
      seen[candidate->source] = true;
      if (tg_plan_cautious * tg_plan_work_now(search, candidate) <= tg_plan_left_s(search))
        try_candidate(search, candidate);
    }
  }
}

/* Of each schedule the most promising, or if that takes too long, the quickest to predict. */
static TgPlanCandidate *first_of(const TgPlanSearch *search, int source, double work_s) {
  TgPlanCandidate *first = NULL;
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    if (candidate->source != source || candidate->memory_low_bytes > search->request->memory_bytes) continue;
    if (isinf(candidate->outlook_s) && candidate->work_s <= work_s) tg_plan_look_out(search, candidate);
    if (candidate->work_s <= work_s) return candidate;
    if (!first || candidate->work_s < first->work_s) first = candidate;
  }
  return first;
}

/* Every schedule is predicted once, whatever the bounds say, the quickest predictions first: if possible none that
 * takes longer than `work_s`. */
static void search_each(TgPlanSearch *search, int sources, double work_s) {
  g_autoptr(GPtrArray) firsts = g_ptr_array_new();
  for (int source = 0; source < sources; source++) {
    TgPlanCandidate *first = first_of(search, source, work_s);
    if (first && !first->tried) g_ptr_array_add(firsts, first);
  }
  g_ptr_array_sort(firsts, by_work);
  search->first_only = true;
  search->choice_s = choosing[0] * search->request->budget_s;
  for (guint i = 0; i < firsts->len && tg_plan_left_s(search) > 0; i++) {
    search->limit_s = INFINITY;
    try_candidate(search, g_ptr_array_index(firsts, i));
  }
}

/* All with one embedding before any with another, and with little time for the choice of collectives before there is
 * more; where a quicker model is a bound it is asked first, see tg_plan_try(). */
static void search_thrice(TgPlanSearch *search, double most_outlooks) {
  tg_plan_find_limits(search);
  for (gsize pass = 0; pass < G_N_ELEMENTS(choosing); pass++) {
    search->first_only = pass == 0;
    search->choice_s = fmin(choosing[pass] * search->request->budget_s, TG_COST_CHOICE_MS * 1e-3);
    search_all(search, most_outlooks);
  }
}

/* The places themselves once more, where their choice of collectives was cut short. */
static void search_places(TgPlanSearch *search) {
  tg_plan_find_limits(search);
  search->first_only = false;
  for (guint c = 0; c < search->candidates->len && tg_plan_left_s(search) > 0; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    search->choice_s = fmin(tg_plan_left_s(search) / 2, TG_COST_CHOICE_MS * 1e-3);
    const TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, candidate->grid);
    if (candidate->rough_s == 0 || candidate->rough_s >= search->choice_s || !grid->placed ||
        grid->number != candidate->number)
      continue;
    if (grid->place.predicted_s > search->limit_s) continue;
    if (tg_plan_cautious * tg_plan_work_now(search, candidate) <= tg_plan_left_s(search))
      try_candidate(search, candidate);
  }
}

/* Asks for outlooks, of the lowest bounds first, as long as these are below the best time, or while there is none, not
 * far above the best outlook. Candidates that cannot be predicted in `time_s` do not count. After `in_a_row` candidates
 * without promise a schedule's bounds say little: its others are skipped. True where some were. */
static bool ask_outlooks(TgPlanSearch *search, double time_s, int in_a_row) {
  static const double far = 1.25;
  double least_s = search->best_s;
  bool skipped = false;
  g_autofree int *nothing = g_new0(int, MAX(search->source_count, 1));
  for (guint c = 0; c < search->candidates->len && tg_plan_left_s(search) > 0; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    if (candidate->bound_s >= fmin(far * least_s, search->best_s)) break;
    const bool skip = nothing[candidate->source] == in_a_row;
    skipped = skipped || skip;
    if (skip) continue;
    const bool asked = !isinf(candidate->outlook_s);
    if (!asked) tg_plan_look_out(search, candidate);
    if (tg_plan_cautious * tg_plan_work_now(search, candidate) > time_s) continue;
    least_s = fmin(least_s, candidate->outlook_s);
    const bool promises = candidate->outlook_s <= promising * least_s;
    nothing[candidate->source] = promises ? 0 : nothing[candidate->source] + !asked;
  }
  return skipped;
}

/* Asks for the outlooks until `part` of the budget has gone, each time skipping fewer; and puts the most
 * promising candidates first. What is found is predicted until `until` of the budget has gone. */
static void look_out(TgPlanSearch *search, double part, double until) {
  search->choice_s = choosing[0] * search->request->budget_s;
  tg_plan_begin_part(search, part);
  const double then_s = search->request->budget_s - (double)(search->until_us - search->begin_us) * 1e-6;
  const double time_s = tg_plan_left_s(search) + (until - part) / (1 - part) * then_s;
  g_array_sort(search->candidates, by_bound);
  for (int in_a_row = 64; tg_plan_left_s(search) > 0 && ask_outlooks(search, time_s, in_a_row);) in_a_row *= 4;
  tg_plan_sort_promising(search);
}

/* One that was not tried: its bound rules it out, or it would have taken too long. */
static void note_untried(TgPlanSearch *search, TgPlanGrid *grid, const TgPlanCandidate *candidate) {
  const bool left = may_come_in(search, candidate);
  search->plan->pruned += !left;
  grid->left = grid->left || left;
  grid->bound_s = fmin(grid->bound_s, candidate->bound_s);
}

/* If nothing was predicted, find out why: one prediction that fits in memory shows that time was short. */
static bool is_worth_asking(const TgPlanSearch *search, const TgPlanCandidate *candidate) {
  static const double longer_s = 1; /* than the budget */
  const double spent_s = (double)(g_get_monotonic_time() - search->begin_us) * 1e-6;
  return isinf(search->best_s) && search->plan->too_long == 0 && !candidate->too_large && !search->ended &&
         spent_s < search->request->budget_s + longer_s;
}

/* What does not fit is rejected for that, however long its prediction would take. */
static void note_left(TgPlanSearch *search, TgPlanCandidate *candidate) {
  TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, candidate->grid);
  const double limit_bytes = search->request->memory_bytes;
  bool fits = candidate->memory_low_bytes <= limit_bytes &&
              (candidate->memory_high_bytes <= limit_bytes || candidate->proof_s <= TG_PLAN_PROOF_MS * 1e-3);
  if (!candidate->tried && !fits && may_come_in(search, candidate)) tg_plan_try(search, candidate);
  if (!candidate->tried || (candidate->partly && !candidate->placed)) note_untried(search, grid, candidate);
  if ((candidate->tried && !candidate->partly) || !may_come_in(search, candidate)) return;
  if (is_worth_asking(search, candidate)) tg_plan_check_room(search, candidate);
  *(candidate->too_large ? &search->plan->too_large : &search->plan->too_long) += 1;
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

static bool is_promising(const TgPlanSearch *search, int source) {
  for (guint c = 0; c < search->candidates->len; c++) {
    const TgPlanCandidate *candidate = candidate_at(search, c);
    if (candidate->source == source && candidate->outlook_s <= promising * search->best_s) return true;
  }
  return false;
}

/* Grids of all numbers of processors that may be faster than the best so far, of promising schedules first. */
static void find_between(TgPlanSearch *search, int sources) {
  g_autofree int *first = g_new(int, sources + 1), *then = g_new(int, sources + 1);
  int firsts = 0, thens = 0;
  for (int source = 0; source < sources; source++) {
    if (!tg_plan_is_product(&search->sources[source].schedule->computes)) continue;
    if (is_promising(search, source))
      first[firsts++] = source;
    else
      then[thens++] = source;
  }
  tg_plan_begin_part(search, between);
  tg_plan_find_between(search, first, firsts);
  tg_plan_find_between(search, then, thens);
}

/* Predicts something small of each schedule: how long that takes says how long others will, which is thought but
 * roughly before. */
static void search_paces(TgPlanSearch *search, int sources) {
  static const double small = 0.005; /* of the budget */
  tg_plan_begin_part(search, pacing);
  g_array_sort(search->candidates, by_bound);
  search_each(search, sources, small * search->request->budget_s);
}

/* The most promising of those whose prediction takes no more than this part of the budget, or NULL. */
static TgPlanCandidate *most_promising(TgPlanSearch *search, double most) {
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    if (isinf(candidate->outlook_s)) return NULL;
    if (candidate->memory_low_bytes <= search->request->memory_bytes &&
        tg_plan_work_now(search, candidate) <= most * search->request->budget_s)
      return candidate;
  }
  return NULL;
}

/* A time to begin with, and better ones that take longer to predict: all others may take longer than the budget. */
static void search_quick(TgPlanSearch *search) {
  enum { TRIES = 2 }; /* which take longer than thought, perhaps */
  static const double most[] = {0.03, 0.1};
  tg_plan_find_limits(search);
  search->first_only = true;
  search->choice_s = choosing[0] * search->request->budget_s;
  for (gsize i = 0; i < TRIES * G_N_ELEMENTS(most); i++) {
    TgPlanCandidate *candidate = most_promising(search, most[i / TRIES]);
    if (candidate && !candidate->tried && candidate->outlook_s < search->best_s) try_candidate(search, candidate);
  }
}

/* Something at all: what is predicted quickly, of what surely fits first. */
static void search_any(TgPlanSearch *search) {
  g_autoptr(GPtrArray) open = g_ptr_array_new();
  const double limit_bytes = search->request->memory_bytes;
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    if (!candidate->tried && !candidate->too_large && candidate->memory_low_bytes <= limit_bytes)
      g_ptr_array_add(open, candidate);
  }
  g_ptr_array_sort(open, by_work);
  search->first_only = search->patient = true;
  search->choice_s = choosing[0] * search->request->budget_s;
  for (int unclear = 0; unclear <= 1; unclear++)
    for (guint i = 0; i < open->len && isinf(search->best_s) && tg_plan_left_s(search) > 0; i++) {
      TgPlanCandidate *candidate = g_ptr_array_index(open, i);
      search->limit_s = INFINITY;
      if ((candidate->memory_high_bytes > limit_bytes) == unclear) try_candidate(search, candidate);
    }
  search->patient = false;
}

/* Does something between two parts, or in one, until `part` of the budget has gone. */
static void seek_until(TgPlanSearch *search, double part, void seek(TgPlanSearch *search)) {
  const double before = search->part;
  const int64_t until_us = search->until_us;
  tg_plan_begin_part(search, part);
  seek(search);
  search->part = before;
  search->until_us = until_us;
}

/* First what may be place 1, which does not depend on how many places are asked for. */
static void plan_search(TgPlanSearch *search, int sources) {
  search->limit_s = search->best_s = search->left_s = INFINITY;
  search->for_first = true;
  search_paces(search, sources);
  look_out(search, looking, coarse);
  tg_plan_begin_part(search, coarse);
  search_quick(search);
  search_firsts(search);
  search_thrice(search, promising);
  seek_until(search, each, search_any);
  find_between(search, sources);
  look_out(search, looking_again, fine);
  tg_plan_begin_part(search, fine);
  search_quick(search);
  search_firsts(search);
  seek_until(search, best, search_places); /* the best so far, whose choice of collectives may have been cut short */
  search_thrice(search, promising);
  tg_plan_begin_part(search, each);
  search_each(search, sources, tg_plan_left_s(search) / MAX(sources, 1));
  tg_plan_begin_part(search, best);
  search_places(search);
  search_thrice(search, INFINITY);
  search->for_first = false;
  tg_plan_begin_part(search, all);
  search_thrice(search, INFINITY);
  tg_plan_begin_part(search, exact);
  tg_plan_search_exactly(search);
  tg_plan_begin_part(search, 1);
  search_places(search);
  for (guint c = 0; c < search->candidates->len; c++) {
    note_left(search, candidate_at(search, c));
    tg_plan_note_rounded(search, candidate_at(search, c));
  }
  search->left_s = fmin(search->left_s, search->unseen_s);
  if (search->unseen_s >= search->best_s) search->plan->unseen = 0;
  search->plan->least_s = fmin(search->left_s, search->best_s);
}

/* --- the plan ------------------------------------------------------------------------------------------------------
 */

static void run(TgPlanSearch *search, int count) {
  search->candidates = g_array_new(FALSE, FALSE, sizeof(TgPlanCandidate));
  search->grids = g_array_new(FALSE, FALSE, sizeof(TgPlanGrid));
  search->seen = tg_plan_seen_new();
  search->source_count = count;
  search->fastest_s = g_new(double, MAX(count, 1));
  search->pace = g_new(TgPlanPace, MAX(count, 1));
  for (int source = 0; source < count; source++) search->pace[source] = (TgPlanPace){.beyond = 1, .counted = 1};
  search->watch = (TgWatch){goes_on, search};
  tg_plan_find_best_link(search);
  tg_plan_find_candidates(search, count);
  plan_search(search, count);
  tg_plan_rank(search);
  tg_plan_prove(search);
  g_array_unref(search->candidates);
  g_array_unref(search->grids);
  g_hash_table_unref(search->seen);
  g_free(search->fastest_s);
  g_free(search->pace);
}

bool tg_plan(const TgPlanRequest *request, const TgPlanSource *sources, int count, TgPlan *plan, GError **error) {
  TgPlanRequest taken = *request;
  TgPlanSearch search = {.request = &taken, .sources = sources, .plan = plan, .begin_us = g_get_monotonic_time()};
  *plan = (TgPlan){0};
  if (!tg_plan_check_request(request, error)) return false;
  taken.processors = tg_plan_processors(request);
  plan->ranked = g_array_new(FALSE, FALSE, sizeof(TgPlanPlace));
  plan->rejected = g_array_new(FALSE, FALSE, sizeof(TgPlanReject));
  run(&search, count);
  plan->wall_s = (double)(g_get_monotonic_time() - search.begin_us) * 1e-6;
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
