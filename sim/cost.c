#include "cost.h"

#include "clock.h"
#include "sim-error.h"

#include <string.h>

static const char *const model_names[TG_COST_MODELS] = {"hockney"};

const char *tg_cost_model_name(TgCostModel model) {
  return model_names[model];
}

bool tg_cost_model_parse(const char *text, TgCostModel *model, TgError *error) {
  for (int m = 0; m < TG_COST_MODELS; m++)
    if (strcmp(text, model_names[m]) == 0) {
      *model = (TgCostModel)m;
      return true;
    }
  return tg_error_set(error, 0, 0, "model `%.40s`, expected hockney", text);
}

typedef struct TgPrediction {
  TgCost *cost;
  TgLanes lanes;
  TgClocks clocks;
  GArray *steps;         /* TgTraceStep */
  GArray *step_max;      /* int64_t */
  GPtrArray *step_lanes; /* of the step under way */
  GPtrArray *last_lanes; /* of the step before it, where all of them are kept */
  int64_t *step_load;    /* scratch, by link */
  int64_t *total_load;
} TgPrediction;

static void add_load(int64_t *to, const TgLane *lane, int64_t links, int64_t times) {
  for (int64_t l = 0; lane->link_bytes && l < links; l++) to[l] += times * lane->link_bytes[l];
}

static int64_t largest(const int64_t *load, int64_t links) {
  int64_t most = 0;
  for (int64_t l = 0; l < links; l++) most = MAX(most, load[l]);
  return most;
}

static bool same_lanes(const GPtrArray *a, const GPtrArray *b) {
  return a->len > 0 && a->len == b->len && memcmp(a->pdata, b->pdata, a->len * sizeof *a->pdata) == 0;
}

/* The busiest link of the step. A step made of the same phases as the one before it has the same. */
static void close_step(TgPrediction *prediction) {
  if (prediction->steps->len == 0) return;
  TgTraceStep *step = &g_array_index(prediction->steps, TgTraceStep, prediction->steps->len - 1);
  double unused;
  tg_clocks_range(&prediction->clocks, &unused, &step->end_s);
  int64_t links = prediction->lanes.network->links, most = 0;
  if (same_lanes(prediction->step_lanes, prediction->last_lanes)) {
    most = g_array_index(prediction->step_max, int64_t, prediction->step_max->len - 1);
  } else if (prediction->step_lanes->len > 0) {
    memset(prediction->step_load, 0, (size_t)links * sizeof(int64_t));
    for (guint i = 0; i < prediction->step_lanes->len; i++)
      add_load(prediction->step_load, prediction->step_lanes->pdata[i], links, 1);
    most = largest(prediction->step_load, links);
  }
  g_array_append_val(prediction->step_max, most);
  bool all_kept = true;
  for (guint i = 0; i < prediction->step_lanes->len; i++) {
    TgLane *lane = prediction->step_lanes->pdata[i];
    all_kept = all_kept && lane->keep;
    if (lane->keep) {
      lane->executions++;
    } else {
      add_load(prediction->total_load, lane, links, 1);
      tg_lane_done(lane);
    }
  }
  g_ptr_array_set_size(prediction->last_lanes, 0);
  for (guint i = 0; all_kept && i < prediction->step_lanes->len; i++)
    g_ptr_array_add(prediction->last_lanes, prediction->step_lanes->pdata[i]);
  g_ptr_array_set_size(prediction->step_lanes, 0);
}

static void open_step(TgPrediction *prediction, const TgPhaseAt *at) {
  double first, last;
  close_step(prediction);
  tg_clocks_range(&prediction->clocks, &first, &last);
  TgTraceStep step = {.label = at->label, .index = at->step, .start_s = first, .end_s = last};
  g_array_append_val(prediction->steps, step);
}

static void run_phase(TgPrediction *prediction, TgPhase *phase, const TgPhaseAt *at) {
  guint steps = prediction->steps->len;
  if (steps == 0 || g_array_index(prediction->steps, TgTraceStep, steps - 1).index != at->step)
    open_step(prediction, at);
  TgTraceStep *step = &g_array_index(prediction->steps, TgTraceStep, prediction->steps->len - 1);
  TgLane *lane = tg_lanes_find(&prediction->lanes, phase);
  g_ptr_array_add(prediction->step_lanes, lane);
  if (phase->products)
    tg_clocks_multiply(&prediction->clocks, lane);
  else
    tg_clocks_transfer(&prediction->clocks, lane, at->statement);
  step->messages += lane->transfers;
  step->bytes += lane->bytes;
  step->hop_bytes += lane->hop_bytes;
  step->products += phase->products;
  prediction->cost->flops += lane->flops;
}

static void total_kept(gpointer key, gpointer value, gpointer user) {
  TgPrediction *prediction = user;
  TgLane *lane = value;
  (void)key;
  add_load(prediction->total_load, lane, prediction->lanes.network->links, lane->executions);
}

static void take_results(TgPrediction *prediction) {
  TgCost *cost = prediction->cost;
  int64_t links = prediction->lanes.network->links;
  close_step(prediction);
  g_hash_table_foreach(prediction->lanes.known, total_kept, prediction);
  tg_clocks_last(&prediction->clocks, &cost->time_s, &cost->compute_s);
  cost->communication_s = cost->time_s - cost->compute_s;
  cost->nodes = prediction->lanes.network->nodes;
  cost->max_link_bytes = largest(prediction->total_load, links);
  cost->trace = (TgTrace){
      .steps = prediction->steps->len, .links = links, .link_bytes = g_steal_pointer(&prediction->total_load)};
  cost->trace.step = (TgTraceStep *)(void *)g_array_free(g_steal_pointer(&prediction->steps), FALSE);
  cost->step_max_link_bytes = (int64_t *)(void *)g_array_free(g_steal_pointer(&prediction->step_max), FALSE);
  for (int64_t s = 0; s < cost->trace.steps; s++) {
    cost->messages += cost->trace.step[s].messages;
    cost->bytes += cost->trace.step[s].bytes;
    cost->hop_bytes += cost->trace.step[s].hop_bytes;
  }
}

static bool run_all(TgPrediction *prediction, TgPhases *phases, GError **error) {
  TgPhase *phase;
  TgPhaseAt at;
  TgProgress progress;
  while ((progress = tg_phases_next(phases, &phase, &at, error)) == TG_PROGRESS_MORE) {
    run_phase(prediction, phase, &at);
    tg_phase_release(phase);
  }
  return progress == TG_PROGRESS_END;
}

static void clear(TgPrediction *prediction) {
  for (guint i = 0; i < prediction->step_lanes->len; i++) tg_lane_done(prediction->step_lanes->pdata[i]);
  g_ptr_array_unref(prediction->step_lanes);
  g_ptr_array_unref(prediction->last_lanes);
  if (prediction->steps) g_array_unref(prediction->steps);
  if (prediction->step_max) g_array_unref(prediction->step_max);
  g_free(prediction->step_load);
  g_free(prediction->total_load);
  tg_clocks_clear(&prediction->clocks);
  tg_lanes_clear(&prediction->lanes);
}

bool tg_cost_predict(const TgSchedule *schedule, const TgScheduleNames *names, const TgShape *shape,
                     const TgTopology *network, TgEmbeddingKind embedding, const TgMachine *machine,
                     const TgCostOptions *options, TgCost *cost, GError **error) {
  TgPrediction prediction = {.cost = cost,
                             .step_lanes = g_ptr_array_new(),
                             .last_lanes = g_ptr_array_new(),
                             .steps = g_array_new(FALSE, TRUE, sizeof(TgTraceStep)),
                             .step_max = g_array_new(FALSE, TRUE, sizeof(int64_t)),
                             .step_load = g_new0(int64_t, network->links + 1),
                             .total_load = g_new0(int64_t, network->links + 1)};
  int64_t begin_us = g_get_monotonic_time();
  *cost = (TgCost){0};
  tg_clocks_init(&prediction.clocks, network->nodes, machine, options);
  g_autoptr(TgPhases) phases =
      tg_phases_new(schedule, names, options->collective, shape, options->element_bytes, error);
  bool fine = phases && tg_lanes_init(&prediction.lanes, schedule, network, embedding, machine, error) &&
              run_all(&prediction, phases, error);
  if (fine) take_results(&prediction);
  clear(&prediction);
  cost->wall_s = (double)(g_get_monotonic_time() - begin_us) * 1e-6;
  return fine;
}

void tg_cost_clear(TgCost *cost) {
  g_free(cost->trace.step);
  g_free(cost->trace.link_bytes);
  g_free(cost->step_max_link_bytes);
  *cost = (TgCost){0};
}
