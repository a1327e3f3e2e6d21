/** @file trials.h
 * Trials: something is run again and again, and its times are summed up. */
#ifndef TG_TRIALS_H
#define TG_TRIALS_H

#include "measurement.h"

TG_BEGIN_DECLS

/** How often. All zero is one trial without a warm-up run. */
typedef struct TgTrialLimits {
  int32_t warmup;      /**< runs before the trials, whose times do not count … */
  double warmup_s;     /**< … of which none begins after so long; 0: no limit */
  double budget_s;     /**< of the trials: as many as fit … */
  int32_t least, most; /**< … but no fewer and no more than these */
  int32_t wanted;      /**< no fewer than these either, regardless of the budget, or as many of them as take … */
  double wanted_s;     /**< … this long */
  /** Where several programs run the trials together: the time by which all of them count; NULL: one's own. */
  double (*agree)(void *data, double once_s);
} TgTrialLimits;

/** Trials of something that takes `once_s`; one at least, and more than `most` only where more are wanted. */
int32_t tg_trial_count(const TgTrialLimits *limits, double once_s);

/** Runs once and returns how long that took, by any clock. `trial` counts from 0 and is negative in warm-up runs;
 * `trials` is how many there will be, 0 where that is not known yet. False ends the trials. */
typedef bool TgTrial(void *data, int32_t trial, int32_t trials, double *seconds);

/** Warms up, then runs the trials. How many there are follows from the last run before that is known: the longer of its
 * own time and the time that the call took. False where a run failed, or memory for the times is short; what happened
 * is for `run` to keep (`out_of_memory` tells the two apart, and may be NULL). */
bool tg_trials(const TgTrialLimits *limits, TgTrial *run, void *data, TgMeasurement *measurement, bool *out_of_memory);

/** Seconds since some moment. */
double tg_now_s(void);

TG_END_DECLS

#endif
