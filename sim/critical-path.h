/** @file critical-path.h
 * Why a predicted run takes as long as it does: a chain of nodes, a step each, that leads from the beginning to the end
 * of the run. It follows from when each node enters each step and from who exchanges messages with whom.
 *
 * From last to first: the node that is done last; then, in each step, of the node itself and of those that its end in
 * the step depends on, the one that entered the step last. A node depends on those that its messages of the step come
 * from and, unless the model lets a message go before its receiver is there (loggp), go to; and on those that these
 * depended on in earlier rounds of the step. Where several entered it at the same time, the chain stays on its node.
 * Single messages have no times in a TgCost: that the one who came last held the others up is the chain's assumption.
 */
#ifndef TG_CRITICAL_PATH_H
#define TG_CRITICAL_PATH_H

#include "cost.h"

TG_BEGIN_DECLS

/** The chain in one step. */
typedef struct TgPathStep {
  int64_t from, to;      /**< node on which it enters the step, and on which it leaves it */
  double start_s, end_s; /**< the next step of the chain starts where this one ends */
} TgPathStep;

/** Free with tg_critical_path_clear(). */
typedef struct TgCriticalPath {
  TgPathStep *step; /**< by step of the cost's trace */
  int64_t steps, nodes;
  uint8_t *talks; /**< steps x nodes, row-major: 1 where the node sends to or receives from another one in the step */
} TgCriticalPath;

/** Finds the chain in a prediction that kept its nodes' steps; the other arguments are those of tg_cost_predict().
 * Errors: BAD_INPUT where `cost` has no node_step or the grid does not fit the network; SCHEDULE where the run fails.
 */
bool tg_critical_path_find(const TgScheduleNames *names, const TgShape *shape, const TgTopology *network,
                           TgEmbeddingKind embedding, const TgCostOptions *options, const TgCost *cost,
                           TgCriticalPath *path, GError **error);
void tg_critical_path_clear(TgCriticalPath *path);

TG_END_DECLS

#endif
