/** @file trial.h
 * Times of something that is done again and again: on the device by the device's own clock, or on the host from the
 * call until all is done. */
#ifndef TG_TRIAL_H
#define TG_TRIAL_H

#include "trials.h"

TG_BEGIN_DECLS

/** Starts the work once. On the device it may still be running on return. */
typedef bool TgWork(const void *what, TgError *error);

/** How often, and at what cost. */
typedef struct TgBenchLimits {
  TgTrialLimits trials;
  double longest_s;    /**< what is expected to take longer is left out; 0: nothing is */
  double hold_s;       /**< that the device is held before each run, outside of its time, so that the host's part of a
                            launch is not in it; of trials on the device; 0: it is not */
  int64_t flush_bytes; /**< of device memory that are written before each trial, outside of its time: more than the
                            second-level cache holds makes the trials cold; 0: none */
} TgBenchLimits;

/** Whether work that is expected to take so long is left out; then `why` (`bytes` of it) has the reason. NaN, what is
 * not known, is not left out. */
bool tg_trial_is_left_out(const TgBenchLimits *limits, double expected_s, char *why, size_t bytes);

/** Measures on the device: between two of its events around one run. With `hold_s` the run has been started by the time
 * the first of them comes. */
bool tg_trial_on_device(TgWork *work, const void *what, const TgBenchLimits *limits, TgMeasurement *measurement,
                        TgError *error);

/** Measures on the host: from the call until, with `wait`, the device is done. */
bool tg_trial_on_host(TgWork *work, const void *what, bool wait, const TgBenchLimits *limits,
                      TgMeasurement *measurement, TgError *error);

TG_END_DECLS

#endif
