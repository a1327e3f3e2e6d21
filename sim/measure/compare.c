#include "compare.h"

#include "calibration.h"
#include "cpu-time.h"
#include "executor-kind.h"

#include <math.h>

static double error_of(double predicted_s, double measured_s) {
  return measured_s > 0 ? (predicted_s - measured_s) / measured_s : NAN;
}

/* Where taking times makes runs slower, steps are those of runs that take none: their share of a run is kept. */
static double scale_of(const TgExecutor *executor, const TgRunResult *measured) {
  double sum_s = 0;
  if (!executor->kind->times_apart) return 1;
  for (int64_t s = 0; s < measured->facts.steps; s++)
    if (measured->steps[s].runs > 0) sum_s += measured->steps[s].median_s;
  return sum_s > 0 ? measured->time.median_s * measured->steps_share / sum_s : 1;
}

static double median_of_absolutes(const double *error, int64_t steps) {
  g_autofree double *absolute = g_new(double, (gsize)MAX(steps, 1));
  int32_t count = 0;
  for (int64_t s = 0; s < steps; s++)
    if (!isnan(error[s])) absolute[count++] = fabs(error[s]);
  return count ? tg_measurement_of(absolute, count, 0).median_s : NAN;
}

static void set_steps(const TgExecutor *executor, const TgRunResult *measured, TgComparison *result) {
  const int64_t steps = measured->steps ? measured->facts.steps : 0;
  const gsize room = (gsize)MAX(steps, 1);
  g_autofree int64_t *runs = g_new0(int64_t, room);
  result->predicted_s = g_new0(double, room);
  result->measured_s = g_new0(double, room);
  result->error = g_new0(double, room);
  result->step_scale = steps ? scale_of(executor, measured) : 1;
  for (int64_t s = 0; s < steps; s++) {
    runs[s] = measured->steps[s].runs;
    result->predicted_s[s] = (double)result->expected.passes * result->expected.step_s[s];
    result->measured_s[s] = runs[s] > 0 ? measured->steps[s].median_s * result->step_scale : 0;
  }
  tg_expected_fold_steps(runs, steps, result->predicted_s);
  for (int64_t s = 0; s < steps; s++) result->error[s] = error_of(result->predicted_s[s], result->measured_s[s]);
  result->total_error = error_of(result->expected.time_s, measured->time.median_s);
  result->median_abs_step_error = median_of_absolutes(result->error, steps);
}

static void set_interval(const TgMachine *machine, TgComparison *comparison) {
  const double part = tg_machine_error(machine), time_s = comparison->expected.time_s;
  static const double most_waited = 0.9;
  const double waits = tg_comparison_waited(comparison) ? 1 / (1 - fmin(comparison->waited, most_waited)) : 1;
  if (!tg_machine_is_measured(machine)) return;
  comparison->least_s = time_s * (1 - part) * fmin(1, fmin(comparison->drift_before, comparison->drift_after));
  comparison->most_s = time_s * (1 + part) * fmax(waits, fmax(comparison->drift_before, comparison->drift_after));
}

bool tg_compare_predict(const TgExecutor *executor, const TgMachine *machine, TgExpectedRun *expected, GError **error) {
  return tg_expected_run(executor->schedule, executor->names, &executor->facts, &executor->options,
                         &executor->kind->traits, machine, expected, error);
}

/* Of this run, by what products and moves take now. */
static double drift_of(const TgExecutor *executor, const TgMachine *machine, const TgExpectedRun *expected) {
  const TgDrift drift = tg_calibration_drift(machine, executor->kind, &executor->options);
  TgMachine now = *machine;
  g_auto(TgExpectedRun) drifted = {0};
  if (isnan(drift.products)) return NAN;
  tg_calibration_apply_drift(&now, drift);
  return tg_compare_predict(executor, &now, &drifted, NULL) ? drifted.time_s / expected->time_s : NAN;
}

bool tg_compare(TgExecutor *executor, const TgRunOptions *options, const TgMachine *machine, const void *a,
                const void *b, void *c, TgRunResult *result, TgComparison *comparison, GError **error) {
  comparison->least_s = comparison->most_s = comparison->drift_before = comparison->drift_after = comparison->waited =
      NAN;
  if (!tg_compare_predict(executor, machine, &comparison->expected, error)) return false;
  comparison->drift_before = drift_of(executor, machine, &comparison->expected);
  const TgCpuTime begin = tg_cpu_time();
  if (!tg_run(executor, options, a, b, c, result, error)) return false;
  if (tg_executor_is_alone(executor->kind)) comparison->waited = tg_cpu_waited_since(&begin);
  comparison->drift_after = drift_of(executor, machine, &comparison->expected);
  set_interval(machine, comparison);
  set_steps(executor, result, comparison);
  return true;
}

void tg_comparison_clear(TgComparison *comparison) {
  tg_expected_clear(&comparison->expected);
  g_clear_pointer(&comparison->predicted_s, g_free);
  g_clear_pointer(&comparison->measured_s, g_free);
  g_clear_pointer(&comparison->error, g_free);
}

int *tg_places(const double *time_s, int count) {
  int *place = g_new(int, (gsize)count);
  for (int i = 0; i < count; i++) {
    place[i] = 1;
    for (int other = 0; other < count; other++) place[i] += time_s[other] < time_s[i];
  }
  return place;
}

static int sign_beyond(double difference, double tie) {
  return difference > tie ? 1 : difference < -tie ? -1 : 0;
}

static const double same = 1e-3; /* of the shorter prediction */

static int predicted_sign(double first_s, double second_s) {
  return sign_beyond(first_s - second_s, same * fmin(first_s, second_s));
}

static int measured_sign(const TgMeasurement *first, const TgMeasurement *second) {
  const double spread_s = fmax(first->stddev_s, 0) + fmax(second->stddev_s, 0); /* of one trial there is none */
  return sign_beyond(first->median_s - second->median_s, spread_s);
}

static double regret_of(const double *predicted_s, const TgMeasurement *measured, int count) {
  double least_s = INFINITY, best_s = INFINITY, chosen_s = 0;
  for (int r = 0; r < count; r++) {
    least_s = fmin(least_s, predicted_s[r]);
    best_s = fmin(best_s, measured[r].median_s);
  }
  for (int r = 0; r < count; r++)
    if (predicted_sign(predicted_s[r], least_s) == 0) chosen_s = fmax(chosen_s, measured[r].median_s);
  return best_s > 0 ? chosen_s / best_s - 1 : NAN;
}

static void count_pair(TgRanking *ranking, int predicted, int measured, bool separated) {
  ranking->pairs++;
  ranking->separated += separated;
  ranking->separated_wrong += separated && predicted * measured < 0;
  ranking->predicted_ties += predicted == 0;
  ranking->measured_ties += measured == 0;
  ranking->agree += predicted * measured > 0;
  ranking->disagree += predicted * measured < 0;
}

TgRanking tg_ranking(const TgMachine *machine, const double *predicted_s, const TgMeasurement *measured, int count) {
  TgRanking ranking = {.regret = regret_of(predicted_s, measured, count)};
  g_autofree double *error = g_new(double, (gsize)MAX(count, 1));
  for (int r = 0; r < count; r++) {
    error[r] = error_of(predicted_s[r], measured[r].median_s);
    for (int other = 0; other < r; other++) {
      const int predicted = predicted_sign(predicted_s[r], predicted_s[other]);
      const bool separated = predicted != 0 && !tg_machine_is_tie(machine, predicted_s[r], predicted_s[other]);
      count_pair(&ranking, predicted, measured_sign(&measured[r], &measured[other]), separated);
    }
  }
  const double told_apart =
      (double)(ranking.pairs - ranking.predicted_ties) * (double)(ranking.pairs - ranking.measured_ties);
  ranking.tau = told_apart > 0 ? (ranking.agree - ranking.disagree) / sqrt(told_apart) : NAN;
  ranking.median_abs_error = median_of_absolutes(error, count);
  return ranking;
}
