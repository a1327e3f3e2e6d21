/** @file prediction.h
 * Private to sim/: a prediction under way. What is counted (messages, bytes, loads of links) follows from the phases
 * in program order and is the same in every model; a model adds the times. */
#ifndef TG_PREDICTION_H
#define TG_PREDICTION_H

#include "clock.h"
#include "slice.h"

typedef struct TgPrediction {
  TgCost *cost;
  const TgCostOptions *options;
  const TgMachine *machine;
  TgPhases *phases;
  TgLanes lanes;
  GArray *steps;         /* TgTraceStep; the models set start_s and end_s */
  GArray *step_max;      /* int64_t: bytes over the busiest link */
  GArray *step_compute;  /* double: the most time that one node spends in the step's products; set by the models */
  GArray *node_steps;    /* TgNodeStep, by step and node; NULL unless asked for */
  TgNodeStep *node_now;  /* by node, where node_steps are of groups: the step that it is in; otherwise NULL */
  bool node_steps_set;   /* the model has filled it */
  GPtrArray *step_lanes; /* of the step under way, those that are kept */
  GPtrArray *last_lanes; /* of the step before it, where all of them are kept */
  TgLane *passing;       /* the current lane if it is not kept; or NULL */
  bool step_passing;     /* a lane of this step is not kept */
  int64_t *total_load;   /* by link */
  TgAccount *account;    /* of the node whose time is accounted for; NULL: nobody asks */
} TgPrediction;

/** What nodes stand for others in it (slice.h). */
void tg_prediction_slices(const TgPrediction *prediction, TgSlices *slices);
/** Gives the account, where there is one, to the clocks. */
void tg_prediction_account(const TgPrediction *prediction, TgClocks *clocks);

void tg_prediction_init(TgPrediction *prediction, TgCost *cost, int64_t links);
/** Moves what was counted into the cost. */
void tg_prediction_take(TgPrediction *prediction);
void tg_prediction_clear(TgPrediction *prediction);

/** Whether a time that the run cannot stay below is above TgCostOptions.most_s. */
static inline bool tg_prediction_is_slower(const TgPrediction *prediction, double time_s) {
  return prediction->options->most_s > 0 && time_s > prediction->options->most_s;
}
/** False, with that error, or with STOPPED. */
bool tg_prediction_fail_slower(GError **error);
bool tg_prediction_fail_stopped(GError **error);

/** The next phase on the network, counted. `*step` is its step's index in `steps`. The lane is valid until the next
 * call, unless the caller holds it. */
TgProgress tg_prediction_next(TgPrediction *prediction, TgLane **lane, TgPhaseAt *at, guint *step, GError **error);

/* What each node does in each step, where TgCostOptions.keep_node_steps asks for it; otherwise these functions do
 * nothing. A model calls them for every node, whichever comes first. */

/** The node enters the step (an index in `steps`) at `at_s` and so leaves the one before it; `compute_s` is its time
 * in products until then. Call it with the number of steps once all are done. */
void tg_node_step_enter(TgPrediction *prediction, guint step, int64_t node, double at_s, double compute_s);
/** A product of the step ends on the node … */
void tg_node_step_product(TgPrediction *prediction, guint step, int64_t node, double begin_s, double end_s);
/** … and on all nodes that have one in the lane, by the clocks. */
void tg_node_steps_product(TgPrediction *prediction, const TgClocks *clocks, const TgLane *lane, guint step);

#endif
