#include "in-order.h"

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

enum { CHECKED = 16 /* the clocks are looked at where a step begins, and every so many phases */ };

static bool is_slower(const TgPrediction *prediction, const TgClocks *clocks) {
  double first, last;
  if (prediction->options->most_s <= 0) return false;
  tg_clocks_range(clocks, &first, &last);
  return tg_prediction_is_slower(prediction, last);
}

static TgProgress run_phases(TgPrediction *prediction, TgClocks *clocks, const TgInOrderRules *rules, void *user,
                             GError **error) {
  TgLane *lane;
  TgPhaseAt at;
  guint step, last = G_MAXUINT, phases = 0;
  TgProgress progress;
  while ((progress = tg_prediction_next(prediction, &lane, &at, &step, error)) == TG_PROGRESS_MORE) {
    if (rules->before) rules->before(user, clocks);
    if ((step != last || phases++ % CHECKED == 0) && is_slower(prediction, clocks)) {
      tg_prediction_fail_slower(error);
      return TG_PROGRESS_ERROR;
    }
    if (step != last) enter_step(prediction, clocks, step);
    if (step != last) enter_nodes(prediction, clocks, step);
    if (clocks->account) clocks->account->step = step;
    last = step;
    if (lane->phase->products) {
      double *most = &g_array_index(prediction->step_compute, double, step);
      *most += rules->multiply ? rules->multiply(user, clocks, lane, at.statement) : tg_clocks_multiply(clocks, lane);
      tg_node_steps_product(prediction, clocks, lane, step);
    } else if (rules->transfer) {
      rules->transfer(user, clocks, lane, at.statement);
    } else {
      tg_clocks_transfer(clocks, lane, at.statement);
    }
  }
  if (progress == TG_PROGRESS_END && rules->after) rules->after(user, clocks);
  return progress;
}

bool tg_in_order_run(TgPrediction *prediction, const TgInOrderRules *rules, void *user, GError **error) {
  TgClocks clocks;
  double first;
  tg_clocks_init(&clocks, prediction->lanes.network->nodes, prediction->machine, prediction->options);
  clocks.idle = prediction->lanes.idle;
  tg_prediction_account(prediction, &clocks);
  TgProgress progress = run_phases(prediction, &clocks, rules, user, error);
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
  return progress == TG_PROGRESS_END;
}
