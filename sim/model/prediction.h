/** @file prediction.h
 * Private to sim/: a prediction under way. What is counted (messages, bytes, loads of links) follows from the phases
 * in program order and is the same in every model; a model adds the times. */
#ifndef TG_PREDICTION_H
#define TG_PREDICTION_H

#include "cost.h"
#include "lane.h"
#include "phase.h"

typedef struct TgPrediction {
  TgCost *cost;
  const TgCostOptions *options;
  const TgMachine *machine;
  TgPhases *phases;
  TgLanes lanes;
  GArray *steps;         /* TgTraceStep; the models set start_s and end_s */
  GArray *step_max;      /* int64_t: bytes over the busiest link */
  GArray *step_compute;  /* double: the most time that one node spends in the step's products; set by the models */
  GArray *node_steps;    /* TgNodeStep, by step and node; NULL unless asked for; see node-steps.h */
  TgNodeStep *node_now;  /* by node, where node_steps are of groups: the step that it is in; otherwise NULL */
  bool node_steps_set;   /* the model has filled it */
  GPtrArray *step_lanes; /* of the step under way */
  GPtrArray *last_lanes; /* of the step before it, where all of them are kept */
  int64_t *total_load;   /* by link */
} TgPrediction;

/** A model's run over all phases. Sets each step's times, the cost's time_s and compute_s, node_time_s and
 * node_compute_s. */
typedef bool (*TgModelRun)(TgPrediction *prediction, GError **error);

bool tg_hockney_run(TgPrediction *prediction, GError **error);
bool tg_forward_run(TgPrediction *prediction, GError **error);
bool tg_flow_run(TgPrediction *prediction, GError **error);
bool tg_loggp_run(TgPrediction *prediction, GError **error);

void tg_prediction_init(TgPrediction *prediction, TgCost *cost, int64_t links);
/** Moves what was counted into the cost. */
void tg_prediction_take(TgPrediction *prediction);
void tg_prediction_clear(TgPrediction *prediction);

/** The next phase on the network, counted. `*step` is its step's index in `steps`. The lane is valid until the next
 * call, unless the caller holds it. */
TgProgress tg_prediction_next(TgPrediction *prediction, TgLane **lane, TgPhaseAt *at, guint *step, GError **error);

#endif
