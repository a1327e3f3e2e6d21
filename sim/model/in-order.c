#include "in-order.h"

#include "slice-lanes.h"

static TgTraceStep *step_at(const TgPrediction *prediction, guint step) {
  return &g_array_index(prediction->steps, TgTraceStep, step);
}

static void enter_step(TgPrediction *prediction, const TgClocks *clocks, guint step) {
  double first, last;
  tg_clocks_range(clocks, &first, &last);
  step_at(prediction, step)->start_s = first;
  if (step > 0) step_at(prediction, step - 1)->end_s = last;
}

static void enter_nodes(TgPrediction *prediction, const TgClocks *clocks, guint step) {
  for (int64_t n = 0; prediction->node_steps && n < clocks->nodes; n++) {
    int64_t entry = clocks->level ? 0 : n;
    tg_node_step_enter(prediction, step, n, MAX(clocks->port[entry], clocks->cpu[entry]), clocks->compute[entry]);
  }
}

static bool is_slower(const TgPrediction *prediction, const TgClocks *clocks) {
  double first, last;
  if (prediction->options->most_s <= 0) return false;
  tg_clocks_range(clocks, &first, &last);
  return tg_prediction_is_slower(prediction, last);
}

/* Checking the clocks costs about one message per node: do it where a step begins and after that much work. */
static bool is_time_to_look(const TgClocks *clocks, const TgLane *lane, int64_t *done) {
  *done += 1 + lane->transfers + lane->phase->products;
  if (*done < clocks->nodes) return false;
  *done = 0;
  return true;
}

/* The nodes that stood aside come in before the statement. */
static void widen(TgSliceLanes *slice, TgClocks *clocks, const TgInOrderRules *rules, void *user, int32_t statement) {
  while (slice->cut <= statement && slice->cut < INT32_MAX) {
    g_autofree int32_t *from = tg_slice_lanes_widen(slice);
    tg_clocks_widen(clocks, from, slice->nodes);
    if (rules->widen) rules->widen(user, from, slice->nodes);
  }
}

static double run_phase(TgClocks *clocks, const TgInOrderRules *rules, void *user, const TgLane *lane,
                        int32_t statement) {
  if (lane->phase->products)
    return rules->multiply ? rules->multiply(user, clocks, lane, statement) : tg_clocks_multiply(clocks, lane);
  if (rules->transfer)
    rules->transfer(user, clocks, lane, statement);
  else
    tg_clocks_transfer(clocks, lane, statement);
  return 0;
}

static TgProgress run_phases(TgPrediction *prediction, TgClocks *clocks, TgSliceLanes *slice,
                             const TgInOrderRules *rules, void *user, GError **error) {
  TgLane *lane;
  TgPhaseAt at;
  guint step, last = G_MAXUINT;
  int64_t done = 0;
  TgProgress progress;
  while ((progress = tg_prediction_next(prediction, &lane, &at, &step, error)) == TG_PROGRESS_MORE) {
    if (rules->apart && lane->hops_max > 1) return TG_PROGRESS_ERROR;
    if (rules->before) rules->before(user, clocks);
    const bool look = is_time_to_look(clocks, lane, &done) || step != last;
    if (look && is_slower(prediction, clocks)) {
      tg_prediction_fail_slower(error);
      return TG_PROGRESS_ERROR;
    }
    if (step != last) enter_step(prediction, clocks, step);
    if (step != last) enter_nodes(prediction, clocks, step);
    if (clocks->account) clocks->account->step = step;
    last = step;
    widen(slice, clocks, rules, user, at.statement);
    const TgLane *own = tg_slice_lane(slice, lane);
    g_array_index(prediction->step_compute, double, step) += run_phase(clocks, rules, user, own, at.statement);
    if (lane->phase->products) tg_node_steps_product(prediction, clocks, lane, step);
    tg_slice_lane_free(slice, own);
  }
  widen(slice, clocks, rules, user, INT32_MAX);
  if (progress == TG_PROGRESS_END && rules->after) rules->after(user, clocks);
  return progress;
}

/* The account is of a node by its number, which stands for itself alone. */
static void begin_slice(const TgPrediction *prediction, TgSliceLanes *slice) {
  TgSlices slices = {{0}};
  if (!prediction->account) tg_prediction_slices(prediction, &slices);
  tg_slice_lanes_init(slice, &slices, tg_phases_walk(prediction->phases)->schedule, prediction->lanes.network->nodes);
}

bool tg_in_order_run(TgPrediction *prediction, const TgInOrderRules *rules, void *user, GError **error) {
  TgClocks clocks;
  TgSliceLanes slice;
  double first;
  begin_slice(prediction, &slice);
  tg_clocks_init(&clocks, slice.nodes, tg_phases_walk(prediction->phases)->schedule, prediction->machine,
                 prediction->options);
  clocks.idle = prediction->lanes.idle;
  tg_prediction_account(prediction, &clocks);
  TgProgress progress = run_phases(prediction, &clocks, &slice, rules, user, error);
  if (progress == TG_PROGRESS_END && is_slower(prediction, &clocks)) {
    tg_prediction_fail_slower(error);
    progress = TG_PROGRESS_ERROR;
  }
  if (progress == TG_PROGRESS_END) {
    if (prediction->steps->len > 0)
      tg_clocks_range(&clocks, &first, &step_at(prediction, prediction->steps->len - 1)->end_s);
    enter_nodes(prediction, &clocks, prediction->steps->len);
    tg_clocks_take(&clocks, prediction->cost);
  }
  tg_clocks_clear(&clocks);
  tg_slice_lanes_clear(&slice);
  return progress == TG_PROGRESS_END;
}
