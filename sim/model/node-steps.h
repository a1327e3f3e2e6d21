/** @file node-steps.h
 * Private to sim/: what each node does in each step, where TgCostOptions.keep_node_steps asks for it; otherwise these
 * functions do nothing. A model calls them for every node, whichever comes first. */
#ifndef TG_NODE_STEPS_H
#define TG_NODE_STEPS_H

#include "prediction.h"

/** Makes room for a further step. */
void tg_node_steps_open(TgPrediction *prediction);
/** Entries of a step: nodes, or groups of them. */
int64_t tg_node_step_entries(const TgPrediction *prediction);
/** The node enters the step (an index in `steps`) at `at_s` and so leaves the one before it; `compute_s` is its time
 * in products until then. Call it with the number of steps once all are done. */
void tg_node_step_enter(TgPrediction *prediction, guint step, int64_t node, double at_s, double compute_s);
/** The same for all steps after `last` up to `step`; `last` is -1 before the first. */
static inline void tg_node_steps_enter(TgPrediction *prediction, int32_t last, guint step, int64_t node, double at_s,
                                       double compute_s) {
  if (!prediction->node_steps) return;
  for (guint s = (guint)(last + 1); s <= step; s++) tg_node_step_enter(prediction, s, node, at_s, compute_s);
}
/** A product of the step ends on the node. */
void tg_node_step_product(TgPrediction *prediction, guint step, int64_t node, double end_s);

#endif
