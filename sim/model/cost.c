#include "cost.h"

#include "prediction.h"
#include "sim-error.h"
#include "tiers.h"
#include "phase.h"

#include <math.h>
#include <string.h>

/** The models, by TgCostModel. */
static const struct {
  const char *name;
  TgModelRun run;
} models[TG_COST_MODELS] = {
    {"hockney", tg_hockney_run},
    {"store-and-forward", tg_forward_run},
    {"flow", tg_flow_run},
    {"loggp", tg_loggp_run},
};

const char *tg_cost_model_name(TgCostModel model) {
  return models[model].name;
}

bool tg_cost_model_parse(const char *text, TgCostModel *model, TgError *error) {
  for (int m = 0; m < TG_COST_MODELS; m++)
    if (strcmp(text, models[m].name) == 0) {
      *model = (TgCostModel)m;
      return true;
    }
  return tg_error_set(error, 0, 0, "model `%.40s`, expected hockney, store-and-forward, flow or loggp", text);
}

static bool run_model(TgPrediction *prediction, GError **error) {
  const TgCostOptions *options = prediction->options;
  if (prediction->machine->port.ports == TG_PORTS_FETCH && (options->tiers.used || options->model != TG_COST_HOCKNEY)) {
    g_set_error_literal(
        error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT,
        "ports = fetch in the machine's file, as topogemm calibrate writes it, is for the model hockney "
        "without memory tiers: choose that, or write ports = one or all in a copy");
    return false;
  }
  if (!options->tiers.used) return models[options->model].run(prediction, error);
  if (options->model == TG_COST_HOCKNEY) return tg_tiers_run(prediction, error);
  g_set_error(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT,
              "model %s knows no memory tiers: choose hockney, or leave them out", models[options->model].name);
  return false;
}

/* A prediction beyond the range of a double is none. */
static bool is_number(const TgCost *cost, GError **error) {
  if (isfinite(cost->time_s)) return true;
  g_set_error_literal(
      error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT,
      "the predicted time is beyond the numbers there are: the machine's latencies, bandwidths and rates "
      "leave no finite time");
  return false;
}

bool tg_cost_predict(const TgSchedule *schedule, const TgScheduleNames *names, const TgShape *shape,
                     const TgTopology *network, TgEmbeddingKind embedding, const TgMachine *machine,
                     const TgCostOptions *options, TgCost *cost, GError **error) {
  TgPrediction prediction = {.options = options, .machine = machine};
  int64_t begin_us = g_get_monotonic_time();
  *cost = (TgCost){0};
  tg_prediction_init(&prediction, cost, network->links);
  prediction.phases = (options->whole ? tg_phases_new_whole : tg_phases_new)(schedule, names, options->collective,
                                                                             shape, options->element_bytes, error);
  bool fine = prediction.phases && tg_lanes_init(&prediction.lanes, schedule, network, embedding, machine, error) &&
              run_model(&prediction, error) && is_number(cost, error);
  const TgError failure = prediction.phases ? *tg_phases_failure(prediction.phases) : (TgError){0};
  if (fine) tg_prediction_take(&prediction);
  tg_prediction_clear(&prediction);
  if (!fine) tg_cost_clear(cost);
  cost->failure = failure;
  cost->wall_s = (double)(g_get_monotonic_time() - begin_us) * 1e-6;
  return fine;
}

void tg_cost_clear(TgCost *cost) {
  g_free(cost->trace.step);
  g_free(cost->trace.link_bytes);
  g_free(cost->step_max_link_bytes);
  g_free(cost->step_compute_s);
  g_free(cost->node_time_s);
  g_free(cost->node_compute_s);
  g_free(cost->node_step);
  g_free(cost->tiers.node_read_bytes);
  g_free(cost->tiers.node_write_bytes);
  g_free(cost->tiers.node_disk_s);
  *cost = (TgCost){0};
}
