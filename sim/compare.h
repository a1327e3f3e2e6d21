/** @file compare.h
 * A run compared with its prediction from a machine's numbers, as a whole and step by step. */
#ifndef TG_COMPARE_H
#define TG_COMPARE_H

#include "expected-run.h"
#include "run.h"

TG_BEGIN_DECLS

/** Zero it before use, and clear it. */
typedef struct TgComparison {
  TgExpectedRun expected; /**< made before anything ran */
  double *predicted_s;    /**< by step, of the whole run; what has no time of its own is in the next step that has */
  double *measured_s;     /**< by step, of the whole run */
  double *error;          /**< by step: signed, (predicted - measured) / measured; NaN where nothing was measured */
  double step_scale;      /**< of runs that are timed as a whole to those that time their steps */
  double total_error;     /**< of the whole run */
  double median_abs_step_error; /**< NaN where no step was measured */
} TgComparison;

/** Predicts, then runs as tg_run() does, and compares. Where the prediction fails, nothing runs and
 * `comparison->expected.step_s` is NULL. */
bool tg_compare(TgExecutor *executor, const TgRunOptions *options, const TgMachine *machine, const void *a,
                const void *b, void *c, TgRunResult *result, TgComparison *comparison, GError **error);
void tg_comparison_clear(TgComparison *comparison);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgComparison, tg_comparison_clear)

/** Places, from 1, by time: 1 + how many are faster. Free with g_free(). */
int *tg_places(const double *time_s, int count);

/** Whether two runs lie the same way round by prediction as measured. Predictions within a thousandth of each other are
 * ties, and so are medians that lie no further apart than their standard deviations together: ties agree with
 * anything. */
bool tg_compare_agree(double first_s, const TgMeasurement *first, double second_s, const TgMeasurement *second);

TG_END_DECLS

#endif
