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
  double drift_before, drift_after; /**< times as long as predicted the run would take by tg_calibration_drift() beside
                                       it; NaN where that is not known */
  double waited;          /**< of the program's time during the runs, the part in which it waited for a CPU that others
                             had; NaN where that is not known */
  double least_s, most_s; /**< within which the run's time should lie: tg_machine_error() either way, and times the
                             drift, or what the wait explains; NaN where the machine's numbers were not measured */
  double median_abs_step_error; /**< NaN where no step was measured */
} TgComparison;

/** Whether waits for a CPU explain a part of the time that matters. */
static inline bool tg_comparison_waited(const TgComparison *comparison) {
  return comparison->waited > 0.05; /* false where it is not known */
}

/** Whether a machine has changed since its calibration, so that a run takes longer or shorter by more than a tenth. */
static inline bool tg_drift_is_notable(double drift) {
  return drift < 0.9 || drift > 1.1; /* false where it is not known */
}

/** What a run on an opened executor should take; nothing runs. Errors: of tg_expected_run(). */
bool tg_compare_predict(const TgExecutor *executor, const TgMachine *machine, TgExpectedRun *expected, GError **error);

/** Predicts, then runs as tg_run() does, and compares. Where the prediction fails, nothing runs and
 * `comparison->expected.step_s` is NULL. */
bool tg_compare(TgExecutor *executor, const TgRunOptions *options, const TgMachine *machine, const void *a,
                const void *b, void *c, TgRunResult *result, TgComparison *comparison, GError **error);
void tg_comparison_clear(TgComparison *comparison);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgComparison, tg_comparison_clear)

/** Places, from 1, by time: 1 + how many are faster. Free with g_free(). */
int *tg_places(const double *time_s, int count);

/** How well predictions tell runs apart. Predictions within a thousandth of each other are ties, and so are medians
 * that lie no further apart than their standard deviations together. The machine's error separates fewer pairs: those
 * whose predictions are no tg_machine_is_tie(). */
typedef struct TgRanking {
  int pairs;               /**< of runs … */
  int agree, disagree;     /**< … that lie the same way round, or the other, by prediction as measured … */
  int predicted_ties;      /**< … of which the predictions are a tie … */
  int measured_ties;       /**< … and of which the medians are */
  int separated;           /**< pairs that the machine's error separates … */
  int separated_wrong;     /**< … of which so many were measured the other way round */
  double tau;              /**< Kendall's rank correlation tau-b, from -1 to 1; NaN where either side is all ties */
  double regret;           /**< by how much of the best median that of the predicted winner is longer; of winners that
                                tie, the slowest */
  double median_abs_error; /**< of (predicted - measured) / measured */
} TgRanking;

/** Of `count` runs, 1 at least, predicted on `machine`. Source of tau-b: M. G. Kendall, The Treatment of Ties in
 * Ranking Problems, Biometrika 33(3), 1945. */
TgRanking tg_ranking(const TgMachine *machine, const double *predicted_s, const TgMeasurement *measured, int count);

TG_END_DECLS

#endif
