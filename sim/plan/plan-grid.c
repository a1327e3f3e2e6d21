/* What there is to choose on one grid: values of the parameters that are not extents, and algorithms of collectives. */
#include "plan-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
  VALUES = 24, /* of one parameter */
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
 * two extents are such numbers. */
static void add_divisors(TgChoice *choice, int64_t processors) {
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
  tg_plan_extents(schedule, &extents);
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
  TgPlanGrid grid = {.source = source, .bound_s = INFINITY, .open_bound_s = INFINITY};
  g_strlcpy(grid.text, text, sizeof grid.text);
  g_array_append_val(search->grids, grid);
  return search->grids->len - 1;
}

/* The algorithms that this schedule's collectives take on these extents: two collectives with equal text are one. */
static char *collectives_text(const TgSchedule *schedule, const TgPlanFacts *facts, TgCollective collective) {
  GString *text = g_string_new(NULL);
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    TgRounds rounds;
    if (!tg_op_is_collective(statement->op) || facts->executions[s] == 0) continue;
    int32_t length = schedule->extent[statement->axis];
    tg_rounds_init(&rounds, (TgOp)statement->op, collective, length, 0, 0);
    if (length > 1) g_string_append_printf(text, "%d ", rounds.collective);
  }
  return g_string_free(text, FALSE);
}

static void add_candidate(TgPlanSearch *search, int source, guint grid, const TgSchedule *schedule,
                          const TgBindings *bindings, const TgPlanFacts *facts, TgCollective collective,
                          bool has_collectives) {
  TgPlanCandidate candidate = {.source = source,
                               .grid = grid,
                               .bindings = *bindings,
                               .collective = collective,
                               .has_collectives = has_collectives,
                               .processors = facts->processors,
                               .memory_low_bytes = facts->memory_low_bytes,
                               .memory_high_bytes = facts->memory_high_bytes,
                               .proof_s = facts->proof_s};
  candidate.bound_s = tg_plan_bound(search, schedule, facts, collective);
  const TgCostModel model = search->request->model;
  TgPlanFacts used = *facts;
  candidate.work_s = tg_plan_work(search, schedule, &used, model, collective);
  if (used.by_name && !used.unclear && candidate.work_s > BY_NAME_MS * 1e-3) {
    used.by_name = false;
    candidate.rounded = true;
    candidate.work_s = tg_plan_work(search, schedule, &used, model, collective);
  }
  candidate.screen_s = tg_plan_has_screen(search->request)
                           ? tg_plan_work(search, schedule, &used, TG_COST_HOCKNEY, collective)
                           : INFINITY;
  g_array_append_val(search->candidates, candidate);
}

static void add_candidates(TgPlanSearch *search, int source, const TgSchedule *schedule, const TgBindings *bindings) {
  char text[48];
  TgPlanFacts facts;
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  tg_schedule_grid_text(schedule, text, sizeof text);
  guint grid = grid_index(search, source, text);
  tg_plan_find_facts(search, schedule, search->sources[source].names, &facts);
  for (int collective = TG_COLLECTIVE_AUTO; collective < TG_COLLECTIVES; collective++) {
    char *collectives = collectives_text(schedule, &facts, (TgCollective)collective);
    bool has_collectives = *collectives != '\0';
    if (!g_hash_table_add(seen, collectives)) continue;
    add_candidate(search, source, grid, schedule, bindings, &facts, (TgCollective)collective, has_collectives);
  }
}

/* Fewer rows, columns or inner elements than blocks leave processors without anything. */
static char *sizes_text(const TgPlanRequest *request, const TgSchedule *schedule) {
  const int64_t size[] = {request->m, request->n, request->k};
  const int64_t blocks[] = {schedule->blocks[TG_MATRIX_C][0], schedule->blocks[TG_MATRIX_C][1], schedule->inner};
  static const char *const what[] = {"block rows of C for m", "block columns of C for n", "inner blocks for k"};
  for (int i = 0; i < 3; i++)
    if (blocks[i] > size[i])
      return g_strdup_printf("%" PRId64 " %s = %" PRId64 ": some processors would have nothing to do", blocks[i],
                             what[i], size[i]);
  return NULL;
}

typedef struct TgTrial {
  TgPlanSearch *search;
  int source;
  TgBindings bindings;
  TgSchedule schedule;
  TgError error;
  bool accepted, unmet;
  char *network, *sizes; /* what is wrong with them, or NULL */
} TgTrial;

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
  if (!tg_plan_count_blocks(&trial->schedule, source->names, &trial->bindings)) return;
  g_autofree char *sizes = sizes_text(trial->search->request, &trial->schedule);
  if (sizes) {
    if (!trial->sizes) trial->sizes = g_steal_pointer(&sizes);
    return;
  }
  trial->accepted = true;
  trial->search->exact |= tg_schedule_processors(&trial->schedule) == trial->search->request->processors;
  add_candidates(trial->search, trial->source, &trial->schedule, &trial->bindings);
}

/* All combinations of the other parameters' values. */
static void try_choices(TgTrial *trial, const TgChoice *choices, int count) {
  const TgPlanSource *source = &trial->search->sources[trial->source];
  int64_t combinations = 1;
  for (int c = 0; c < count; c++) combinations = MIN(combinations * choices[c].count, COMBINATIONS);
  for (int64_t i = 0; i < combinations; i++) {
    int64_t rest = i;
    for (int c = 0; c < count; c++) {
      tg_bindings_set(&trial->bindings, parameter_name(source, choices[c].parameter),
                      choices[c].value[rest % choices[c].count], NULL);
      rest /= choices[c].count;
    }
    try_values(trial);
  }
}

/* "4x8" of values that may not bind. */
static void grid_text(const TgSchedule *schedule, const TgPlanExtents *extents, char *text, size_t size) {
  GString *grid = g_string_new(NULL);
  for (int c = 0; c < schedule->dims; c++) {
    int64_t extent = 0;
    uint8_t code = schedule->code[schedule->extent_value[c]];
    for (int e = 0; e < extents->count; e++)
      if (code == TG_CODE_VARIABLE + TG_VARIABLE_PARAMETER + extents->parameter[e]) extent = extents->value[e];
    g_string_append_printf(grid, extent ? "%s%" PRId64 : "%s?", c ? "x" : "", extent);
  }
  g_strlcpy(text, grid->str, size);
  g_string_free(grid, TRUE);
}

/* Reasons against a grid are kept only for as many processors as
 * were asked for. */
bool tg_plan_try_grid(TgPlanSearch *search, int source, const TgPlanExtents *extents) {
  const TgSchedule *schedule = search->sources[source].schedule;
  TgChoice choices[TG_MAX_PARAMETERS];
  TgTrial trial = {.search = search, .source = source};
  int64_t processors = 1;
  char text[48];
  for (int e = 0; e < extents->count; e++) {
    tg_bindings_set(&trial.bindings, parameter_name(&search->sources[source], extents->parameter[e]), extents->value[e],
                    NULL);
    for (int i = 0; i < extents->power[e]; i++) processors *= extents->value[e];
  }
  try_choices(&trial, choices, find_choices(schedule, extents, processors, choices));
  grid_text(schedule, extents, text, sizeof text);
  if (!trial.accepted && processors == search->request->processors) {
    const TgPlanCause cause = trial.sizes ? TG_PLAN_SIZES : trial.network ? TG_PLAN_NETWORK : TG_PLAN_REQUIRE;
    const char *reason = trial.sizes ? trial.sizes : trial.network ? trial.network : trial.error.message;
    if (trial.sizes || trial.network || trial.unmet) tg_plan_reject(search, source, cause, text, g_strdup(reason));
  }
  search->thin = search->thin || trial.sizes;
  g_free(trial.network);
  g_free(trial.sizes);
  return trial.accepted;
}
