/* Which grids there are to choose from, and what there is to choose on one grid: values of the parameters that are not
 * extents. Nothing here knows a schedule by name: the extents' parameters, their number and
 * `require` determine which grids a schedule takes. */
#include "plan-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void plan_extents(const TgSchedule *schedule, TgPlanExtents *extents) {
  *extents = (TgPlanExtents){0};
  for (int c = 0; c < schedule->dims; c++) {
    int parameter = tg_extent_parameter(schedule, c);
    if (parameter < 0 || schedule->parameter_kind[parameter] == TG_PARAMETER_DERIVED) continue;
    int e = 0;
    while (e < extents->count && extents->parameter[e] != parameter) e++;
    if (e == extents->count) {
      extents->parameter[extents->count] = parameter;
      extents->power[extents->count++] = 0;
    }
    extents->power[e]++;
  }
}

enum {
  VALUES = 24, /* of one parameter … */
  SMALL = 8,   /* … with all up to this one */
  COMBINATIONS = 512,
  BY_NAME_MS = 100 /* of a prediction that follows blocks by name; longer ones round sizes up */
};

/* Values of the other parameters to try: the first is their default, or 1. */
typedef struct TgChoice {
  int parameter;
  int count;
  int64_t value[VALUES];
} TgChoice;

static const char *parameter_name(const TgPlanSource *source, int parameter) {
  return tg_name(source->names, source->names->parameter[parameter]);
}

static bool is_extent(const TgPlanExtents *extents, int parameter) {
  for (int e = 0; e < extents->count; e++)
    if (extents->parameter[e] == parameter) return true;
  return false;
}

static void add_value(TgChoice *choice, int64_t value) {
  for (int i = 0; i < choice->count; i++)
    if (choice->value[i] == value) return;
  if (choice->count < VALUES) choice->value[choice->count++] = value;
}

/* Divisors of the number of processors, small ones first: a panel's width, a number of layers, a common multiple of
 * two extents are such numbers. Other small numbers may be a number of rounds. */
static void add_divisors(TgChoice *choice, int64_t processors) {
  for (int64_t value = 1; value <= SMALL; value++) add_value(choice, value);
  for (int64_t d = 1; d * d <= processors; d++)
    if (processors % d == 0) {
      add_value(choice, d);
      add_value(choice, processors / d);
    }
}

static int find_choices(const TgSchedule *schedule, const TgPlanExtents *extents, int64_t processors,
                        TgChoice *choices) {
  int count = 0;
  for (int p = 0; p < schedule->parameters; p++) {
    int kind = schedule->parameter_kind[p];
    if (kind == TG_PARAMETER_DERIVED || is_extent(extents, p)) continue;
    choices[count] = (TgChoice){.parameter = p};
    add_divisors(&choices[count++], processors);
  }
  return count;
}

char *tg_plan_parameters_text(const TgSchedule *schedule, const TgScheduleNames *names) {
  TgPlanExtents extents;
  GString *text = g_string_new(NULL);
  plan_extents(schedule, &extents);
  for (int p = 0; p < schedule->parameters; p++)
    if (schedule->parameter_kind[p] != TG_PARAMETER_DERIVED && !is_extent(&extents, p))
      g_string_append_printf(text, "%s%s=%" PRId64, text->len ? ", " : "", tg_name(names, names->parameter[p]),
                             schedule->parameter[p]);
  return g_string_free(text, FALSE);
}

/* --- one grid ----------------------------------------------------------------------------------------------------- */

static guint grid_index(TgPlanSearch *search, int source, const char *text) {
  for (guint g = search->grids->len; g > 0; g--) {
    TgPlanGrid *grid = &g_array_index(search->grids, TgPlanGrid, g - 1);
    if (grid->source != source) break;
    if (strcmp(grid->text, text) == 0) return g - 1;
  }
  TgPlanGrid grid = {.source = source, .between = search->between, .bound_s = INFINITY, .open_bound_s = INFINITY};
  g_strlcpy(grid.text, text, sizeof grid.text);
  g_array_append_val(search->grids, grid);
  return search->grids->len - 1;
}

static bool is_whole(const TgSchedule *schedule) {
  const int32_t *blocks = schedule->blocks[TG_MATRIX_C];
  return (int64_t)blocks[0] * blocks[1] * schedule->inner == 1;
}

static void add_candidate(TgPlanSearch *search, int source, const TgSchedule *schedule, const TgBindings *bindings,
                          const TgPlanFacts *facts) {
  TgPlanCandidate candidate = {.source = source,
                               .bindings = *bindings,
                               .has_choice = tg_plan_has_choice(schedule, facts),
                               .processors = facts->processors,
                               .whole = is_whole(schedule),
                               .memory_low_bytes = facts->memory_low_bytes,
                               .memory_high_bytes = facts->memory_high_bytes,
                               .places_bytes = facts->places_bytes,
                               .proof_s = facts->proof_s,
                               .outlook_s = INFINITY};
  candidate.bound_s = candidate.exact_bound_s = tg_plan_bound(search, schedule, facts);
  candidate.number = (guint)search->plan->considered++;
  if (search->between && candidate.bound_s >= search->best_s) {
    search->plan->pruned++;
    return;
  }
  candidate.grid = grid_index(search, source, tg_schedule_grid_text(schedule).s);
  const TgCostModel model = search->request->model;
  TgPlanFacts used = *facts;
  candidate.work_s = tg_plan_work(schedule, &used, model, NULL, NULL);
  if (used.by_name && !used.unclear && candidate.work_s > BY_NAME_MS * 1e-3) {
    used.by_name = false;
    candidate.rounded = true;
    candidate.work_s = tg_plan_work(schedule, &used, model, NULL, NULL);
  }
  candidate.usual_s = candidate.work_s;
  const bool screens = tg_plan_has_screen(search->request) && !candidate.has_choice; /* hockney may choose others */
  candidate.screen_s = screens ? tg_plan_work(schedule, &used, TG_COST_HOCKNEY, NULL, NULL) : INFINITY;
  g_array_append_val(search->candidates, candidate);
}

static bool may_be_faster(const TgPlanSearch *search, const TgSchedule *schedule) {
  TgPlanFacts facts;
  tg_plan_find_facts(search->request, schedule, NULL, &facts);
  if (tg_plan_bound(search, schedule, &facts) < search->best_s) return true;
  search->plan->considered++;
  search->plan->pruned++;
  return false;
}

static void add_bound(TgPlanSearch *search, int source, const TgSchedule *schedule, const TgBindings *bindings) {
  TgPlanFacts facts;
  if (search->between && !may_be_faster(search, schedule)) return;
  tg_plan_find_facts(search->request, schedule, search->sources[source].names, &facts);
  add_candidate(search, source, schedule, bindings, &facts);
}

typedef struct TgTrial {
  TgPlanSearch *search;
  int source;
  TgBindings bindings;
  TgSchedule schedule;
  TgError error;
  bool accepted, unmet;
  char *network;       /* what is wrong with it, or NULL */
  int32_t coarsest[3]; /* blocks along m, n and k with the first of the other parameters' values that bind */
} TgTrial;

/* Whether other parameters than extents cut a side into more blocks than it has elements: a product in more steps, of
 * which some are empty, is none that anybody asks for. */
static bool is_too_fine(TgTrial *trial) {
  const TgPlanRequest *request = trial->search->request;
  const TgSchedule *schedule = &trial->schedule;
  const int64_t sizes[] = {request->m, request->n, request->k};
  const int32_t blocks[] = {schedule->blocks[TG_MATRIX_C][0], schedule->blocks[TG_MATRIX_C][1], schedule->inner};
  if (!trial->accepted) memcpy(trial->coarsest, blocks, sizeof blocks);
  for (int side = 0; side < 3; side++)
    if (blocks[side] > sizes[side] && blocks[side] > trial->coarsest[side]) return true;
  return false;
}

static void try_values(TgTrial *trial) {
  const TgPlanSource *source = &trial->search->sources[trial->source];
  trial->schedule = *source->schedule;
  if (!tg_schedule_bind_values(&trial->schedule, source->names, &trial->bindings, &trial->error)) {
    trial->unmet = trial->unmet || trial->schedule.bound == TG_BOUND_UNMET;
    return;
  }
  if (tg_schedule_processors(&trial->schedule) > trial->search->request->processors) return;
  TgTopology network;
  if (!tg_plan_network(trial->search->request, &trial->schedule, &network, &trial->error)) {
    if (!trial->network) trial->network = g_strdup(trial->error.message);
    return;
  }
  if (!tg_plan_count_blocks(&trial->schedule, source->names, &trial->bindings) || is_too_fine(trial)) return;
  trial->accepted = true;
  trial->search->exact |= tg_schedule_processors(&trial->schedule) == trial->search->request->processors;
  add_bound(trial->search, trial->source, &trial->schedule, &trial->bindings);
}

/* Parameters that the expression uses, also through derived ones: a bit each. */
static uint32_t parameters_of(const TgSchedule *schedule, TgExpression expression) {
  uint32_t used = tg_expression_variables(schedule, expression) >> TG_VARIABLE_PARAMETER;
  for (int p = schedule->parameters - 1; p >= 0; p--) /* each may use those above it */
    if ((used >> p & 1) && schedule->parameter_kind[p] == TG_PARAMETER_DERIVED)
      used |= tg_expression_variables(schedule, schedule->parameter_value[p]) >> TG_VARIABLE_PARAMETER;
  return used;
}

/* The last choice that the requirement depends on which the values do not meet; -1: none of them. */
static int unmet_choice(const TgTrial *trial, const TgChoice *choices, int count) {
  const TgSchedule *schedule = &trial->schedule;
  int last = count - 1;
  if (schedule->bound != TG_BOUND_UNMET || schedule->unmet >= TG_MAX_REQUIRES) return last;
  const uint32_t used = parameters_of(schedule, schedule->require[schedule->unmet]);
  while (last >= 0 && !(used >> choices[last].parameter & 1)) last--;
  return last;
}

/* Combinations of the other parameters' values, the last one fastest. Where a requirement is not met, those that differ
 * only in what it does not ask for are passed over. */
static void try_choices(TgTrial *trial, const TgChoice *choices, int count) {
  const TgPlanSource *source = &trial->search->sources[trial->source];
  int at[TG_MAX_PARAMETERS] = {0}, next = 0;
  for (int tries = 0; tries < COMBINATIONS && next >= 0; tries++) {
    for (int c = 0; c < count; c++)
      tg_bindings_set(&trial->bindings, parameter_name(source, choices[c].parameter), choices[c].value[at[c]], NULL);
    try_values(trial);
    next = unmet_choice(trial, choices, count);
    for (int c = next + 1; c < count; c++) at[c] = 0;
    for (; next >= 0 && ++at[next] == choices[next].count; next--) at[next] = 0;
  }
}

/* "4x8" of values that may not bind. */
static void grid_text(const TgSchedule *schedule, const TgPlanExtents *extents, char *text, size_t size) {
  GString *grid = g_string_new(NULL);
  for (int c = 0; c < schedule->dims; c++) {
    int64_t extent = 0;
    for (int e = 0; e < extents->count; e++)
      if (tg_extent_parameter(schedule, c) == extents->parameter[e]) extent = extents->value[e];
    g_string_append_printf(grid, extent ? "%s%" PRId64 : "%s?", c ? "x" : "", extent);
  }
  g_strlcpy(text, grid->str, size);
  g_string_free(grid, TRUE);
}

/* A schedule and the extents of a grid. */
typedef struct TgPlanSeen {
  int64_t source, value[TG_MAX_DIMS];
} TgPlanSeen;

static guint hash_seen(gconstpointer key) {
  const TgPlanSeen *seen = key;
  guint hash = (guint)seen->source;
  for (int e = 0; e < TG_MAX_DIMS; e++) hash = hash * 31 + (guint)seen->value[e];
  return hash;
}

static gboolean equal_seen(gconstpointer a, gconstpointer b) {
  return memcmp(a, b, sizeof(TgPlanSeen)) == 0;
}

GHashTable *tg_plan_seen_new(void) {
  return g_hash_table_new_full(hash_seen, equal_seen, g_free, NULL);
}

/* Whether the search for grids between those of the first choice is to look at it: it was none of them. */
static bool is_new(TgPlanSearch *search, int source, const TgPlanExtents *extents) {
  TgPlanSeen seen = {.source = source};
  memcpy(seen.value, extents->value, (size_t)extents->count * sizeof *seen.value);
  if (search->between) return !g_hash_table_contains(search->seen, &seen);
  g_hash_table_add(search->seen, g_memdup2(&seen, sizeof seen));
  return true;
}

enum { MOST_CANDIDATES = 1 << 17 };

/* Candidates may take a quarter of the memory. */
static guint most_candidates(const TgPlanSearch *search) {
  const double limit_bytes = search->request->limit_bytes;
  return limit_bytes <= 0 ? MOST_CANDIDATES : (guint)fmin(MOST_CANDIDATES, limit_bytes / (4 * sizeof(TgPlanCandidate)));
}

/* Or there is no time for more. */
static bool is_full(const TgPlanSearch *search) {
  return tg_plan_left_s(search) <= 0 || search->candidates->len >= most_candidates(search);
}

/* What is not looked at: grids of up to so many processors. */
static bool note_unseen(TgPlanSearch *search, int64_t processors) {
  search->plan->full = search->plan->full || search->candidates->len >= most_candidates(search);
  search->unseen_s = fmin(search->unseen_s, tg_plan_least_s(search->request, processors));
  search->plan->unseen = MAX(search->plan->unseen, processors);
  return false;
}

/* Reasons against a grid are kept only for as many processors as
 * were asked for. */
static bool plan_try_grid(TgPlanSearch *search, int source, const TgPlanExtents *extents) {
  const TgSchedule *schedule = search->sources[source].schedule;
  TgChoice choices[TG_MAX_PARAMETERS];
  TgTrial trial = {.search = search, .source = source};
  int64_t processors = 1;
  if (is_full(search)) return note_unseen(search, search->request->processors);
  if (!is_new(search, source, extents)) return false;
  for (int e = 0; e < extents->count; e++) {
    tg_bindings_set(&trial.bindings, parameter_name(&search->sources[source], extents->parameter[e]), extents->value[e],
                    NULL);
    for (int i = 0; i < extents->power[e]; i++) processors *= extents->value[e];
  }
  try_choices(&trial, choices, find_choices(schedule, extents, processors, choices));
  if (!trial.accepted && !search->between && processors == search->request->processors) {
    char text[48];
    grid_text(schedule, extents, text, sizeof text);
    const TgPlanCause cause = trial.network ? TG_PLAN_NETWORK : TG_PLAN_REQUIRE;
    const char *reason = trial.network ? trial.network : trial.error.message;
    if (trial.network || trial.unmet) tg_plan_reject(search, source, cause, text, g_strdup(reason));
  }
  g_free(trial.network);
  return trial.accepted;
}

/* --- the grids ---------------------------------------------------------------------------------------------------- */

enum {
  BELOW = 64,  /* how far below a number of processors a grid of several free extents is looked for */
  TRIES = 2048 /* values of a single free extent, from the largest down */
};

/* The whole root, or 0 where there is none. */
static int64_t root_of(int64_t number, int power) {
  int64_t root = llround(pow((double)number, 1.0 / power)), check = 1;
  for (int i = 0; i < power; i++) check *= root;
  return check == number ? root : 0;
}

static int by_value(gconstpointer a, gconstpointer b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Numbers whose `power` divides `number`, ascending. */
static GArray *divisors_of(int64_t number, int power) {
  GArray *divisors = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (int64_t d = 1; d * d <= number; d++) {
    int64_t product = d;
    for (int i = 1; i < power; i++) product *= d;
    if (product > number) break;
    if ((uint32_t)number % (uint32_t)product) continue;
    const int64_t other = number / d;
    g_array_append_val(divisors, d);
    if (power == 1 && other != d) g_array_append_val(divisors, other);
  }
  g_array_sort(divisors, by_value);
  return divisors;
}

/* Which grids: those like the most promising one, whose extents are about as long, or where there is none, those of
 * which no extent is much longer than another; or all others. */
typedef enum TgAspect { LIKELY, OTHER } TgAspect;

static bool is_like(const TgPlanExtents *extents) {
  static const double about = 3; /* times as long, or as short */
  for (int e = 0; e < extents->count; e++) {
    const double ratio = (double)extents->value[e] / (double)extents->promising[e];
    if (ratio > about || ratio * about < 1) return false;
  }
  return true;
}

static bool is_compact(const TgPlanExtents *extents) {
  enum { MUCH = 8 };
  int64_t least = INT64_MAX, most = 0;
  for (int e = 0; e < extents->count; e++) {
    least = MIN(least, extents->value[e]);
    most = MAX(most, extents->value[e]);
  }
  return most <= MUCH * least;
}

static bool has_aspect(const TgPlanExtents *extents, TgAspect aspect) {
  const bool likely = extents->promising[0] > 0 ? is_like(extents) : is_compact(extents);
  return likely == (aspect == LIKELY);
}

/* All factorisations of `left` over the extents from number `e` on. */
static bool factorise(TgPlanSearch *search, int source, TgPlanExtents *extents, int e, int64_t left, TgAspect aspect) {
  bool found = false;
  g_assert(e < TG_MAX_DIMS);
  if (e == extents->count - 1) {
    extents->value[e] = root_of(left, extents->power[e]);
    return extents->value[e] > 0 && has_aspect(extents, aspect) && plan_try_grid(search, source, extents);
  }
  g_autoptr(GArray) divisors = divisors_of(left, extents->power[e]);
  for (guint d = 0; d < divisors->len; d++) {
    int64_t product = 1;
    extents->value[e] = g_array_index(divisors, int64_t, d);
    for (int i = 0; i < extents->power[e]; i++) product *= extents->value[e];
    found = factorise(search, source, extents, e + 1, left / product, aspect) || found;
  }
  return found;
}

/* One free extent: its largest value that the schedule takes, with `least` to `most` processors. */
static bool descend(TgPlanSearch *search, int source, TgPlanExtents *extents, int64_t most, int64_t least) {
  int64_t value = (int64_t)floor(pow((double)most, 1.0 / extents->power[0]) + 1e-9);
  for (int tries = 0; value >= 1 && tries < TRIES; value--, tries++) {
    if (pow((double)value, extents->power[0]) < (double)least) return false;
    extents->value[0] = value;
    if (plan_try_grid(search, source, extents)) return true;
  }
  return false;
}

static bool find_below(TgPlanSearch *search, int source, TgPlanExtents *extents, int64_t most, int64_t least) {
  if (extents->count == 1) return descend(search, source, extents, most, least);
  for (int64_t p = most; p >= least && p > most - BELOW; p--) {
    const bool likely = factorise(search, source, extents, 0, p, LIKELY);
    if (factorise(search, source, extents, 0, p, OTHER) || likely) return true;
  }
  return false;
}

/* "i:q, j:q" */
static char *extents_text(const TgPlanSource *source) {
  GString *text = g_string_new(NULL);
  for (int c = 0; c < source->schedule->dims; c++) {
    const int parameter = tg_extent_parameter(source->schedule, c);
    g_string_append_printf(text, "%s%s", c ? ", " : "", tg_name(source->names, source->names->axis[c]));
    if (parameter >= 0) g_string_append_printf(text, ":%s", parameter_name(source, parameter));
  }
  return g_string_free(text, FALSE);
}

/* Says that as many processors as asked for make no grid of this schedule, unless a reason stands there already. */
static void note_none(TgPlanSearch *search, int source, guint rejected, guint grids) {
  if (search->plan->rejected->len > rejected) return;
  const TgPlanSource *from = &search->sources[source];
  g_autofree char *extents = extents_text(from), *processors = g_strdup_printf("%" PRId64, search->request->processors);
  const char *below = search->grids->len > grids ? g_array_index(search->grids, TgPlanGrid, grids).text : NULL;
  tg_plan_reject(
      search, source, TG_PLAN_REQUIRE, processors,
      below ? g_strdup_printf("no grid (%s) has %s processors; tried instead: %s and below", extents, processors, below)
            : g_strdup_printf("no grid (%s) has %s processors or fewer", extents, processors));
}

int tg_plan_free_extents(const TgSchedule *schedule) {
  TgPlanExtents extents;
  plan_extents(schedule, &extents);
  return extents.count;
}

void tg_plan_find_grids(TgPlanSearch *search, int source) {
  TgPlanExtents extents;
  int64_t processors = search->request->processors;
  guint grids = search->grids->len, rejected = search->plan->rejected->len;
  plan_extents(search->sources[source].schedule, &extents);
  search->exact = false;
  if (extents.count == 0) { /* a grid of numbers alone */
    plan_try_grid(search, source, &extents);
  } else {
    for (int64_t most = processors; most >= 1; most /= 2) find_below(search, source, &extents, most, most / 2 + 1);
  }
  if (!search->exact && tg_plan_left_s(search) > 0 && !search->plan->full) note_none(search, source, rejected, grids);
}

/* Down from the number that was asked for, until the products alone take longer than the best: of each number the grids
 * of all schedules. False where the time is up before. */
static bool find_all(TgPlanSearch *search, const int *source, const TgPlanExtents *extents, int count,
                     TgAspect aspect) {
  const int64_t most = search->request->processors;
  for (int64_t p = most; p > 1 && tg_plan_least_s(search->request, p) < search->best_s; p--) {
    if (is_full(search)) return note_unseen(search, aspect == LIKELY ? most : p);
    for (int s = 0; s < count; s++) {
      TgPlanExtents own = extents[s];
      factorise(search, source[s], &own, 0, p, aspect);
    }
  }
  return true;
}

/* The extents of the schedule's most promising candidate. */
static void find_promising(const TgPlanSearch *search, int source, TgPlanExtents *extents) {
  const TgPlanCandidate *best = NULL;
  for (guint c = 0; c < search->candidates->len; c++) {
    const TgPlanCandidate *candidate = &g_array_index(search->candidates, TgPlanCandidate, c);
    if (candidate->source == source && (!best || candidate->outlook_s < best->outlook_s)) best = candidate;
  }
  if (!best || isinf(best->outlook_s)) return;
  for (int e = 0; e < extents->count; e++)
    for (int s = 0; s < best->bindings.count; s++)
      if (strcmp(best->bindings.set[s].name, parameter_name(&search->sources[source], extents->parameter[e])) == 0)
        extents->promising[e] = best->bindings.set[s].value;
}

void tg_plan_find_between(TgPlanSearch *search, const int *source, int count) {
  g_autofree TgPlanExtents *extents = g_new(TgPlanExtents, MAX(count, 1));
  g_autofree int *open = g_new(int, MAX(count, 1));
  int opens = 0;
  for (int s = 0; s < count; s++) {
    open[opens] = source[s];
    plan_extents(search->sources[source[s]].schedule, &extents[opens]);
    find_promising(search, source[s], &extents[opens]);
    opens += extents[opens].count > 0;
  }
  if (opens == 0) return;
  search->between = true;
  if (find_all(search, open, extents, opens, LIKELY)) find_all(search, open, extents, opens, OTHER);
  search->between = false;
}
