#include "trials.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static int compare(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

TgMeasurement tg_measurement_of(double *seconds, int32_t trials, int32_t warmup) {
  double sum = 0, squares = 0;
  qsort(seconds, (size_t)trials, sizeof *seconds, compare);
  for (int32_t t = 0; t < trials; t++) sum += seconds[t];
  double mean = sum / trials;
  for (int32_t t = 0; t < trials; t++) squares += (seconds[t] - mean) * (seconds[t] - mean);
  return (TgMeasurement){.warmup = warmup,
                         .trials = trials,
                         .min_s = seconds[0],
                         .median_s = (seconds[trials / 2] + seconds[(trials - 1) / 2]) / 2,
                         .mean_s = mean,
                         .max_s = seconds[trials - 1],
                         .stddev_s = trials > 1 ? sqrt(squares / (trials - 1)) : NAN};
}

double tg_now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int32_t larger(int32_t x, int32_t y) {
  return x > y ? x : y;
}

int32_t tg_trial_count(const TgTrialLimits *limits, double once_s) {
  const double fit = once_s > 0 ? limits->budget_s / once_s : limits->most;
  const double within = once_s * limits->wanted > limits->wanted_s ? limits->wanted_s / once_s : limits->wanted;
  const int32_t fitting = fit < limits->most ? (int32_t)fit : limits->most;
  return larger(larger(1, limits->least), larger((int32_t)within, fitting));
}

/** Trials under way. */
typedef struct Trials {
  TgTrial *run;
  void *data;
  int32_t count; /**< 0 while it is not known */
  double once_s; /**< of the last run */
} Trials;

static bool run_once(Trials *trials, const TgTrialLimits *limits, int32_t trial, double *seconds) {
  const double begun_s = tg_now_s();
  if (!trials->run(trials->data, trial, trials->count, seconds)) return false;
  const double taken_s = tg_now_s() - begun_s;
  trials->once_s = taken_s > *seconds ? taken_s : *seconds;
  if (limits->agree) trials->once_s = limits->agree(trials->data, trials->once_s);
  return true;
}

static bool warm_up(Trials *trials, const TgTrialLimits *limits, int32_t *warmup) {
  double seconds, taken_s = 0;
  while (*warmup < limits->warmup && (*warmup == 0 || limits->warmup_s <= 0 || taken_s < limits->warmup_s)) {
    if (!run_once(trials, limits, -1 - *warmup, &seconds)) return false;
    taken_s += trials->once_s;
    *warmup += 1;
  }
  return true;
}

bool tg_trials(const TgTrialLimits *limits, TgTrial *run, void *data, TgMeasurement *measurement, bool *out_of_memory) {
  Trials trials = {.run = run, .data = data};
  int32_t warmup = 0;
  double first_s = 0;
  if (out_of_memory) *out_of_memory = false;
  if (limits->least >= limits->most && limits->wanted == 0) trials.count = larger(1, limits->least);
  if (!warm_up(&trials, limits, &warmup)) return false;
  const bool counts = warmup == 0; /* then the first trial tells how many there will be */
  if (counts && !run_once(&trials, limits, 0, &first_s)) return false;
  trials.count = tg_trial_count(limits, trials.once_s);
  double *seconds = malloc((size_t)trials.count * sizeof *seconds);
  if (out_of_memory) *out_of_memory = !seconds;
  bool fine = seconds;
  if (fine && counts) seconds[0] = first_s;
  for (int32_t t = counts; fine && t < trials.count; t++) fine = run_once(&trials, limits, t, &seconds[t]);
  if (fine) *measurement = tg_measurement_of(seconds, trials.count, warmup);
  free(seconds);
  return fine;
}
