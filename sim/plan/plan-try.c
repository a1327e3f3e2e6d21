/* One candidate: does it fit, and what is predicted of it. */
#include "plan-private.h"

#include "lane.h"
#include "phase.h"
#include "prove.h"
#include "sim-error.h"

#include <math.h>

/* A reason against one candidate of a grid: kept unless a better candidate is ranked. Memory is the one to name where
 * several candidates failed for different reasons. */
void tg_plan_against(TgPlanGrid *grid, TgPlanCause cause, double least_bytes, char *reason) {
  TgPlanReject *old = &grid->reject;
  bool keep = old->reason && old->cause == TG_PLAN_MEMORY && cause != TG_PLAN_MEMORY;
  if (old->reason && old->cause == TG_PLAN_MEMORY && cause == TG_PLAN_MEMORY) keep = old->least_bytes <= least_bytes;
  if (keep) {
    g_free(reason);
    return;
  }
  g_free(old->reason);
  *old = (TgPlanReject){.cause = cause, .least_bytes = least_bytes, .reason = reason};
}

typedef struct TgAttempt {
  TgPlanSearch *search;
  TgPlanCandidate *candidate;
  TgPlanGrid *grid;
  const TgPlanSource *source;
  TgSchedule schedule;
  TgShape shape;
  TgTopology network;
  double memory_bytes; /* and … */
  bool memory_proved;
} TgAttempt;

/* To look at where each block lies takes longer than many predictions, and is part of the proof that a proved source
 * has had. */
static bool bind(TgAttempt *attempt) {
  const TgPlanSource *source = attempt->source;
  const TgBindings *bindings = &attempt->candidate->bindings;
  TgSchedule *schedule = &attempt->schedule;
  TgError error;
  *schedule = *source->schedule;
  if (!source->proved) {
    if (tg_schedule_bind(schedule, source->names, bindings, &error)) return true;
  } else if (tg_schedule_bind_values(schedule, source->names, bindings, &error) &&
             tg_plan_count_blocks(schedule, source->names, bindings)) {
    schedule->bound = TG_BOUND_YES;
    return true;
  }
  tg_plan_against(attempt->grid, TG_PLAN_WRONG, 0, g_strdup(error.message));
  return false;
}

/* Proves, once for each set of parameters. Where it fails, so does the schedule. */
static bool prove(TgAttempt *attempt) {
  const TgPlanRequest *request = attempt->search->request;
  TgPlanGrid *grid = attempt->grid;
  TgProof proof;
  g_autofree char *parameters = tg_plan_parameters_text(&attempt->schedule, attempt->source->names);
  if (g_strcmp0(grid->proved_for, parameters) != 0) {
    if (!tg_prove(&attempt->schedule, attempt->source->names, TG_COLLECTIVE_WHOLE, request->m, request->n, request->k,
                  &proof)) {
      tg_plan_against(grid, TG_PLAN_WRONG, 0, g_strdup_printf("its proof fails: %s", proof.failure.message));
      return false;
    }
    g_free(grid->proved_for);
    grid->proved_for = g_steal_pointer(&parameters);
    grid->proved_bytes = (double)proof.counts.words_per_processor_max * (double)request->element_bytes;
  }
  attempt->memory_bytes = grid->proved_bytes + attempt->candidate->places_bytes;
  attempt->memory_proved = true;
  return true;
}

static bool proof_fits(const TgPlanRequest *request, const TgSchedule *schedule) {
  return request->limit_bytes <= 0 || tg_state_need_bytes(schedule) <= request->limit_bytes;
}

static bool proof_is_quick(const TgAttempt *attempt) {
  return attempt->candidate->proof_s <= TG_PLAN_PROOF_MS * 1e-3 &&
         proof_fits(attempt->search->request, &attempt->schedule);
}

static void reject_memory(TgAttempt *attempt, double bytes, const char *words) {
  tg_plan_against(attempt->grid, TG_PLAN_MEMORY, bytes,
                  g_strdup_printf("%s %.0f bytes per processor, more than %.0f", words, bytes,
                                  attempt->search->request->memory_bytes));
}

/* The bound decides where it can, the prover where that is quick, and otherwise what may not fit is left out. */
static bool fits(TgAttempt *attempt) {
  double limit = attempt->search->request->memory_bytes;
  attempt->memory_bytes = attempt->candidate->memory_high_bytes;
  if (attempt->candidate->memory_low_bytes > limit) {
    reject_memory(attempt, attempt->candidate->memory_low_bytes, "needs at least");
    return false;
  }
  bool unclear = attempt->memory_bytes > limit;
  if (!bind(attempt)) return false;
  if ((unclear || !attempt->source->proved) && proof_is_quick(attempt) && !prove(attempt)) return false;
  if (attempt->memory_bytes <= limit) return true;
  reject_memory(attempt, attempt->memory_bytes, attempt->memory_proved ? "holds" : "not proved to fit: holds up to");
  return false;
}

/* Following blocks of different sizes by name is slow. Where it takes too long, sizes are rounded up to whole blocks:
 * no processor has less to do then. */
static bool set_shape(TgAttempt *attempt) {
  const TgSchedule *schedule = &attempt->schedule;
  TgPlanRequest sizes = *attempt->search->request;
  if (attempt->candidate->rounded) sizes = tg_plan_whole_blocks(&sizes, schedule);
  return tg_shape_init(&attempt->shape, &schedule->computes, sizes.m, sizes.n, sizes.k, NULL);
}

static double balance_of(const TgAttempt *attempt, const TgCost *cost) {
  double most = 0, sum = 0;
  for (int64_t n = 0; n < cost->nodes; n++) {
    sum += cost->node_compute_s[n];
    most = fmax(most, cost->node_compute_s[n]);
  }
  return most > 0 ? sum / (most * (double)tg_schedule_processors(&attempt->schedule)) : 1;
}

/* As `sim` has it: NaN where there is no time to share. */
static double efficiency_of(const TgPlanRequest *request, const TgPlanPlace *place) {
  const double serial_s = tg_machine_product_s(request->machine, request->m, request->n, request->k);
  const double all_s = (double)place->processors * place->predicted_s;
  return serial_s > 0 && all_s > 0 ? serial_s / all_s : NAN;
}

/* Of equal times that of the candidate found first, whatever the order in which they are tried. */
static bool is_better(const TgAttempt *attempt, double time_s) {
  const TgPlanGrid *grid = attempt->grid;
  const double scale = 1e-12 * grid->place.predicted_s;
  if (!grid->placed || time_s < grid->place.predicted_s - scale) return true;
  return time_s <= grid->place.predicted_s + scale && attempt->candidate->number < grid->number;
}

static void take_place(TgAttempt *attempt, TgEmbeddingKind embedding, const TgCost *cost) {
  TgPlanPlace *place = &attempt->grid->place;
  const TgPlanCandidate *candidate = attempt->candidate;
  if (!is_better(attempt, cost->time_s)) return;
  g_free(place->parameters);
  g_free(place->collectives);
  *place = (TgPlanPlace){.source = attempt->source,
                         .bindings = candidate->bindings,
                         .collectives = tg_cost_collectives_text(cost, attempt->source->names),
                         .embedding = embedding,
                         .processors = tg_schedule_processors(&attempt->schedule),
                         .predicted_s = cost->time_s,
                         .compute_s = cost->compute_s,
                         .communication_s = cost->communication_s,
                         .bound_s = candidate->bound_s,
                         .proof_s = candidate->proof_s,
                         .messages = cost->messages,
                         .bytes = cost->bytes,
                         .max_link_bytes = cost->max_link_bytes,
                         .bytes_per_processor = attempt->memory_bytes,
                         .memory_bound_bytes = candidate->memory_high_bytes,
                         .places_bytes = candidate->places_bytes,
                         .memory_proved = attempt->memory_proved,
                         .proved = attempt->source->proved || attempt->memory_proved,
                         .rounded = candidate->rounded};
  place->balance = balance_of(attempt, cost);
  place->efficiency = efficiency_of(attempt->search->request, place);
  place->parameters = tg_plan_parameters_text(&attempt->schedule, attempt->source->names);
  g_strlcpy(place->grid, tg_schedule_grid_text(&attempt->schedule).s, sizeof place->grid);
  tg_topology_format(&attempt->network, place->topology, sizeof place->topology);
  attempt->grid->placed = true;
  attempt->grid->number = candidate->number;
}

double tg_plan_left_s(const TgPlanSearch *search) {
  return search->ended ? 0 : (double)(search->until_us - g_get_monotonic_time()) * 1e-6;
}

/* What takes longer than this is of no interest now. */
static double most_s(const TgPlanSearch *search) {
  return isinf(search->limit_s) ? 0 : search->limit_s * (1 + 1e-9);
}

static TgCostOptions options_of(const TgAttempt *attempt, TgCostModel model) {
  const TgPlanRequest *request = attempt->search->request;
  return (TgCostOptions){.model = model,
                         .collective = TG_COLLECTIVE_AUTO,
                         .choice_s = attempt->search->choice_s,
                         .overlap = request->overlap,
                         .buffers = request->buffers,
                         .fair_equal = request->fair_equal,
                         .straggler = -1,
                         .straggler_factor = 1,
                         .most_s = most_s(attempt->search),
                         .watch = &attempt->search->watch,
                         .element_bytes = request->element_bytes};
}

bool tg_plan_has_screen(const TgPlanRequest *request) {
  /* With links of their own numbers another embedding may take better ones; and hockney counts messages between hosts
   * that are never on a link at once. */
  return (request->model == TG_COST_FORWARD || request->model == TG_COST_FLOW) && tg_links_alike(request->machine) &&
         tg_plan_any_network(request).levels == 1;
}

/* With links that contend a message takes no less than without, if hops cost nothing: hockney is quick and bounds the
 * models that are not. */
static void screen(TgAttempt *attempt) {
  TgPlanCandidate *candidate = attempt->candidate;
  TgMachine machine = *attempt->search->request->machine;
  TgCostOptions options = options_of(attempt, TG_COST_HOCKNEY);
  TgCost cost;
  g_autoptr(GError) error = NULL;
  machine.link.per_hop_s = 0;
  candidate->screened = true;
  if (tg_cost_predict(&attempt->schedule, attempt->source->names, &attempt->shape, &attempt->network, TG_ROWMAJOR,
                      &machine, &options, &cost, &error)) {
    candidate->bound_s = fmax(candidate->bound_s, cost.time_s * (1 - 1e-9));
    tg_cost_clear(&cost);
  } else if (g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_SLOWER)) {
    candidate->screened = false; /* by how much is asked again where more time is allowed */
    candidate->bound_s = fmax(candidate->bound_s, options.most_s * (1 - 1e-10));
  } /* otherwise the prediction will say why */
}

/* In addition to what the search itself holds. */
static bool prediction_fits(const TgAttempt *attempt) {
  const TgPlanSearch *search = attempt->search;
  const TgCostOptions options = options_of(attempt, search->request->model);
  const double held =
      (double)search->candidates->len * sizeof(TgPlanCandidate) + (double)search->grids->len * sizeof(TgPlanGrid);
  if (search->request->limit_bytes <= 0) return true;
  double bytes = held + tg_cost_need_bytes(&attempt->schedule, attempt->source->names, &attempt->network,
                                           search->request->machine, &options);
  if (!tg_blocks_alike(&attempt->schedule, &attempt->shape)) bytes += tg_state_need_bytes(&attempt->schedule);
  return bytes <= search->request->limit_bytes;
}

/* Choices for which there is no time in any case count as none. */
static void note_rough(TgAttempt *attempt, const TgCost *cost) {
  const double choice_s = attempt->search->choice_s;
  if (cost->collectives_left > 0 && choice_s < TG_COST_CHOICE_MS * 1e-3) attempt->candidate->rough_s = choice_s;
}

/* Of one choice of collectives. */
static void note_pace(const TgAttempt *attempt, double took_s) {
  TgPlanPace *pace = &attempt->search->pace[attempt->candidate->source];
  pace->took_s += took_s;
  pace->thought_s += tg_plan_once_s(attempt->search, attempt->candidate);
}

/* Time that a prediction has, or at least. */
static void note_beyond(const TgAttempt *attempt, double time_s, bool at_least) {
  TgPlanPace *pace = &attempt->search->pace[attempt->candidate->source];
  const double promise_s = attempt->candidate->promise_s;
  if (attempt->candidate->embeddings == 0 && promise_s > 0 && (!at_least || time_s > promise_s * pace->beyond))
    pace->beyond = time_s / promise_s;
}

/* How many times what was thought a prediction may take while there are others to try, or this part of the budget. */
static const double patience = 4, least_patience = 0.01;

/* Until when a prediction may go on that begins now. */
static int64_t patient_us(const TgPlanSearch *search, const TgPlanCandidate *candidate) {
  const double most_s =
      fmax(patience * tg_plan_work_now(search, candidate), least_patience * search->request->budget_s);
  const int64_t now_us = g_get_monotonic_time();
  return search->first_only && !search->patient && most_s * 1e6 < (double)(search->until_us - now_us)
             ? now_us + (int64_t)(most_s * 1e6)
             : search->until_us;
}

/* One that was ended. If it took longer than was thought, it is asked for again where there is twice as much time. */
static void note_slow(const TgPlanSearch *search, TgPlanCandidate *candidate, double took_s) {
  const double thought_s = tg_plan_work_now(search, candidate);
  if (took_s > thought_s) candidate->work_s *= 2 * took_s / thought_s;
}

/* False where the time is up before its end. */
static bool predict(TgAttempt *attempt, TgEmbeddingKind embedding) {
  TgPlanSearch *search = attempt->search;
  TgCostOptions options = options_of(attempt, search->request->model);
  const int64_t until_us = search->until_us, begin_us = g_get_monotonic_time();
  TgCost cost;
  g_autoptr(GError) error = NULL;
  search->until_us = patient_us(search, attempt->candidate);
  const bool done = tg_cost_predict(&attempt->schedule, attempt->source->names, &attempt->shape, &attempt->network,
                                    embedding, search->request->machine, &options, &cost, &error);
  search->until_us = until_us;
  if (done) {
    if (attempt->candidate->embeddings == 0) note_pace(attempt, cost.wall_s / MAX(cost.collectives_tried, 1));
    note_beyond(attempt, cost.time_s, false);
    take_place(attempt, embedding, &cost);
    attempt->candidate->placed = true;
    note_rough(attempt, &cost);
    tg_cost_clear(&cost);
  } else if (g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_SLOWER)) {
    double *cut_s = &attempt->candidate->cut_s;
    note_beyond(attempt, options.most_s, true);
    *cut_s = *cut_s > 0 ? fmin(*cut_s, options.most_s) : options.most_s;
    note_rough(attempt, &cost);
  } else if (g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_STOPPED)) {
    note_slow(search, attempt->candidate, (double)(g_get_monotonic_time() - begin_us) * 1e-6);
    return false;
  } else {
    tg_plan_against(attempt->grid, TG_PLAN_WRONG, 0, g_strdup_printf("cannot be predicted: %s", error->message));
  }
  search->plan->predicted++;
  return true;
}

/* About how much longer it takes where neighbours on the grid are none on the network, and messages share links. */
static const double far_factor = 4;

/* It takes longer than a place that was of interest: that is its bound now. */
static void put_back(TgPlanCandidate *candidate) {
  candidate->bound_s = fmax(candidate->bound_s, candidate->cut_s);
  candidate->cut_s = candidate->embeddings = 0;
  candidate->tried = false;
}

static void predict_all(TgAttempt *attempt) {
  TgEmbeddingKind kinds[TG_EMBEDDING_KINDS];
  TgPlanSearch *search = attempt->search;
  TgPlanCandidate *candidate = attempt->candidate;
  const double far = search->request->model == TG_COST_FLOW ? far_factor : 1;
  int count = tg_plan_embeddings(search->request, &attempt->schedule, &attempt->network, kinds);
  if (candidate->rough_s > 0 && search->choice_s > candidate->rough_s) {
    candidate->rough_s = candidate->cut_s = 0;
    candidate->embeddings = 0;
  }
  while (candidate->embeddings < count) {
    candidate->partly = candidate->embeddings > 0;
    if (candidate->partly && search->first_only) return;
    const double work_s = tg_plan_work_now(search, candidate) * (candidate->embeddings > 0 ? far : 1);
    if (work_s > tg_plan_left_s(search) || !predict(attempt, kinds[candidate->embeddings])) {
      candidate->tried = candidate->embeddings > 0;
      return;
    }
    candidate->embeddings++;
    candidate->tried = true;
  }
  candidate->partly = candidate->rough_s > 0;
  if (!candidate->partly && !candidate->placed && candidate->cut_s > 0) put_back(candidate);
}

static TgAttempt begin(TgPlanSearch *search, TgPlanCandidate *candidate) {
  return (TgAttempt){.search = search,
                     .candidate = candidate,
                     .grid = &g_array_index(search->grids, TgPlanGrid, candidate->grid),
                     .source = &search->sources[candidate->source]};
}

static bool prepare(TgAttempt *attempt, TgPlanSearch *search, TgPlanCandidate *candidate) {
  TgError error;
  *attempt = begin(search, candidate);
  if (!fits(attempt)) return false;
  if (!set_shape(attempt))
    tg_plan_against(attempt->grid, TG_PLAN_WRONG, 0, g_strdup("its sizes, rounded up to whole blocks, are too large"));
  else if (!tg_plan_network(search->request, &attempt->schedule, &attempt->network, &error))
    tg_plan_against(attempt->grid, TG_PLAN_NETWORK, 0, g_strdup(error.message));
  else
    return true;
  return false;
}

void tg_plan_try(TgPlanSearch *search, TgPlanCandidate *candidate) {
  TgAttempt attempt;
  candidate->tried = true;
  if (!prepare(&attempt, search, candidate)) return;
  candidate->too_large = !prediction_fits(&attempt);
  if (candidate->too_large) {
    candidate->tried = false;
    return;
  }
  if (!candidate->screened && !isinf(candidate->screen_s)) screen(&attempt);
  if (candidate->bound_s <= search->limit_s)
    predict_all(&attempt);
  else
    candidate->tried = false;
}

void tg_plan_check_room(TgPlanSearch *search, TgPlanCandidate *candidate) {
  TgError unused;
  TgAttempt attempt = begin(search, candidate);
  if (bind(&attempt) && set_shape(&attempt) &&
      tg_plan_network(search->request, &attempt.schedule, &attempt.network, &unused))
    candidate->too_large = !prediction_fits(&attempt);
}

/* --- afterwards --------------------------------------------------------------------------------------------------- */

/* The prover's figure in place of a bound, where that is quick. */
static void prove_place(TgPlanSearch *search, TgPlanPlace *place) {
  TgProof proof;
  TgSchedule schedule = *place->source->schedule;
  const TgPlanRequest *request = search->request;
  if (place->memory_proved || place->proof_s > TG_PLAN_PROOF_MS * 1e-3) return;
  if (!tg_schedule_bind(&schedule, place->source->names, &place->bindings, NULL) || !proof_fits(request, &schedule))
    return;
  if (!tg_prove(&schedule, place->source->names, TG_COLLECTIVE_WHOLE, request->m, request->n, request->k, &proof))
    return;
  place->bytes_per_processor =
      place->places_bytes + (double)proof.counts.words_per_processor_max * (double)request->element_bytes;
  place->memory_proved = place->proved = true;
}

void tg_plan_prove(TgPlanSearch *search) {
  for (guint i = 0; i < search->plan->ranked->len; i++)
    prove_place(search, &g_array_index(search->plan->ranked, TgPlanPlace, i));
}
