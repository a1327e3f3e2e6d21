/** @file choice.h
 * Private to sim/model/: chooses the algorithm of each collective of a run where that is left open. */
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
  bool explain; /**< set TgCost.parts … */
  int64_t node; /**< … of this node */
} TgCostRun;

/** Predicts with the algorithms that the schedule's statements name. Where that fails, `cost` still says how many
 * messages were timed. */
bool tg_cost_run(const TgCostRun *run, const TgSchedule *schedule, TgCost *cost, GError **error);

/** Whether a model that simulates links first runs as hockney, until a message crosses several links. */
bool tg_cost_may_run_apart(const TgCostRun *run);

/** Writes into the statements of `schedule` which algorithms their collectives use. With TG_COLLECTIVE_AUTO it chooses
 * the fastest of those that it predicts; with TG_COLLECTIVE_CHAIN, only the number of pieces. Counts in `cost`, which
 * must be all zero, how many choices it predicted, and how many it left out because they would take too long.
 * `*predicted`: `cost` is already that of the run with the choice. */
bool tg_choose_collectives(const TgCostRun *run, TgSchedule *schedule, TgCost *cost, bool *predicted, GError **error);

/** About how many transfers one collective makes along a line. `rounds` has just been begun. */
double tg_line_transfers(const TgRounds *rounds);

#endif
