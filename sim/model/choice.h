/** @file choice.h
 * Private to sim/model/: which algorithm each collective of a run takes where that is left open. */
#ifndef TG_CHOICE_H
#define TG_CHOICE_H

#include "cost.h"

/** What one prediction needs. */
typedef struct TgCostRun {
  const TgScheduleNames *names;
  const TgShape *shape;
  const TgTopology *network;
  TgEmbeddingKind embedding;
  const TgMachine *machine;
  const TgCostOptions *options;
} TgCostRun;

/** Predicts with the algorithms that the schedule's statements name. */
bool tg_cost_run(const TgCostRun *run, const TgSchedule *schedule, TgCost *cost, GError **error);

/** Writes into the statements of `schedule` which algorithm their collectives take: with TG_COLLECTIVE_AUTO those with
 * which the run takes least time, of those that are predicted; with TG_COLLECTIVE_CHAIN the number of pieces. Counts in
 * `cost`, which is all zero before, how many were predicted, and how many left out because that would take too long.
 * `*predicted`: the cost is that of the run with them, too. */
bool tg_choose_collectives(const TgCostRun *run, TgSchedule *schedule, TgCost *cost, bool *predicted, GError **error);

/** Transfers of one collective along a line, about. `rounds` has just been begun. */
double tg_line_transfers(const TgRounds *rounds);

#endif
