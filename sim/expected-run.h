/** @file expected-run.h
 * What a run on an executor should take, from a machine's numbers alone: one pass through the schedule, at the sizes of
 * one instance, and how many passes follow one another. Where the executor follows a plan (blocks-plan.h) the pass is
 * that plan's, instruction by instruction; elsewhere it is by the model hockney. docs/reference/calibration.md has the
 * equations. */
#ifndef TG_EXPECTED_RUN_H
#define TG_EXPECTED_RUN_H

#include "cost.h"
#include "executor.h"

TG_BEGIN_DECLS

typedef struct TgExpectedRun {
  TgTopology network; /**< a link from each processor to each */
  TgShape shape;      /**< of one instance in one panel */
  TgCostOptions options;
  TgCost cost;       /**< of one pass by itself */
  int64_t steps;     /**< of the schedule */
  double *step_s;    /**< by step, of one pass: the time in it of a processor that takes part; 0 where none does */
  int64_t rounds;    /**< instances that follow one another */
  int64_t passes;    /**< through the schedule, that follow one another */
  double pass_s;     /**< steps of one pass together, as passes follow one another */
  double overhead_s; /**< of the whole run, apart from its steps */
  double time_s;     /**< of the whole run */
} TgExpectedRun;

/** Turns every communication statement that costs nothing in a pass into a copy on its processor: with `traits->folds`
 * moves of blocks that no product and no collective has read before, and what is done with sums of products; with
 * TG_TRANSPORT_LOAD all of them. By buffer, not block by block. */
void tg_expected_fold(TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorTraits *traits,
                      TgTransport transport);

/** Predicts. `facts` are those of the opened executor, of whose runs nothing is used.
 * Errors: of tg_cost_predict(). Free with tg_expected_clear(). */
bool tg_expected_run(const TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorFacts *facts,
                     const TgExecutorOptions *options, const TgExecutorTraits *traits, const TgMachine *machine,
                     TgExpectedRun *expected, GError **error);
void tg_expected_clear(TgExpectedRun *expected);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgExpectedRun, tg_expected_clear)

/** Adds the time of every step without runs of its own to the next one that has some; what comes after the last of
 * these, to it. Where no step has runs all are as they were. */
void tg_expected_fold_steps(const int64_t *runs, int64_t steps, double *step_s);

TG_END_DECLS

#endif
