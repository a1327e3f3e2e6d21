#include "trial.h"

#include "device.h"

#include <glib.h>

/* So long a warm-up is enough. */
static const double long_run_s = 1;

typedef struct TgTimer {
  TgWork *work;
  const void *what;
  TgStopwatch *watch; /* NULL: the host's clock */
  bool wait;
  void *flush;
  int64_t flush_bytes;
  double hold_s;
  TgError *error;
} TgTimer;

bool tg_trial_is_left_out(const TgBenchLimits *limits, double expected_s, char *why, size_t bytes) {
  if (!(limits->longest_s > 0 && expected_s > limits->longest_s)) return false;
  g_snprintf(why, bytes, "would take about %.0f s a trial, over %g", expected_s, limits->longest_s);
  return true;
}

static bool run_trial(void *data, int32_t trial, int32_t trials, double *seconds) {
  const TgTimer *timer = data;
  TgError *error = timer->error;
  (void)trial;
  (void)trials;
  if (timer->flush && !(tg_device_fill(timer->flush, 0, timer->flush_bytes, error) && tg_device_wait(error)))
    return false;
  if (timer->watch && timer->hold_s > 0 && !tg_device_hold(timer->hold_s, error)) return false;
  if (timer->watch)
    return tg_stopwatch_start(timer->watch, error) && timer->work(timer->what, error) &&
           tg_stopwatch_stop(timer->watch, seconds, error);
  double begun_s = tg_now_s();
  if (!timer->work(timer->what, error) || (timer->wait && !tg_device_wait(error))) return false;
  *seconds = tg_now_s() - begun_s;
  return true;
}

static bool measure(TgTimer *timer, const TgBenchLimits *limits, TgMeasurement *measurement, TgError *error) {
  TgTrialLimits often = limits->trials;
  bool out_of_memory;
  often.warmup_s = long_run_s;
  timer->error = error;
  timer->flush_bytes = limits->flush_bytes;
  timer->hold_s = limits->hold_s;
  if (limits->flush_bytes && !(timer->flush = tg_device_allocate(limits->flush_bytes, error))) return false;
  const bool fine = tg_trials(&often, run_trial, timer, measurement, &out_of_memory);
  if (timer->flush) tg_device_free(timer->flush);
  return fine || (out_of_memory ? tg_error_set(error, 0, 0, "out of memory for the times of trials") : false);
}

bool tg_trial_on_device(TgWork *work, const void *what, const TgBenchLimits *limits, TgMeasurement *measurement,
                        TgError *error) {
  TgTimer timer = {.work = work, .what = what, .watch = tg_stopwatch_new(error)};
  bool fine = timer.watch && measure(&timer, limits, measurement, error);
  tg_stopwatch_free(timer.watch);
  return fine;
}

bool tg_trial_on_host(TgWork *work, const void *what, bool wait, const TgBenchLimits *limits,
                      TgMeasurement *measurement, TgError *error) {
  TgTimer timer = {.work = work, .what = what, .wait = wait};
  return measure(&timer, limits, measurement, error);
}
