#include "node-steps.h"

static TgNodeStep *node_step(const TgPrediction *prediction, guint step, int64_t node) {
  return &g_array_index(prediction->node_steps, TgNodeStep, step * prediction->lanes.network->nodes + node);
}

void tg_node_step_enter(TgPrediction *prediction, guint step, int64_t node, double at_s, double compute_s) {
  if (!prediction->node_steps) return;
  prediction->node_steps_set = true;
  if (step > 0) {
    TgNodeStep *before = node_step(prediction, step - 1, node);
    before->end_s = at_s;
    before->products_s += compute_s;
  }
  /* what was computed before is taken off again when the node leaves the step */
  if (step < prediction->steps->len)
    *node_step(prediction, step, node) =
        (TgNodeStep){.start_s = at_s, .products_end_s = at_s, .products_s = -compute_s};
}

void tg_node_step_product(TgPrediction *prediction, guint step, int64_t node, double end_s) {
  if (prediction->node_steps) node_step(prediction, step, node)->products_end_s = end_s;
}
