/* What was predicted at sizes rounded up to whole blocks, predicted at the exact ones. */
#include "plan-private.h"

#include <math.h>

/* Whether the candidate has its grid's place, with a time of at most so much. */
static bool has_place(const TgPlanSearch *search, const TgPlanCandidate *candidate, double most_s) {
  const TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, candidate->grid);
  return grid->placed && grid->number == candidate->number && grid->place.predicted_s <= most_s;
}

/* Candidates that lost to a time of their grid which does not hold. */
static void forget_tried(TgPlanSearch *search, guint grid) {
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *other = candidate_at(search, c);
    if (other->grid != grid || !other->placed || has_place(search, other, INFINITY)) continue;
    other->tried = other->partly = other->placed = false;
    other->embeddings = 0;
  }
}

/* Predicts the candidate at the exact sizes. Where there is no time for that, all is as it was before. */
static void try_exactly(TgPlanSearch *search, TgPlanCandidate *candidate) {
  const TgPlanCandidate before = *candidate;
  TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, candidate->grid);
  TgPlanPlace place = grid->place;
  const bool placed = has_place(search, candidate, INFINITY);
  candidate->rounded = candidate->tried = candidate->partly = candidate->placed = candidate->screened = false;
  candidate->embeddings = 0;
  candidate->cut_s = candidate->rough_s = 0;
  candidate->bound_s = candidate->exact_bound_s;
  search->choice_s = fmin(tg_plan_left_s(search) / 4, TG_COST_CHOICE_MS * 1e-3);
  tg_plan_look_out(search, candidate); /* how much work it is now */
  if (tg_plan_cautious * tg_plan_work_now(search, candidate) > tg_plan_left_s(search)) {
    *candidate = before;
    return;
  }
  if (placed) {
    grid->place = (TgPlanPlace){0};
    grid->placed = false;
    search->limit_s = INFINITY;
  }
  const double limit_s = search->limit_s;
  tg_plan_try(search, candidate);
  tg_plan_find_limits(search);
  if (placed && grid->placed) {
    if (grid->place.predicted_s > place.predicted_s) forget_tried(search, candidate->grid);
    tg_plan_place_clear(&place);
  } else if (placed) {
    grid->place = place;
    grid->placed = true;
    *candidate = before;
    tg_plan_find_limits(search);
  } else if (candidate->embeddings == 0 && candidate->bound_s < limit_s) {
    *candidate = before;
  }
}

/* Whether all that is known of it is its time at sizes rounded up to whole blocks, or that this is too long. */
static bool is_rounded(const TgPlanCandidate *candidate) {
  const bool refused = candidate->tried && candidate->embeddings == 0;
  return candidate->rounded && !refused && !candidate->too_large;
}

/* Of those that have one of the places. */
static TgPlanCandidate *quickest_rounded(const TgPlanSearch *search) {
  TgPlanCandidate *quickest = NULL;
  double least_s = search->limit_s;
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *candidate = candidate_at(search, c);
    if (!is_rounded(candidate) || !has_place(search, candidate, least_s)) continue;
    quickest = candidate;
    least_s = g_array_index(search->grids, TgPlanGrid, candidate->grid).place.predicted_s;
  }
  return quickest;
}

void tg_plan_search_exactly(TgPlanSearch *search) {
  TgPlanCandidate *candidate;
  search->first_only = false;
  tg_plan_sort_promising(search);
  search->for_first = false;
  tg_plan_find_limits(search);
  while ((candidate = quickest_rounded(search)) && tg_plan_left_s(search) > 0) {
    try_exactly(search, candidate);
    if (candidate->rounded) break;
  }
  search->for_first = true;
  tg_plan_find_limits(search);
  for (guint c = 0; c < search->candidates->len && tg_plan_left_s(search) > 0; c++) {
    candidate = candidate_at(search, c);
    if (is_rounded(candidate) && candidate->exact_bound_s < search->best_s) try_exactly(search, candidate);
  }
  search->for_first = false;
  tg_plan_find_limits(search);
}

void tg_plan_note_rounded(TgPlanSearch *search, const TgPlanCandidate *candidate) {
  const bool open = (!candidate->tried || candidate->partly) && candidate->bound_s < search->best_s;
  if (!is_rounded(candidate)) return;
  search->left_s = fmin(search->left_s, candidate->exact_bound_s);
  if (!open && (candidate->exact_bound_s < search->best_s || has_place(search, candidate, search->best_s)))
    search->plan->rounded++;
}
