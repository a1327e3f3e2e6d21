#include "trial.h"

#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Where a run takes longer, one is warm-up enough. */
static const double long_run_s = 1;

typedef struct TgTimer {
  TgWork *work;
  const void *what;
  TgStopwatch *watch; /* NULL: the host's clock */
  bool wait;
  void *flush;
  int64_t flush_bytes;
  double hold_s;
} TgTimer;

double tg_trial_now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int32_t larger(int32_t x, int32_t y) {
  return x > y ? x : y;
}

int32_t tg_trial_count(const TgTrialLimits *limits, double once_s) {
  double fit = once_s > 0 ? limits->budget_s / once_s : limits->most;
  const double within = once_s * limits->wanted > limits->wanted_s ? limits->wanted_s / once_s : limits->wanted;
  const int32_t fitting = fit < limits->most ? (int32_t)fit : limits->most;
  return larger(larger(1, limits->least), larger((int32_t)within, fitting));
}

bool tg_trial_is_left_out(const TgTrialLimits *limits, double expected_s, char *why, size_t bytes) {
  TgError words;
  if (!(limits->longest_s > 0 && expected_s > limits->longest_s)) return false;
  tg_error_set(&words, 0, 0, "would take about %.0f s a trial, over %g", expected_s, limits->longest_s);
  int length = tg_text_fit(words.message, bytes - 1);
  for (int i = 0; i < length; i++) why[i] = words.message[i];
  why[length] = '\0';
  return true;
}

static bool time_once(const TgTimer *timer, double *seconds, TgError *error) {
  if (timer->flush && !(tg_device_fill(timer->flush, 0, timer->flush_bytes, error) && tg_device_wait(error)))
    return false;
  if (timer->watch && timer->hold_s > 0 && !tg_device_hold(timer->hold_s, error)) return false;
  if (timer->watch)
    return tg_stopwatch_start(timer->watch, error) && timer->work(timer->what, error) &&
           tg_stopwatch_stop(timer->watch, seconds, error);
  double begun_s = tg_trial_now_s();
  if (!timer->work(timer->what, error) || (timer->wait && !tg_device_wait(error))) return false;
  *seconds = tg_trial_now_s() - begun_s;
  return true;
}

static bool time_all(const TgTimer *timer, const TgTrialLimits *limits, TgMeasurement *measurement, TgError *error) {
  double once_s = 0;
  int32_t warmup = 0;
  while (warmup < limits->warmup && once_s < long_run_s) {
    if (!time_once(timer, &once_s, error)) return false;
    warmup++;
  }
  const bool counts = warmup == 0; /* then the first one tells how many there will be */
  if (counts && !time_once(timer, &once_s, error)) return false;
  const int32_t trials = tg_trial_count(limits, once_s);
  double *seconds = malloc((size_t)trials * sizeof *seconds);
  bool fine = seconds || tg_error_set(error, 0, 0, "out of memory for the times of %d trials", (int)trials);
  if (fine && counts) seconds[0] = once_s;
  for (int32_t t = counts; fine && t < trials; t++) fine = time_once(timer, &seconds[t], error);
  if (fine) *measurement = tg_measurement_of(seconds, trials, warmup);
  free(seconds);
  return fine;
}

static bool measure(TgTimer *timer, const TgTrialLimits *limits, TgMeasurement *measurement, TgError *error) {
  timer->flush_bytes = limits->flush_bytes;
  timer->hold_s = limits->hold_s;
  if (limits->flush_bytes && !(timer->flush = tg_device_allocate(limits->flush_bytes, error))) return false;
  bool fine = time_all(timer, limits, measurement, error);
  if (timer->flush) tg_device_free(timer->flush);
  return fine;
}

bool tg_trial_on_device(TgWork *work, const void *what, const TgTrialLimits *limits, TgMeasurement *measurement,
                        TgError *error) {
  TgTimer timer = {.work = work, .what = what, .watch = tg_stopwatch_new(error)};
  bool fine = timer.watch && measure(&timer, limits, measurement, error);
  tg_stopwatch_free(timer.watch);
  return fine;
}

bool tg_trial_on_host(TgWork *work, const void *what, bool wait, const TgTrialLimits *limits,
                      TgMeasurement *measurement, TgError *error) {
  TgTimer timer = {.work = work, .what = what, .wait = wait};
  return measure(&timer, limits, measurement, error);
}
