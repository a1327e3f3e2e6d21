/** @file run.h
 * A schedule executed for real: its product checked, the run timed, and each of its steps. */
#ifndef TG_RUN_H
#define TG_RUN_H

#include "executor.h"
#include "measurement.h"
#include "check.h"

TG_BEGIN_DECLS

/** A step, medians over the trials; NaN for what costs nothing. See TgExecutorStep. */
typedef struct TgRunStep {
  const char *label; /**< of the schedule's names */
  int64_t index, runs;
  double median_s; /**< a processor's time in the step, waiting included: of busy_s + waited_s */
  double busy_s, waited_s, begin_s, end_s;
  double share; /**< of the time of its run, the mean; with outside_share all of them add up to 1 */
} TgRunStep;

/** What came of it. Zero it before use, and clear it. */
typedef struct TgRunResult {
  TgExecutorFacts facts;
  char *kernel; /**< of the facts */
  TgMeasurement time;
  double flops_per_s;      /**< of the products in the median, operations in a second; NaN where there are none */
  double load_s, gather_s; /**< A and B to where they are multiplied, C back */
  TgRunStep *steps;        /**< facts.steps of them; NULL where there are no times */
  int64_t step_trials;     /**< that the steps' medians are of: all, or the first ones */
  double steps_share;      /**< of all steps together in the time of their run, the median */
  double steps_s;          /**< of all steps together, the median; not the sum of theirs, since runs are slow in
                                different steps */
  double outside_s;        /**< of a run outside of its steps, the median */
  double outside_share;    /**< likewise in the time of the run, the mean */
  GArray *places;          /**< TgExecutorPlace, where several programs run the job and they were asked for; or NULL */
  double clock_error_s;    /**< largest error of a place's corrected clock; NaN without places */
  TgCheck check;           /**< of the first run and the last, the worse */
} TgRunResult;

/** How to measure. All zero: no warm-up, as many trials as fit. */
typedef struct TgRunOptions {
  int64_t trials; /**< 0: as many as fit 2 s, from 20 to 100; of runs over 1 s as many as fit 20 s, at least 3 */
  int64_t warmup; /**< runs before the trials that do not count */
  bool places;    /**< find out what each of several programs did in the last run */
  /** Called before each run, outside of its time, as to empty a cache; NULL: nothing is. */
  bool (*before_run)(void *data, GError **error);
  /** Told that "load", "run" or "gather" begins, and with NULL that it ends, as for a profiler; NULL: nobody is. */
  void (*phase)(void *data, const char *name);
  /** Told how many trials are done; NULL: nobody is. */
  void (*progress)(void *data, int64_t done, int64_t trials);
  void *data; /**< for these */
} TgRunOptions;

/** Runs what `executor` was opened for on A and B (row-major; NULL where the schedule does not read it), checks C after
 * the first run and after the last, and leaves it in `c`. Where taking times of steps makes runs slower, they are of
 * runs after the trials. A wrong product is no error: see `result->check`. Errors: those of the executor, and
 * TG_SIM_ERROR where the check cannot be done. */
bool tg_run(TgExecutor *executor, const TgRunOptions *options, const void *a, const void *b, void *c,
            TgRunResult *result, GError **error);
void tg_run_result_clear(TgRunResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgRunResult, tg_run_result_clear)

TG_END_DECLS

#endif
