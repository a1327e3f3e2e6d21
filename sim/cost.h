/** @file cost.h
 * Predicted time of a schedule on a machine: every node has a clock of its own, a receive waits for its message, and
 * nothing waits for a step. docs/models.md has the models' equations. */
#ifndef TG_COST_H
#define TG_COST_H

#include "embedding.h"
#include "machine.h"
#include "phase.h"
#include "trace.h"

TG_BEGIN_DECLS

typedef enum TgCostModel {
  TG_COST_HOCKNEY, /**< latency, hops and bandwidth of a message; links are never shared */
  TG_COST_MODELS
} TgCostModel;

const char *tg_cost_model_name(TgCostModel model);
bool tg_cost_model_parse(const char *text, TgCostModel *model, TgError *error);

typedef struct TgCostOptions {
  TgCostModel model;
  TgCollective collective; /**< whole is expanded as auto */
  bool overlap;            /**< products run beside later transfers that do not read what they write */
  double skew_s;           /**< every node starts at a random time in [0, skew_s) */
  double jitter;           /**< every cost times 1 + a random number in [0, jitter) */
  int64_t straggler;       /**< node whose products take straggler_factor times as long; -1 none */
  double straggler_factor;
  uint64_t seed;
  int64_t element_bytes;
} TgCostOptions;

/** What a run costs. Free with tg_cost_clear(). */
typedef struct TgCost {
  double time_s;          /**< until the last node is done */
  double compute_s;       /**< of that time, the products of the node that ends last … */
  double communication_s; /**< … and the rest: transfers that no product hides, and waiting */
  int64_t nodes;          /**< of the network */
  int64_t messages;       /**< between different nodes */
  int64_t bytes;
  int64_t hop_bytes;
  int64_t max_link_bytes; /**< over the busiest link, all steps together */
  double flops;           /**< of all products together */
  TgTrace trace;          /**< one entry a step; link loads are the totals of all steps, in one row */
  int64_t *step_max_link_bytes;
  double wall_s; /**< that this prediction took */
} TgCost;

/** Predicts. The grid of the bound schedule is laid on `network` by `embedding`.
 * Errors: BAD_INPUT where the grid, the machine's file and the network do not fit; SCHEDULE where the run fails. */
bool tg_cost_predict(const TgSchedule *schedule, const TgScheduleNames *names, const TgShape *shape,
                     const TgTopology *network, TgEmbeddingKind embedding, const TgMachine *machine,
                     const TgCostOptions *options, TgCost *cost, GError **error);
void tg_cost_clear(TgCost *cost);

TG_END_DECLS

#endif
