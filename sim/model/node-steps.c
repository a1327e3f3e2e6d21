#include "node-steps.h"

#include <math.h>

int64_t tg_node_step_entries(const TgPrediction *prediction) {
  return prediction->options->node_group ? prediction->options->node_groups : prediction->lanes.network->nodes;
}

static TgNodeStep *entry(const TgPrediction *prediction, guint step, int64_t number) {
  return &g_array_index(prediction->node_steps, TgNodeStep, step * tg_node_step_entries(prediction) + number);
}

void tg_node_steps_open(TgPrediction *prediction) {
  const int64_t entries = tg_node_step_entries(prediction);
  if (!prediction->node_steps) return;
  g_array_set_size(prediction->node_steps, prediction->steps->len * (guint)entries);
  if (!prediction->options->node_group) return;
  if (!prediction->node_now) prediction->node_now = g_new0(TgNodeStep, prediction->lanes.network->nodes);
  for (int64_t e = 0; e < entries; e++) entry(prediction, prediction->steps->len - 1, e)->start_s = INFINITY;
}

/* Where the node's times are while it is in the step. */
static TgNodeStep *current(const TgPrediction *prediction, guint step, int64_t node) {
  return prediction->node_now ? &prediction->node_now[node] : entry(prediction, step, node);
}

/* The node has left the step. */
static void fold(const TgPrediction *prediction, guint step, int64_t node) {
  const int32_t group = prediction->options->node_group[node];
  if (group < 0) return;
  const TgNodeStep *at = &prediction->node_now[node];
  TgNodeStep *all = entry(prediction, step, group);
  all->start_s = fmin(all->start_s, at->start_s);
  all->end_s = fmax(all->end_s, at->end_s);
  all->products_s = fmax(all->products_s, at->products_s);
}

void tg_node_step_enter(TgPrediction *prediction, guint step, int64_t node, double at_s, double compute_s) {
  if (!prediction->node_steps) return;
  prediction->node_steps_set = true;
  if (step > 0) {
    TgNodeStep *before = current(prediction, step - 1, node);
    before->end_s = at_s;
    before->products_s += compute_s;
    if (prediction->node_now) fold(prediction, step - 1, node);
  }
  /* what was computed before is taken off again when the node leaves the step */
  if (step < prediction->steps->len)
    *current(prediction, step, node) = (TgNodeStep){.start_s = at_s, .products_end_s = at_s, .products_s = -compute_s};
}

void tg_node_step_product(TgPrediction *prediction, guint step, int64_t node, double end_s) {
  if (prediction->node_steps && !prediction->node_now) entry(prediction, step, node)->products_end_s = end_s;
}
